package charts_test

import (
	"testing"
	"time"

	"github.com/stratamesh/strata/pkg/render"
)

func TestPerf(t *testing.T) {
	for _, name := range []string{"base", "istio-cni", "istiod", "ztunnel", "gateway"} {
		s := time.Now()
		c, err := render.Load("../../manifests/charts/" + name)
		if err != nil {
			t.Fatal(err)
		}
		load := time.Since(s)
		for _, e := range []render.Engine{render.Helm3, render.Helm4} {
			s = time.Now()
			for range 10 {
				if _, err := c.Render(e, render.Options{Namespace: "istio-system"}); err != nil {
					t.Fatal(err)
				}
			}
			t.Log(name, load, e, time.Since(s)/10)
		}
	}
}
