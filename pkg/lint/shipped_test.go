package lint_test

import (
	"encoding/json"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stratamesh/strata/internal/values"
	"github.com/stratamesh/strata/pkg/lint"
	"github.com/stratamesh/strata/pkg/profiles"
	"github.com/stratamesh/strata/pkg/profiles/load"
	"github.com/stratamesh/strata/pkg/render"
)

// shipped are the files of all profiles, platforms and compatibility versions.
func shipped(t *testing.T) []string {
	entries, err := os.ReadDir("../../manifests/profiles")
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	require.Greater(t, len(names), 15)
	return names
}

func TestShippedLayersAreClean(t *testing.T) {
	in := input(t)
	for _, name := range shipped(t) {
		text, err := os.ReadFile(path.Join("../../manifests/profiles", name))
		require.NoError(t, err)
		document, err := lint.Parse(name, text)
		require.NoError(t, err)
		in.Profiles = append(in.Profiles, lint.Profile{Layer: load.LayerOf(name), Document: document})
	}
	findings, err := lint.Run(in)
	require.NoError(t, err)
	assert.Empty(t, written(findings))
}

// A user who selects a shipped layer and nothing else hears nothing. Only profile remote needs more: where the control plane is.
func TestShippedSelectionsAreClean(t *testing.T) {
	for _, name := range shipped(t) {
		layer := load.LayerOf(name)
		in := input(t)
		in.Explicit = []lint.Document{flags("flags", map[string]any{string(layer.Kind): layer.Name})}
		findings, err := lint.Run(in)
		require.NoError(t, err)
		if layer == (profiles.Layer{Kind: profiles.KindProfile, Name: "remote"}) {
			require.Len(t, findings, 1)
			assert.Equal(t, "remote-without-address", findings[0].Rule)
			continue
		}
		assert.Empty(t, written(findings), name)
	}
}

// Each chart with profile and platform together, as the whole suite is installed.
func TestShippedPairsAreClean(t *testing.T) {
	for _, profile := range []string{"ambient", "demo", "gitops", "ambient+gitops"} {
		for _, platform := range []string{"gke", "k3d", "k3s", "microk8s", "minikube", "openshift"} {
			in := input(t)
			in.Explicit = []lint.Document{flags("flags", map[string]any{"profile": profile, "platform": platform, "compatibilityVersion": "1.27"})}
			findings, err := lint.Run(in)
			require.NoError(t, err)
			assert.Empty(t, written(findings), "%s on %s", profile, platform)
		}
	}
}

// unread are the values that the charts know and no template of theirs reads. A new one is a fault, of the chart or of the analysis.
var unread = map[string][]string{
	"base": {
		"base.enableCRDTemplates", // accepted; the notes say so
	},
	"istio-cni": {
		"cni.ambient.configDir",     // accepted
		"cni.repair.hub",            // accepted
		"cni.repair.tag",            // accepted
		"cni.useAppArmorAnnotation", // accepted
	},
	"istiod": {
		"pilot.base.enableIstioConfigCRDs", // for the chart base
	},
	"ztunnel": {},
	"gateway": {},
}

// everything is a document that sets each value of a chart, in its own spelling.
func everything(t *testing.T, chart string, section string) map[string]any {
	texts, err := files(chart)
	require.NoError(t, err)
	var schema struct {
		Properties map[string]map[string]any `json:"properties"`
	}
	require.NoError(t, json.Unmarshal(texts["values.schema.json"], &schema))
	all := map[string]any{}
	var fill func(into, schema map[string]any)
	fill = func(into, schema map[string]any) {
		properties, _ := schema["properties"].(map[string]any)
		for key, inner := range properties {
			inner := inner.(map[string]any)
			if inner["properties"] != nil {
				below := map[string]any{}
				into[key] = below
				fill(below, inner)
				continue
			}
			into[key] = sample(inner)
		}
	}
	fill(all, schema.Properties["defaults"])
	for _, selector := range []string{"profile", "platform", "compatibilityVersion"} {
		delete(all, selector)
		delete(all["global"].(map[string]any), selector)
	}
	if section != "" {
		return map[string]any{section: all}
	}
	return all
}

// sample is a value that a schema allows.
func sample(schema map[string]any) any {
	if allowed, ok := schema["enum"].([]any); ok {
		return allowed[0]
	}
	types, _ := schema["type"].([]any)
	if len(types) == 0 {
		return map[string]any{}
	}
	return map[string]any{
		"string": "text", "boolean": true, "integer": 1.0, "number": 1.0, "array": []any{}, "object": map[string]any{},
	}[types[0].(string)]
}

func TestUnreadValues(t *testing.T) {
	charts, err := suite()
	require.NoError(t, err)
	for _, chart := range charts {
		in := input(t)
		in.Explicit = []lint.Document{flags("flags", everything(t, chart.Name, chart.Input.Chart.Section))}
		findings, err := lint.Run(in)
		require.NoError(t, err)
		var got []string
		for _, f := range findings {
			assert.NotEqual(t, "unknown-key", f.Rule, f.Message)
			if f.Rule == "unread-key" {
				got = append(got, f.Path)
			}
		}
		slices.Sort(got)
		assert.ElementsMatch(t, unread[chart.Name], got, chart.Name)
	}
}

// What is said to be unread changes nothing in the objects.
func TestUnreadValuesChangeNothing(t *testing.T) {
	changed := 0
	for name, paths := range unread {
		if len(paths) == 0 {
			continue
		}
		chart, err := render.Load(chartFolder + name)
		require.NoError(t, err)
		objects := func(explicit map[string]any) []render.File {
			out, err := chart.Render(render.Helm4, render.Options{Values: explicit})
			require.NoError(t, err)
			// The record of the values, which nobody reads, has them all.
			return slices.DeleteFunc(out.Files, func(f render.File) bool {
				return strings.HasSuffix(f.Name, "configmap-values.yaml") || strings.HasSuffix(f.Name, "configmap-sidecar-injector.yaml")
			})
		}
		want := objects(nil)
		for _, text := range paths {
			at, err := profiles.ParsePath(text)
			require.NoError(t, err)
			for _, value := range []any{true, false, "other", map[string]any{"requests": map[string]any{"cpu": "1"}}} {
				explicit := map[string]any{}
				values.Set(explicit, at, value)
				out, err := chart.Render(render.Helm4, render.Options{Values: explicit})
				if err != nil {
					continue // of another type
				}
				require.NotEmpty(t, out.Files)
				assert.Equal(t, want, objects(explicit), "%s=%v", text, value)
				changed++
			}
		}
	}
	assert.Greater(t, changed, 6)
}
