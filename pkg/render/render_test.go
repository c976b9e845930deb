package render_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stratamesh/strata/pkg/render"
)

var engines = []render.Engine{render.Helm3, render.Helm4}

func files() fstest.MapFS {
	return fstest.MapFS{
		"Chart.yaml":            {Data: []byte("apiVersion: v2\nname: toy\nversion: 1.2.3\nappVersion: \"9\"\nkubeVersion: \">=1.30.0-0\"\nannotations: {a: b}\n")},
		"values.yaml":           {Data: []byte("greeting: hello\ncount: 1\n")},
		"values.schema.json":    {Data: []byte(`{"type":"object","additionalProperties":false,"properties":{"greeting":{"type":"string"},"count":{"type":"integer"},"enabled":{},"global":{},"inner":{"properties":{"a/b~c":{"$ref":"#/$defs/deep%20one"}}}},"$defs":{"deep one":{"additionalProperties":false,"properties":{"depth":{}}}}}`)},
		".helmignore":           {Data: []byte("*.bak\nsecret/\n")},
		"templates/_helper.tpl": {Data: []byte(`{{ define "toy.x" }}x{{ end }}`)},
		"templates/a.yaml":      {Data: []byte("release: {{ .Release.Name }}\nnamespace: {{ .Release.Namespace }}\nupgrade: {{ .Release.IsUpgrade }}\ngreeting: {{ .Values.greeting }}\nkube: {{ .Capabilities.KubeVersion.Version }}\nhas: {{ .Capabilities.APIVersions.Has \"example.com/v1\" }}\n")},
		"templates/empty.yaml":  {Data: []byte("{{ if false }}x{{ end }}\n")},
		"templates/old.bak":     {Data: []byte("{{ broken")},
		"templates/NOTES.txt":   {Data: []byte("Thanks, {{ .Release.Name }}.")},
		"secret/key":            {Data: []byte("k")},
		"files/data":            {Data: []byte("d")},
	}
}

func TestRender(t *testing.T) {
	c, err := render.FS(files())
	require.NoError(t, err)
	assert.Equal(t, "toy", c.Name)
	assert.Equal(t, "1.2.3", c.Version)
	assert.Equal(t, "9", c.AppVersion)
	assert.Equal(t, map[string]string{"a": "b"}, c.Annotations)
	data, ok := c.File("files/data")
	assert.True(t, ok)
	assert.Equal(t, "d", string(data))
	_, ok = c.File("secret/key")
	assert.False(t, ok, ".helmignore names it")
	for _, engine := range engines {
		out, err := c.Render(engine, render.Options{Namespace: "n", KubeVersion: "v1.34.0", APIVersions: []string{"example.com/v1"}, IsUpgrade: true, Values: map[string]any{"greeting": "hi"}})
		require.NoError(t, err)
		assert.Equal(t, []render.File{{Name: "toy/templates/a.yaml", Text: "release: toy\nnamespace: n\nupgrade: true\ngreeting: hi\nkube: v1.34.0\nhas: true\n"}}, out.Files)
		assert.Equal(t, "Thanks, toy.", out.Notes)
		text, err := out.Manifest()
		require.NoError(t, err)
		assert.Equal(t, "---\n# Source: toy/templates/a.yaml\nrelease: toy\nnamespace: n\nupgrade: true\ngreeting: hi\nkube: v1.34.0\nhas: true\n", text)
	}
}

func TestRenderRefuses(t *testing.T) {
	c, err := render.FS(files())
	require.NoError(t, err)
	for _, engine := range engines {
		_, err := c.Render(engine, render.Options{Values: map[string]any{"count": "many"}})
		require.ErrorIs(t, err, render.ErrSchema)
		require.ErrorContains(t, err, "at '/count': got string, want integer")
		_, err = c.Render(engine, render.Options{Values: map[string]any{"greting": "hi", "elsewhere": 1, "inner": map[string]any{"a/b~c": map[string]any{"depht": 1}}}})
		require.ErrorContains(t, err, "additional properties")
		var refused *render.SchemaError
		require.ErrorAs(t, err, &refused)
		assert.ElementsMatch(t, []render.UnknownKey{
			{Chart: "toy", Path: []string{"greting"}, Known: []string{"count", "enabled", "global", "greeting", "inner"}},
			{Chart: "toy", Path: []string{"elsewhere"}, Known: []string{"count", "enabled", "global", "greeting", "inner"}},
			{Chart: "toy", Path: []string{"inner", "a/b~c", "depht"}, Known: []string{"depth"}},
		}, refused.Unknown)
		_, err = c.Render(engine, render.Options{KubeVersion: "v1.20.0"})
		require.ErrorContains(t, err, "kubeVersion")
		_, err = c.Render(engine, render.Options{KubeVersion: "one"})
		require.ErrorContains(t, err, `version of Kubernetes "one"`)
	}
	_, err = c.Render(render.Engine(2), render.Options{})
	require.ErrorContains(t, err, "no engine 2")
}

func TestLoadRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(fstest.MapFS)
		want   string
	}{
		"no Chart.yaml": {func(f fstest.MapFS) { delete(f, "Chart.yaml") }, "Chart.yaml file is missing"},
		"broken schema": {func(f fstest.MapFS) { f["values.schema.json"] = &fstest.MapFile{Data: []byte("{")} }, "values.schema.json"},
		"remote schema": {func(f fstest.MapFS) {
			f["values.schema.json"] = &fstest.MapFile{Data: []byte(`{"$ref":"https://example.com/s.json"}`)}
		}, "a schema must be complete in itself"},
		"broken values":     {func(f fstest.MapFS) { f["values.yaml"] = &fstest.MapFile{Data: []byte("a: [")} }, "values.yaml"},
		"broken helmignore": {func(f fstest.MapFS) { f[".helmignore"] = &fstest.MapFile{Data: []byte("**/x")} }, ".helmignore"},
	} {
		t.Run(name, func(t *testing.T) {
			f := files()
			tc.change(f)
			_, err := render.FS(f)
			require.ErrorContains(t, err, tc.want)
		})
	}
	_, err := render.Load("testdata/nowhere")
	require.ErrorContains(t, err, "testdata/nowhere")
	_, err = render.Archive(bytes.NewReader([]byte("no archive")))
	require.ErrorContains(t, err, "not a packaged chart")
}

func TestArchive(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for name, f := range files() {
		if name == "templates/old.bak" {
			continue
		}
		require.NoError(t, w.WriteHeader(&tar.Header{Name: "toy/" + name, Mode: 0o644, Size: int64(len(f.Data))}))
		_, err := w.Write(f.Data)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, z.Close())
	c, err := render.Archive(&b)
	require.NoError(t, err)
	out, err := c.Render(render.Helm4, render.Options{Release: "r"})
	require.NoError(t, err)
	assert.Len(t, out.Files, 1)
	assert.Equal(t, "Thanks, r.", out.Notes)
}

// A chart with dependencies can be rendered again and again, with other conditions: Helm changes it in place.
func TestDependencies(t *testing.T) {
	f := fstest.MapFS{
		"Chart.yaml":  {Data: []byte("apiVersion: v2\nname: parent\nversion: 0.1.0\ndependencies:\n- {name: toy, version: 1.2.3, alias: one, condition: one.enabled}\n- {name: toy, version: 1.2.3, alias: two}\n")},
		"values.yaml": {Data: []byte("two: {greeting: hey}\n")},
	}
	for name, file := range files() {
		if name != ".helmignore" && name != "templates/old.bak" {
			f["charts/toy/"+name] = file
		}
	}
	c, err := render.FS(f)
	require.NoError(t, err)
	var wait sync.WaitGroup
	for _, engine := range engines {
		for _, on := range []bool{true, false, true} {
			wait.Go(func() {
				out, err := c.Render(engine, render.Options{Values: map[string]any{"one": map[string]any{"enabled": on}}})
				assert.NoError(t, err)
				if out != nil {
					assert.Len(t, out.Files, map[bool]int{true: 2, false: 1}[on])
				}
			})
		}
	}
	wait.Wait()
	_, err = c.Render(render.Helm3, render.Options{Values: map[string]any{"two": map[string]any{"count": "many"}}})
	require.ErrorIs(t, err, render.ErrSchema)
	require.ErrorContains(t, err, "two:")
}

func TestOnly(t *testing.T) {
	chart, err := render.Load("../../manifests/charts/ztunnel")
	require.NoError(t, err)
	whole, err := chart.Render(render.Helm4, render.Options{})
	require.NoError(t, err)
	require.Greater(t, len(whole.Files), 1)
	for _, f := range whole.Files {
		require.Contains(t, chart.Templates(), f.Name)
		only, err := chart.Only(f.Name)
		require.NoError(t, err)
		for _, engine := range []render.Engine{render.Helm3, render.Helm4} {
			part, err := only.Render(engine, render.Options{})
			require.NoError(t, err)
			assert.Equal(t, []render.File{f}, part.Files)
		}
	}
	_, err = chart.Only("ztunnel/templates/nope.yaml")
	require.ErrorContains(t, err, "chart ztunnel: no template ztunnel/templates/nope.yaml")
	again, err := chart.Render(render.Helm3, render.Options{})
	require.NoError(t, err)
	assert.Equal(t, whole.Files, again.Files, "the chart itself is as it was")
}
