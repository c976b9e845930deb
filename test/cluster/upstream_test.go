package cluster_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stratamesh/strata/test/cluster/api"
)

// upstreamCharts is the folder of the upstream charts, in the Go module of Istio that the istiod of these tests is built from.
var upstreamCharts = sync.OnceValues(func() (string, error) {
	dir, err := root()
	if err != nil {
		return "", err
	}
	command := exec.Command("go", "mod", "download", "-json", "istio.io/istio")
	command.Dir = filepath.Join(dir, "test", "cluster", "tools", "istiod")
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", command, err, out)
	}
	var module struct{ Dir string }
	err = json.Unmarshal(out, &module)
	return filepath.Join(module.Dir, "manifests", "charts"), err
})

// upstreamPath is where upstream keeps a chart of ours.
func upstreamPath(t *testing.T, name string) string {
	t.Helper()
	dir, err := upstreamCharts()
	require.NoError(t, err)
	if name == "istiod" {
		name = filepath.Join("istio-control", "istio-discovery")
	}
	return filepath.Join(dir, name)
}

// Releases of the upstream charts go over to these charts with one flag, and back: no object is lost or made anew, and no field is
// refused as immutable.
func TestFromUpstream(t *testing.T) {
	t.Parallel()
	for n, c := range []struct {
		layers
		majors []int
	}{
		{layers{}, []int{4, 3}},
		{layers{platform: "openshift"}, []int{3}},
		{layers{profile: "ambient"}, []int{4}},
	} {
		if testing.Short() {
			if c.majors = c.majors[:1]; n > 1 {
				continue
			}
		}
		for _, major := range c.majors {
			t.Run(fmt.Sprintf("%s/helm%d", c.layers, major), func(t *testing.T) {
				t.Parallel()
				newMesh(t, major, fmt.Sprintf("from upstream: %s helm%d", c.layers, major), c.openshift(), true).fromUpstream(t, c.layers)
			})
		}
	}
}

func (m *mesh) fromUpstream(t *testing.T, l layers) {
	if l.openshift() {
		m.openshift(t)
	}
	before, err := m.inventory(t.Context())
	require.NoError(t, err)
	var theirs, ours map[api.Ref]*api.Object
	var names []api.Ref
	m.phase(t, "install", func(t *testing.T) {
		for _, r := range m.releases {
			// Warnings of the upstream charts are theirs.
			result := m.tryHelm(t, m.major, append([]string{"install", r.name, upstreamPath(t, r.chart), "-n", r.namespace, "--wait", "--timeout", "90s", "-o", "json"}, l.arguments(m.world)...)...)
			require.Zero(t, result.Code, result.Stderr)
			names = append(names, refs(manifest(t, result))...)
		}
		names = m.named(t, names)
		theirs = m.settled(t, names)
	})
	m.phase(t, "reuse refused", func(t *testing.T) {
		// The one wrong way is refused, and writes nothing.
		for _, r := range m.releases[1:] {
			result := m.tryHelm(t, m.major, "upgrade", r.name, chartPath(t, r.chart), "-n", r.namespace, "--reuse-values")
			assert.NotZero(t, result.Code)
			assert.Contains(t, result.Stderr, "--reset-then-reuse-values")
		}
		untouched(t, theirs, m.live(t, names))
	})
	m.phase(t, "upgrade", func(t *testing.T) {
		var now []api.Ref
		for _, r := range m.releases {
			result := m.helm(t, m.major, "upgrade", r.name, chartPath(t, r.chart), "-n", r.namespace, "--reset-then-reuse-values", "--wait", "--timeout", "90s", "-o", "json")
			objects := manifest(t, result)
			m.acceptStrictly(t, objects)
			now = append(now, refs(objects)...)
		}
		ours = m.settled(t, now)
		for r := range theirs {
			assert.NotNil(t, ours[r], "%s is lost", r)
		}
		sameObjects(t, theirs, ours)
		m.podsReady(t, now)
	})
	m.phase(t, "no change", func(t *testing.T) {
		for _, r := range m.releases {
			m.helm(t, m.major, "upgrade", r.name, chartPath(t, r.chart), "-n", r.namespace, "--reset-then-reuse-values", "--wait", "--timeout", "90s", checked)
		}
		untouched(t, ours, m.settled(t, keys(ours)))
	})
	m.phase(t, "rollback", func(t *testing.T) {
		for _, r := range slices.Backward(m.releases) {
			arguments := []string{"rollback", r.name, "1", "-n", r.namespace, "--wait", "--timeout", "90s"}
			if m.major == 4 {
				// The first revision sets failurePolicy, which is istiod's by now.
				arguments = append(arguments, "--force-conflicts")
			}
			result := m.tryHelm(t, m.major, arguments...)
			require.Zero(t, result.Code, result.Stderr)
		}
		got := m.settled(t, names)
		sameObjects(t, ours, got)
		sameMeaning(t, theirs, got)
	})
	m.phase(t, "uninstall", func(t *testing.T) {
		for _, r := range slices.Backward(m.releases) {
			m.helm(t, m.major, "uninstall", r.name, "-n", r.namespace, "--wait", "--timeout", "90s")
		}
		m.onlyCRDsLeft(t, before)
	})
}

// named completes the names of objects that say no namespace: theirs is the one in which Helm made them. An object that is in none
// of the namespaces of the releases is one of the cluster.
func (m *mesh) named(t *testing.T, names []api.Ref) []api.Ref {
	t.Helper()
	var complete []api.Ref
	for _, r := range names {
		if r.Namespace == "" {
			for _, release := range m.releases {
				inside := r
				inside.Namespace = release.namespace
				o, err := m.client.Get(t.Context(), inside)
				if err == nil {
					r = api.RefOf(o)
					break
				}
				if !api.IsNotFound(err) && !strings.Contains(err.Error(), "could not find") {
					require.NoError(t, err)
				}
			}
		}
		complete = append(complete, r)
	}
	return complete
}
