package charts_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stratamesh/strata/pkg/render"
)

// A container without resources of its own gets those of global.defaultResources; without these too, none.
func TestDefaultResources(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]string{"istiod": "Deployment", "istio-cni": "DaemonSet"} {
		for _, c := range []struct {
			values string
			want   any
		}{
			{`{resources: null}`, "some"},
			{`{resources: null, global: {defaultResources: {requests: {cpu: 7m, memory: null}}}}`, map[string]any{"requests": map[string]any{"cpu": "7m"}}},
			{`{resources: {requests: {cpu: 8m, memory: null}}, global: {defaultResources: {requests: {cpu: 7m}}}}`, map[string]any{"requests": map[string]any{"cpu": "8m"}}},
			{`{resources: null, global: {defaultResources: null}}`, nil},
		} {
			r, err := rendering{chart: name, engine: render.Helm4, Options: render.Options{Values: parse(t, c.values)}}.objects(t)
			require.NoError(t, err)
			workloads := r.all(kind)
			require.Len(t, workloads, 1)
			containers, _ := at(workloads[0].object, "spec", "template", "spec", "containers").([]any)
			require.NotEmpty(t, containers)
			got := at(containers[0], "resources")
			if c.want == "some" {
				assert.NotEmpty(t, got, "%s %s", name, c.values)
				continue
			}
			assert.Equal(t, c.want, got, "%s %s", name, c.values)
		}
	}
}
