package bench_test

import (
	"syscall"
	"testing"
	"time"
)

// loop runs f b.N times and also reports the processor time, which says more than the clock on a machine with other work.
func loop(b *testing.B, f func() error) {
	b.Helper()
	b.ReportAllocs()
	start := cpu()
	for b.Loop() {
		if err := f(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(cpu()-start)/float64(b.N), "cpu-ns/op")
}

// cpu is the processor time that this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
