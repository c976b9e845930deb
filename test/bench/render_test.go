package bench_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stratamesh/strata/pkg/render"
)

// upstreamModule has the upstream charts of the release line; they are only executed, beside ours.
const upstreamModule = "istio.io/istio@v0.0.0-20260827124520-eed52ebb66ad"

func upstreamCharts(tb testing.TB) string {
	tb.Helper()
	out, err := exec.Command("go", "mod", "download", "-json", upstreamModule).Output()
	if err != nil {
		tb.Skipf("%s cannot be downloaded: %v", upstreamModule, err)
	}
	var found struct{ Dir string }
	require.NoError(tb, json.Unmarshal(out, &found))
	return filepath.Join(found.Dir, "manifests/charts")
}

// BenchmarkRender renders one chart by the same engine: upstream's and ours, the overlay engine included.
func BenchmarkRender(b *testing.B) {
	upstream := upstreamCharts(b)
	for _, c := range []struct{ name, path string }{
		{"base", "base"},
		{"istiod", "istio-control/istio-discovery"},
		{"ztunnel", "ztunnel"},
		{"istio-cni", "istio-cni"},
		{"gateway", "gateway"},
	} {
		theirs, err := render.Load(filepath.Join(upstream, c.path))
		require.NoError(b, err)
		ours, err := render.Load(filepath.Join("../../manifests/charts", c.name))
		require.NoError(b, err)
		for _, chart := range []struct {
			name  string
			chart *render.Chart
		}{{"upstream", theirs}, {"strata", ours}} {
			for _, profile := range []string{"", "ambient"} {
				values := map[string]any{}
				if profile != "" {
					values["profile"] = profile
				}
				b.Run(c.name+"/"+chart.name+"/"+profile, func(b *testing.B) {
					loop(b, func() error {
						_, err := chart.chart.Render(render.Helm4, render.Options{Release: c.name, Namespace: "istio-system", Values: values})
						return err
					})
				})
			}
		}
	}
}
