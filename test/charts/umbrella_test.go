package charts_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stratamesh/strata/pkg/render"
)

// All five charts make one release of a parent chart: no two of their objects or named templates meet, an alias changes
// nothing, and a condition leaves a chart out.
func TestUmbrella(t *testing.T) {
	t.Parallel()
	for _, engine := range inTurn(0) {
		t.Run(engine.String(), func(t *testing.T) {
			t.Parallel()
			rendered := func(text string) result {
				r, err := rendering{chart: umbrella, engine: engine, Options: render.Options{Release: "suite", Namespace: matrixNamespace, Values: parse(t, text)}}.objects(t)
				require.NoError(t, err)
				requireSound(t, r)
				return r
			}
			all := rendered(`{global: {profile: ambient}}`)
			for _, workload := range []string{"istiod", "istio-cni-node", "ztunnel", "suite"} {
				pod(t, all, workload)
			}
			assert.Len(t, all.all("CustomResourceDefinition"), 15)

			without := rendered(`{global: {profile: ambient}, gateway: {enabled: false}}`)
			assert.Less(t, len(without.docs), len(all.docs))
			for _, difference := range differences(all, without) {
				assert.Contains(t, difference, "/suite: only in the first")
			}
			// Values of a section belong to the chart under that name: cni is istio-cni here, and no key of istiod's.
			assert.Equal(t, "/opt/own/bin", hostPath(t, result{docs: rendered(`{cni: {cniBinDir: /opt/own/bin}}`).all("DaemonSet")[:1]}, "cni-bin-dir"))
		})
	}
}
