package charts_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/stratamesh/strata/pkg/render"
)

func cpu() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func TestPerf(t *testing.T) {
	for _, name := range chartNames {
		for _, k := range []string{"full", "lean", "probe"} {
			c := chart(t, name)
			if k == "lean" {
				c = leanCharts(t, name)
			} else if k == "probe" {
				c = probes(t, name)
			}
			s := cpu()
			w := time.Now()
			var out *render.Output
			for range 10 {
				out, _ = c.Render(render.Helm4, render.Options{Namespace: "mesh"})
			}
			a := cpu() - s
			wa := time.Since(w)
			s = cpu()
			if k != "probe" {
				for range 10 {
					read(out)
				}
			}
			t.Log(name, k, "render", a/10, wa/10, "read", (cpu()-s)/10)
		}
	}
}
