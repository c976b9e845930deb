package charts_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"github.com/stratamesh/strata/internal/values"
	"github.com/stratamesh/strata/pkg/profiles"
	"github.com/stratamesh/strata/pkg/render"
)

// matrixNamespace is none that a chart could name of its own accord.
const matrixNamespace = "mesh"

// A cell of the matrix is one input of a chart.
type cell struct {
	name   string
	values map[string]any
}

func (c cell) rendering(chartName string, engine render.Engine) rendering {
	return rendering{chart: chartName, engine: engine, Options: render.Options{Namespace: matrixNamespace, Values: c.values}}
}

// objects renders a cell.
func (c cell) objects(t testing.TB, chartName string, engine render.Engine) result {
	t.Helper()
	r, err := c.rendering(chartName, engine).objects(t)
	require.NoError(t, err, "%s %s", chartName, c.name)
	return r
}

// bases are the values before an overlay is chosen: none, and those that switch everything on.
func bases(t testing.TB, chartName string) []cell {
	t.Helper()
	data, err := os.ReadFile("testdata/rich/" + chartName + ".yaml")
	require.NoError(t, err)
	return []cell{{"defaults", map[string]any{}}, {"everything on", parse(t, string(data))}}
}

// matrix is every overlay over the defaults and over values that switch everything on, and variants of these. Templates see no more of an overlay
// than the merged values, so of overlays that give the same values one is enough.
func matrix(t testing.TB, chartName string) []cell {
	t.Helper()
	var out []cell
	rich := bases(t, chartName)[1].values
	for _, name := range sortedKeys(variants[chartName]) {
		merged, err := profiles.Merge(rich, parse(t, variants[chartName][name]))
		require.NoError(t, err)
		out = append(out, cell{name, merged})
	}
	seen := map[string]bool{}
	merge := merger(t, chartName)
	for _, base := range bases(t, chartName) {
		for _, o := range append([]overlay{{}}, overlays(t, chartName)...) {
			if raceEnabled && o.name != "" && (base.name != "defaults" || o.selector == "compatibilityVersion" || len(o.leavesFor(t, chartName)) == 0) {
				continue // for the time it takes
			}
			c := cell{base.name, values.Copy(base.values)}
			if o.name != "" {
				c.name += " with " + o.name
				c.values[o.selector] = o.value
			}
			if key := merge(c.values); !seen[key] {
				seen[key] = true
				out = append(out, c)
			}
		}
	}
	return out
}

// variants are values on top of those that switch everything on: the other side of a choice.
var variants = map[string]map[string]string{
	"base":      {"a validator in the cluster": `{base: {validationURL: "", validationCABundle: ""}, defaultRevision: default}`},
	"istio-cni": {"a network of its own": `{ambient: {shareHostNetworkNamespace: false}, provider: default}`},
	"istiod": {
		"remote, by host name":    `{istiodRemote: {enabledLocalInjectorIstiod: false}, global: {remotePilotAddress: istiod.example.com}}`,
		"remote, by IPv6 address": `{istiodRemote: {enabledLocalInjectorIstiod: false, injectionURL: ""}, global: {configCluster: false, remotePilotAddress: "2001:db8::1"}}`,
		"no revision":             `{revision: "", base: {validationURL: ""}, pdb: {maxUnavailable: 1, minAvailable: null}}`,
		"no autoscaler":           `{autoscaleEnabled: false}`,
	},
	"ztunnel": {"trust bundles": `{env: {ENABLE_CLUSTER_TRUST_BUNDLE_API: true}, caAddress: "", xdsAddress: ""}`},
	"gateway": {
		"a DaemonSet":            `{kind: DaemonSet, podDisruptionBudget: {minAvailable: 1}}`,
		"no autoscaler":          `{autoscaling: {enabled: false}}`,
		"no east-west gateway":   `{networkGateway: ""}`,
		"no Service, no account": `{service: {type: None}, serviceAccount: {create: false, name: ""}}`,
	},
}

// merger returns a function for the values that templates read, as text: those of keys that the chart knows, and without
// the names of layers that no template asks for.
func merger(t testing.TB, chartName string) func(explicit map[string]any) string {
	t.Helper()
	known := schemas(t, chartName)
	unread := []string{"profile", "compatibilityVersion"}
	if !slices.ContainsFunc(filesIn(t, chartName, "templates"), func(file string) bool {
		return strings.Contains(string(files(t, chartName)[file].Data), "Values.platform")
	}) {
		unread = append(unread, "platform")
	}
	return func(explicit map[string]any) string {
		in := input(t, chartName)
		in.Explicit = []profiles.Document{{Values: explicit}}
		got, err := profiles.Compute(in)
		require.NoError(t, err)
		maps.DeleteFunc(got.Values, func(key string, _ any) bool { return !known.knows(key) || slices.Contains(unread, key) })
		if global, ok := got.Values["global"].(map[string]any); ok {
			maps.DeleteFunc(global, func(key string, _ any) bool {
				return at(known.own(), "global", "properties", key) == nil || slices.Contains(unread, key)
			})
		}
		text, err := json.Marshal(got.Values)
		require.NoError(t, err)
		return string(text)
	}
}

// Over all charts, overlays and values: Helm 3 and Helm 4 give the same text, every object is one that Kubernetes takes
// without a warning, and nothing contradicts a controller.
func TestEveryRender(t *testing.T) {
	t.Parallel()
	for _, name := range chartNames {
		cells := matrix(t, name)
		t.Logf("%s: %d inputs", name, len(cells))
		for n, c := range cells {
			t.Run(name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				if raceEnabled && strings.Contains(c.name, " with ") {
					requireSound(t, c.objects(t, name, engines[n%2]))
					return
				}
				first := c.objects(t, name, engines[0])
				requireSound(t, first)
				second := c.objects(t, name, engines[1])
				assert.Empty(t, differences(first, second), "the engines")
				assert.Equal(t, first.notes, second.notes)
			})
		}
	}
}

// The same with the long texts that the charts copy, CRDs and injection templates.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"base", "istiod"} {
		var results []result
		for _, engine := range engines {
			r := cell{}.rendering(name, engine)
			r.loaded = wholeChart(t, name)
			out, err := r.run(t)
			require.NoError(t, err)
			got, err := read(out)
			require.NoError(t, err)
			results = append(results, got)
		}
		assert.Empty(t, differences(results[0], results[1]), "the engines")
		requireSound(t, results[0])
	}
}

// requireSound demands that nothing is wrong with a render.
func requireSound(t testing.TB, r result) {
	t.Helper()
	require.NotEmpty(t, r.docs)
	require.Empty(t, r.faults(t))
	requireNone(t, r.notes, unclear)
}

// faults lists what is wrong with a render.
func (r result) faults(t testing.TB) []string {
	t.Helper()
	var out []string
	ids := map[string]bool{}
	for _, d := range r.docs {
		if ids[d.id()] {
			out = append(out, d.id()+": twice")
		}
		ids[d.id()] = true
		out = append(out, d.faults()...)
	}
	for _, d := range r.all("HorizontalPodAutoscaler") {
		autoscaler, err := strict[autoscalingv2.HorizontalPodAutoscaler](d.object)
		require.NoError(t, err)
		target := autoscaler.Spec.ScaleTargetRef
		scaled := slices.DeleteFunc(r.all(target.Kind), func(d *document) bool { return d.name() != target.Name })
		if len(scaled) != 1 {
			out = append(out, d.id()+": nothing to scale")
		}
		for _, w := range scaled {
			if at(w.object, "spec", "replicas") != nil {
				out = append(out, w.id()+": replicas under an autoscaler")
			}
		}
	}
	return out
}

// Two renders of one input are equal byte for byte, whatever was rendered between them.
func TestRendersRepeat(t *testing.T) {
	t.Parallel()
	if raceEnabled {
		t.Skip("for the time it takes: that two engines give one text shows it as well")
	}
	for n, name := range chartNames {
		for m, c := range bases(t, name) {
			for _, engine := range inTurn(n + m) {
				t.Run(fmt.Sprintf("%s/%s/%s", name, c.name, engine), func(t *testing.T) {
					t.Parallel()
					before := c.objects(t, name, engine)
					out, err := c.rendering(name, engine).run(t)
					require.NoError(t, err)
					after, err := read(out)
					require.NoError(t, err)
					assert.True(t, before.text == after.text, "%v", differences(before, after))
					assert.Equal(t, before.notes, after.notes)
				})
			}
		}
	}
}

// untried are documented keys that the values which switch everything on leave out.
var untried = map[string][]string{
	// Selectors are the other side of the matrix, and resourceScope has a test of its own.
	"": {"profile", "platform", "compatibilityVersion", "resourceScope", "global.profile", "global.platform", "global.compatibilityVersion", "global.resourceScope"},
	// The other side of a choice of two.
	"istiod": {"pdb.maxUnavailable"},
}

// unrendered are templates that render nothing for these values: the other kind of workload, and what is for OpenShift.
var unrendered = map[string][]string{
	"gateway": {"templates/daemonset.yaml"},
	"ztunnel": {"templates/clusterrole.yaml", "templates/clusterrolebinding.yaml"},
}

// The values that switch everything on hold every key that the chart documents, and every template renders for them: what
// a chart learns has to be tried.
func TestEverythingIsTried(t *testing.T) {
	t.Parallel()
	for _, name := range chartNames {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rich := bases(t, name)[1]
			for _, path := range schemas(t, name).paths(0) {
				key := strings.Join(path, ".")
				_, found := values.Get(rich.values, path)
				assert.Equal(t, !slices.Contains(untried[""], key) && !slices.Contains(untried[name], key), found, key)
			}
			var rendered []string
			for _, d := range rich.objects(t, name, engines[0]).docs {
				rendered = append(rendered, strings.TrimPrefix(d.template, name+"/"))
			}
			for _, file := range filesIn(t, name, "templates") {
				if strings.HasSuffix(file, ".yaml") {
					assert.Equal(t, !slices.Contains(unrendered[name], file), slices.Contains(rendered, file), file)
				}
			}
		})
	}
}
