package cluster_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stratamesh/strata/test/cluster/api"
)

// writeUmbrella writes the umbrella chart of the documentation, and returns its folder.
func writeUmbrella(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	text := "apiVersion: v2\nname: mesh\nversion: 0.1.0\ndependencies:\n"
	for _, d := range [][2]string{{"base"}, {"istio-cni", "cni"}, {"istiod", "pilot"}, {"ztunnel"}, {"gateway", "ingress"}, {"gateway", "egress"}} {
		text += fmt.Sprintf("- name: %s\n  version: %s\n  repository: file://%s\n", d[0], chartVersion, chartPath(t, d[0]))
		if d[1] != "" {
			text += "  alias: " + d[1] + "\n"
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Chart.yaml"), []byte(text), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "values.yaml"), []byte(`
ingress: {name: istio-ingressgateway}
egress: {name: istio-egressgateway, service: {type: ClusterIP}}
`), 0o600))
	return dir
}

// chartVersion is any version of the charts.
const chartVersion = `">=0.0.0-0"`

// One release of an umbrella chart holds all charts, the gateway twice.
func TestUmbrella(t *testing.T) {
	t.Parallel()
	majors := []int{3, 4}
	if testing.Short() {
		majors = inTurn(0)
	}
	for _, major := range majors {
		t.Run(fmt.Sprintf("helm%d", major), func(t *testing.T) {
			t.Parallel()
			m := newMesh(t, major, fmt.Sprintf("umbrella helm%d", major), false, !testing.Short())
			chart := writeUmbrella(t)
			m.helm(t, major, "dependency", "build", chart)
			before, err := m.inventory(t.Context())
			require.NoError(t, err)
			crds := fmt.Sprintf("base.base.enableIstioConfigCRDs=%t", !testing.Short())
			run := func(t *testing.T, verb string, more ...string) map[api.Ref]*api.Object {
				t.Helper()
				objects := manifest(t, m.helm(t, major, append([]string{verb, "mesh", chart, "-n", "istio-system", "--wait", "--timeout", "120s", "-o", "json", "--set", crds}, more...)...))
				m.acceptStrictly(t, objects)
				m.podsReady(t, refs(objects))
				return m.settled(t, refs(objects))
			}
			var installed, there map[api.Ref]*api.Object
			m.phase(t, "install", func(t *testing.T) {
				installed = run(t, "install", "--set", "global.profile=ambient")
			})
			m.phase(t, "upgrade", func(t *testing.T) {
				there = run(t, "upgrade", checked, "--set", "global.profile=demo")
				sameObjects(t, installed, there)
			})
			m.phase(t, "back", func(t *testing.T) {
				got := run(t, "upgrade", checked, "--set", "global.profile=ambient")
				sameObjects(t, there, got)
				sameMeaning(t, installed, got)
				there = got
			})
			m.phase(t, "no change", func(t *testing.T) {
				untouched(t, there, run(t, "upgrade", checked, "--set", "global.profile=ambient"))
			})
			m.phase(t, "uninstall", func(t *testing.T) {
				m.helm(t, major, "uninstall", "mesh", "-n", "istio-system", "--wait", "--timeout", "90s")
				m.onlyCRDsLeft(t, before)
			})
		})
	}
}

// What Helm 3 installed, Helm 4 upgrades, rolls back and uninstalls.
func TestHelm4AfterHelm3(t *testing.T) {
	t.Parallel()
	from, to := layers{}, layers{profile: "ambient"}
	three := newMesh(t, 3, "helm3, then helm4", false, !testing.Short())
	w := three.world
	four := &mesh{w, 4, three.row, three.releases, three.flags}
	before, err := w.inventory(t.Context())
	require.NoError(t, err)
	var installed, there map[api.Ref]*api.Object
	three.phase(t, "install", func(t *testing.T) {
		installed = w.settled(t, three.do(t, "install", from))
	})
	four.phase(t, "upgrade", func(t *testing.T) {
		there = w.settled(t, four.do(t, "upgrade", to))
		sameObjects(t, installed, there)
	})
	four.phase(t, "no change", func(t *testing.T) {
		untouched(t, there, w.settled(t, four.do(t, "upgrade", to, checked)))
	})
	four.phase(t, "rollback", func(t *testing.T) {
		for _, r := range three.releases {
			w.helm(t, 4, "rollback", r.name, "1", "-n", r.namespace, "--wait", "--timeout", "90s")
		}
		sameMeaning(t, installed, w.settled(t, keys(installed)))
	})
	four.phase(t, "uninstall", func(t *testing.T) {
		for _, r := range three.releases {
			w.helm(t, 4, "uninstall", r.name, "-n", r.namespace, "--wait", "--timeout", "90s")
		}
		w.onlyCRDsLeft(t, before)
		assert.NotEmpty(t, before)
	})
}
