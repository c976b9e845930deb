// Package overlay_test runs the in-chart engine through the real engines of Helm 3 and Helm 4 and compares it with
// package profiles: on the cases that both state, and on generated inputs.
package overlay_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	helm4loader "helm.sh/helm/v4/pkg/chart/v2/loader"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/stratamesh/strata/internal/overlay"
	"github.com/stratamesh/strata/internal/values"
	"github.com/stratamesh/strata/pkg/profiles"
	"github.com/stratamesh/strata/pkg/profiles/load"
	"github.com/stratamesh/strata/pkg/render"
)

var engines = []render.Engine{render.Helm3, render.Helm4}

// An outcome is what a chart with nothing but the engine prints.
type outcome struct {
	Values   json.RawMessage `json:"values"`
	Layers   []string        `json:"layers"`
	Warnings []string        `json:"warnings"`
}

const printer = `{{- include "toy.overlay" . -}}
{{ dict "values" (omit .Values "_overlay") "layers" .Values._overlay.layers "warnings" .Values._overlay.warnings | toJson }}`

// toy makes a chart out of the engine: its particulars, defaults and overlay files.
func toy(t require.TestingT, chart profiles.Chart, defaults map[string]any, files map[string]map[string]any, templates map[string]string) *render.Chart {
	source, err := os.ReadFile("../../manifests/overlay/overlay.tpl")
	require.NoError(t, err)
	engine, err := overlay.Engine(string(source), "toy", defaults)
	require.NoError(t, err)
	fsys := fstest.MapFS{"templates/_overlay.tpl": {Data: []byte(engine)}}
	put := func(name string, content any) {
		text, err := yaml.Marshal(content)
		require.NoError(t, err)
		fsys[name] = &fstest.MapFile{Data: text}
	}
	put("Chart.yaml", map[string]any{"apiVersion": "v2", "name": "toy", "version": "0.1.0", "annotations": map[string]any{
		"stratamesh.io/section":         chart.Section,
		"stratamesh.io/sections":        strings.Join(chart.Sections, ","),
		"stratamesh.io/flatten-globals": strings.Join(chart.FlattenGlobals, ","),
	}})
	put("values.yaml", map[string]any{"defaults": defaults})
	for name, content := range files {
		put("files/profiles/"+name+".yaml", content)
	}
	for name, text := range templates {
		fsys["templates/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	c, err := render.FS(fsys)
	require.NoError(t, err)
	return c
}

// reread returns values as a YAML file gives them: -0 is 0 there.
func reread(t require.TestingT, m map[string]any) map[string]any {
	text, err := yaml.Marshal(m)
	require.NoError(t, err)
	out := map[string]any{}
	require.NoError(t, yaml.Unmarshal(text, &out))
	return out
}

func run(t require.TestingT, c *render.Chart, engine render.Engine, explicit map[string]any) (outcome, error) {
	out, err := c.Render(engine, render.Options{Values: explicit})
	if err != nil {
		return outcome{}, err
	}
	require.Len(t, out.Files, 1)
	var o outcome
	require.NoError(t, json.Unmarshal([]byte(out.Files[0].Text), &o), out.Files[0].Text)
	return o, nil
}

func layerNames(layers []profiles.Layer) []string {
	out := []string{}
	for _, l := range layers {
		out = append(out, l.String())
	}
	return out
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func TestEngineLayerCases(t *testing.T) {
	for _, c := range values.LayerCases(t) {
		chart := profiles.Chart{Section: c.Chart.Section, Sections: c.Chart.Sections, FlattenGlobals: c.Chart.FlattenGlobals}
		toy := toy(t, chart, values.NotNil(c.Defaults), c.Catalog, map[string]string{"values.yaml": printer})
		for _, engine := range engines {
			t.Run(c.Name+"/"+engine.String(), func(t *testing.T) {
				got, err := run(t, toy, engine, c.Explicit)
				if c.Error != "" {
					require.Error(t, err)
					for _, line := range strings.Split(c.Error, "\n") {
						require.ErrorContains(t, err, line)
					}
					return
				}
				require.NoError(t, err)
				want, err := json.Marshal(c.Want)
				require.NoError(t, err)
				assert.Equal(t, string(want), string(got.Values))
				assert.Equal(t, orEmpty(c.Order), got.Layers)
				assert.Equal(t, orEmpty(c.Warnings), got.Warnings)
			})
		}
	}
}

func TestEngineMergeCases(t *testing.T) {
	for _, c := range values.MergeCases(t) {
		// The lower map is a profile, since defaults may hold no null and are compared with what ships.
		toy := toy(t, profiles.Chart{}, map[string]any{}, map[string]map[string]any{"p": c.Lower}, map[string]string{"values.yaml": printer})
		for _, engine := range engines {
			t.Run(c.Name+"/"+engine.String(), func(t *testing.T) {
				explicit := values.Copy(c.Upper)
				explicit["profile"] = "p"
				got, err := run(t, toy, engine, explicit)
				if c.Error != "" {
					require.ErrorContains(t, err, c.Error)
					return
				}
				require.NoError(t, err)
				c.Want["profile"] = "p"
				want, err := json.Marshal(c.Want)
				require.NoError(t, err)
				assert.Equal(t, string(want), string(got.Values))
			})
		}
	}
}

// For every input the library and the engine give the same values, layers and warnings, or both refuse it.
func TestEngineEqualsLibrary(t *testing.T) {
	names := []string{"p", "q", "compatibility-version-1.30", "platform-x", "platform-z"}
	keys := []string{"a", "b", "c", "m", "own", "other", "global"}
	selector := func(kind string) *rapid.Generator[any] {
		switch kind {
		case "profile":
			return rapid.SampledFrom([]any{"p", "q", "p+q", "q + p", []any{"q", "p"}, "", nil, "platform-x", "nope", 1.0, "p+"})
		case "platform":
			return rapid.SampledFrom([]any{"x", "z", "", nil, "nope", []any{"x"}})
		}
		return rapid.SampledFrom([]any{"1.30", "", nil, 1.3, "9"})
	}
	rapid.Check(t, func(t *rapid.T) {
		options := values.Options{Null: true, Keys: keys}
		if rapid.IntRange(0, 3).Draw(t, "conflicts") > 0 {
			options.Maps = []string{"m", "c", "own", "other", "global"}
		}
		layer := values.Map(options)
		withSelectors := func(m map[string]any, chance int, label string) map[string]any {
			for _, kind := range []string{"profile", "platform", "compatibilityVersion"} {
				if rapid.IntRange(0, 9).Draw(t, label+kind) < chance {
					path := []string{kind}
					if rapid.Bool().Draw(t, "under global") {
						path = []string{"global", kind}
					}
					values.Set(m, path, selector(kind).Draw(t, label+kind))
				}
			}
			return m
		}
		files := map[string]map[string]any{}
		for _, name := range names {
			files[name] = withSelectors(layer.Draw(t, name), 1, name)
		}
		chart := profiles.Chart{Section: "own", Sections: []string{"own", "other"}, FlattenGlobals: []string{"a", "m"}}
		plain := options
		plain.Null = false
		defaults := reread(t, values.Map(plain).Draw(t, "defaults"))
		explicit := []profiles.Document{{Source: "first.yaml", Values: withSelectors(layer.Draw(t, "first"), 6, "first")}}
		merged := explicit[0].Values
		if rapid.Bool().Draw(t, "two files") {
			explicit = append(explicit, profiles.Document{Source: "second.yaml", Values: withSelectors(layer.Draw(t, "second"), 3, "second")})
			merged = helm4loader.MergeMaps(values.Copy(explicit[0].Values), values.Copy(explicit[1].Values))
		}

		fsys := fstest.MapFS{}
		for name, content := range files {
			text, err := yaml.Marshal(content)
			require.NoError(t, err)
			fsys[name+".yaml"] = &fstest.MapFile{Data: text}
		}
		catalog, err := load.FS(fsys, "profiles")
		require.NoError(t, err)
		want, wantErr := profiles.Compute(profiles.Input{Chart: chart, Defaults: profiles.Document{Values: defaults}, Catalog: catalog, Explicit: explicit})

		c := toy(t, chart, defaults, files, map[string]string{"values.yaml": printer})
		for _, engine := range engines {
			got, err := run(t, c, engine, merged)
			if wantErr != nil {
				require.Error(t, err, "%s: the library says %v", engine, wantErr)
				continue
			}
			require.NoError(t, err, engine)
			text, err := json.Marshal(want.Values)
			require.NoError(t, err)
			require.Equal(t, string(text), string(got.Values), engine)
			require.Equal(t, layerNames(want.Layers), got.Layers, engine)
			require.Equal(t, orEmpty(want.Warnings), got.Warnings, engine)
		}
	})
}

// The engine runs whichever template Helm happens to execute first, and only once.
func TestEngineDependsOnNoOrder(t *testing.T) {
	use := `{{- include "toy.overlay" . -}}{{ toJson .Values }}`
	c := toy(t, profiles.Chart{}, map[string]any{"a": 1.0}, map[string]map[string]any{"p": {"b": 2.0}}, map[string]string{
		"a.yaml": use, "z.yaml": use, "sub/folder/m.yaml": use, "NOTES.txt": use,
	})
	for _, engine := range engines {
		out, err := c.Render(engine, render.Options{Values: map[string]any{"profile": "p", "a": 3.0}})
		require.NoError(t, err)
		require.Len(t, out.Files, 3)
		for _, f := range out.Files {
			assert.JSONEq(t, `{"_overlay":{"layers":["profile p"],"warnings":[],"explicit":{"a":3,"profile":"p"},"keys":["a"],"globals":[]},"a":3,"b":2,"profile":"p"}`, f.Text, f.Name)
		}
		assert.JSONEq(t, out.Files[0].Text, out.Notes)
	}
}

// Defaults that are not the chart's own are refused, with the flag to use where an upgrade brought them along.
func TestEngineRefusesForeignDefaults(t *testing.T) {
	c := toy(t, profiles.Chart{}, map[string]any{"a": 1.0, "m": map[string]any{"b": 1.0}}, nil, map[string]string{"values.yaml": printer})
	for _, tc := range []struct {
		name     string
		explicit map[string]any
		upgrade  bool
		want     string
	}{
		{"a known key", map[string]any{"defaults": map[string]any{"a": 2.0}}, false, "defaults.a: the chart's defaults are not for users; set a instead"},
		{"a nested key", map[string]any{"defaults": map[string]any{"m": map[string]any{"b": 2.0}}}, false, "defaults.m.b: the chart's defaults are not for users; set m.b instead"},
		{"an unknown key", map[string]any{"defaults": map[string]any{"z": 2.0}}, false, "defaults.z: the chart's defaults are not for users; set z instead"},
		{"a key taken away", map[string]any{"defaults": map[string]any{"a": nil}}, false, "defaults.a: the chart's defaults are not for users; set a instead"},
		{"all taken away", map[string]any{"defaults": nil}, false, "defaults: the chart's own defaults are missing; do not set this key"},
		{"an older chart's", map[string]any{"defaults": map[string]any{"old": 2.0}}, true, "defaults.old: the chart's defaults are not for users; set old instead; if helm upgrade --reuse-values brought the defaults of another chart version, use --reset-then-reuse-values"},
		{"upstream's", map[string]any{"_internal_defaults_do_not_set": map[string]any{"hub": "x"}}, true, "_internal_defaults_do_not_set: these are the defaults of another chart; upgrade with --reset-then-reuse-values"},
	} {
		for _, engine := range engines {
			t.Run(fmt.Sprint(tc.name, "/", engine), func(t *testing.T) {
				_, err := c.Render(engine, render.Options{Values: tc.explicit, IsUpgrade: tc.upgrade})
				require.ErrorContains(t, err, tc.want)
			})
		}
	}
}

func TestEngineNamesFileAndLineOfABrokenProfile(t *testing.T) {
	source, err := os.ReadFile("../../manifests/overlay/overlay.tpl")
	require.NoError(t, err)
	engine, err := overlay.Engine(string(source), "toy", map[string]any{})
	require.NoError(t, err)
	c, err := render.FS(fstest.MapFS{
		"Chart.yaml":                 {Data: []byte("{apiVersion: v2, name: toy, version: 0.1.0}")},
		"values.yaml":                {Data: []byte("defaults: {}")},
		"templates/_overlay.tpl":     {Data: []byte(engine)},
		"templates/values.yaml":      {Data: []byte(printer)},
		"files/profiles/broken.yaml": {Data: []byte("a: [\nb: 1\n")},
		"files/profiles/list.yaml":   {Data: []byte("- a\n")},
	})
	require.NoError(t, err)
	for _, engine := range engines {
		_, err := c.Render(engine, render.Options{Values: map[string]any{"profile": "broken"}})
		require.ErrorContains(t, err, "files/profiles/broken.yaml:2: cannot be read")
		_, err = c.Render(engine, render.Options{Values: map[string]any{"profile": "list"}})
		require.ErrorContains(t, err, "files/profiles/list.yaml: cannot be read: a values file is a map")
	}
}
