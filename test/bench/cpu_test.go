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

// cpu is the processor time that this process and the programs that it ran have used.
func cpu() time.Duration {
	var total time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err == nil {
			total += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return total
}
