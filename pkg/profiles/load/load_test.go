package load_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	helm4loader "helm.sh/helm/v4/pkg/chart/v2/loader"
	"sigs.k8s.io/yaml"

	"github.com/stratamesh/strata/pkg/profiles"
	"github.com/stratamesh/strata/pkg/profiles/load"
)

func TestParseTakesHelmsTypes(t *testing.T) {
	d, err := load.Parse("v.yaml", []byte("on: yes\nversion: 1.30\nmode: 0777\nbig: 10485760\ntext: \"1.30\"\ndate: 2001-01-01\ntwice: 1\ntwice: 2\n"))
	require.NoError(t, err)
	assert.Equal(t, map[string]any{
		"true": true, "version": 1.3, "mode": 511.0, "big": 10485760.0, "text": "1.30", "date": "2001-01-01", "twice": 2.0,
	}, d.Values)
	assert.Equal(t, 1, d.Positions.Keys["true"].Line, "an unquoted on is the key true")
	assert.Equal(t, 8, d.Positions.Keys["twice"].Line, "the last of two equal keys wins")
}

func TestParsePositions(t *testing.T) {
	d, err := load.Parse("v.yaml", []byte(`# comment
base: &base
  a: 1
  b: {c: 2}
mine:
  <<: *base
  "quoted.key": x
again: *base
list:
  - a: 1
`))
	require.NoError(t, err)
	at := func(path ...string) [2]int {
		p := d.Positions
		for _, key := range path {
			p = p.Keys[key]
			require.NotNil(t, p, "%v", path)
		}
		return [2]int{p.Line, p.Column}
	}
	assert.Equal(t, [2]int{2, 1}, at("base"))
	assert.Equal(t, [2]int{4, 7}, at("base", "b", "c"))
	assert.Equal(t, [2]int{7, 3}, at("mine", "quoted.key"))
	assert.Equal(t, [2]int{3, 3}, at("mine", "a"), "a merged key stands where its anchor has it")
	assert.Equal(t, [2]int{4, 3}, at("again", "b"))
	assert.Equal(t, [2]int{9, 1}, at("list"))
}

func TestParseNothing(t *testing.T) {
	for _, text := range []string{"", "\n", "# only a comment\n", "---\n", "null\n", "{}\n"} {
		d, err := load.Parse("v.yaml", []byte(text))
		require.NoError(t, err, "%q", text)
		assert.Empty(t, d.Values)
		assert.NotNil(t, d.Values)
	}
}

func TestParseErrorsNameFileAndLine(t *testing.T) {
	for text, want := range map[string]string{
		"a: [\nb: 1\n":     "v.yaml:2: cannot be read: did not find expected ',' or ']'",
		"a: 1\n b: 2\n":    "v.yaml:2: cannot be read: mapping values are not allowed in this context",
		"- a\n":            "v.yaml: cannot be read: a values file is a map, this is a list",
		"just text\n":      "v.yaml: cannot be read: a values file is a map, this is a string",
		"a: *nobody\n":     "v.yaml: cannot be read: unknown anchor 'nobody' referenced",
		"a:\n\tb: 1\n":     "v.yaml:2: cannot be read: found character that cannot start any token",
		"a: \x01\n":        "v.yaml: cannot be read: control characters are not allowed",
		"a: .inf\n":        "v.yaml: cannot be read: json: unsupported value: +Inf",
		"a: &a [*a, *a]\n": "v.yaml: cannot be read: anchor 'a' value contains itself",
	} {
		_, err := load.Parse("v.yaml", []byte(text))
		require.EqualError(t, err, want)
		require.ErrorIs(t, err, profiles.ErrRead)
	}
}

func TestCatalog(t *testing.T) {
	c, err := load.FS(fstest.MapFS{
		"a.yaml": {Data: []byte("x: 1")}, "b.yaml": {}, "platform-x.yaml": {}, "compatibility-version-1.30.yaml": {}, "README.md": {},
		"broken.yaml": {Data: []byte("a: [")},
	}, "my/profiles")
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b", "broken"}, c.Names(profiles.KindProfile))
	assert.Equal(t, []string{"x"}, c.Names(profiles.KindPlatform))
	assert.Equal(t, []string{"1.30"}, c.Names(profiles.KindCompatibility))
	d, err := c.Document(profiles.Layer{Kind: profiles.KindProfile, Name: "a"})
	require.NoError(t, err)
	assert.Equal(t, "my/profiles/a.yaml", d.Source)
	_, err = c.Document(profiles.Layer{Kind: profiles.KindProfile, Name: "nope"})
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = c.Document(profiles.Layer{Kind: profiles.KindProfile, Name: "broken"})
	require.ErrorIs(t, err, profiles.ErrRead)
	for _, file := range []string{"a.yaml", "platform-x.yaml", "compatibility-version-1.30.yaml"} {
		assert.Equal(t, file, load.FileOf(load.LayerOf(file)))
	}
}

// The shipped catalog reads, and every document has a position for every key.
func TestShippedProfiles(t *testing.T) {
	c, err := load.FS(os.DirFS("../../../manifests/profiles"), "manifests/profiles")
	require.NoError(t, err)
	count := 0
	for _, kind := range []profiles.Kind{profiles.KindProfile, profiles.KindPlatform, profiles.KindCompatibility} {
		for _, name := range c.Names(kind) {
			d, err := c.Document(profiles.Layer{Kind: kind, Name: name})
			require.NoError(t, err)
			for key := range d.Values {
				require.NotNil(t, d.Positions.Keys[key], "%s %s", d.Source, key)
			}
			count++
		}
	}
	assert.Equal(t, 21, count)
}

// FuzzParse checks that no text makes the parser panic, and that it reads what Helm reads.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"a: 1", "a: {b: [1, null]}", "on: yes\nyes: no", "&a a: *a", "<<: {a: 1}", "a: &x {b: 1}\nc: {<<: *x, d: 2}", "- 1", "a: [\n", "? {a: b}\n: c",
		"a: !!binary aGk=", "1: 2\n0777: x\n1.5: y", "%YAML 1.1\n---\na: 1\n---\nb: 2", "\ufeffa: 1", "a: 1\r\nb: 2\r\n", `{"a": 9007199254740993}`, "~: 1",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := load.Parse("v.yaml", []byte(s))
		var want map[string]any
		wantErr := yaml.Unmarshal([]byte(s), &want)
		if err != nil {
			require.Error(t, wantErr)
			require.ErrorIs(t, err, profiles.ErrRead)
			return
		}
		require.NoError(t, wantErr)
		assert.Equal(t, len(want), len(d.Values))
		got, err := json.Marshal(d.Values)
		require.NoError(t, err)
		again, err := load.Parse("v.json", got)
		require.NoError(t, err)
		assert.Equal(t, d.Values, again.Values)
		_ = helm4loader.MergeMaps(d.Values, again.Values)
	})
}
