package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func parseValues(t *testing.T, text string) (*value, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "values.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return readValues(file)
}

const values = `# About the file.
defaults:
  # Registry.
  hub: example.com

  # A tag.
  # @type string|integer
  tag: ""
  # Which
  # one.
  # @enum "", a, b
  kind: a
  # Labels.
  # @type strings
  labels:
    any.key/works: "1"
  # Tolerations.
  # @type []core/v1.Toleration
  tolerations:
    - key: a
      operator: Exists
  nested:
    # Count.
    count: 3

    # Without a default.
    # @property extra number

  # Last.
  # @property last any
`

func TestReadValues(t *testing.T) {
	v, err := parseValues(t, values)
	require.NoError(t, err)
	var names []string
	for _, child := range v.children {
		names = append(names, child.name+" "+child.typeExpr()+" "+child.description)
	}
	assert.Equal(t, []string{
		"hub string Registry.", "tag string|integer A tag.", "kind string Which one.", "labels strings Labels.",
		"tolerations []core/v1.Toleration Tolerations.", "nested object ", "last any Last.",
	}, names)
	nested := v.children[5]
	require.Len(t, nested.children, 2)
	assert.Equal(t, "integer", nested.children[0].typeExpr())
	assert.Equal(t, "extra", nested.children[1].name)
	assert.False(t, nested.children[1].hasPreset)
}

func TestReadValuesRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"# A.\na: 1\n":                                     "must have the one key defaults",
		"defaults:\n  a: 1\n":                              "values.yaml:2: a: no description",
		"defaults:\n  # A.\n  a: {}\n":                     "a: an empty map needs @type",
		"defaults:\n  # A.\n  a: []\n":                     "a: a list needs @type",
		"defaults:\n  # A.\n  a: null\n":                   "a: no default",
		"defaults:\n  # A.\n  # @x y\n  a: 1\n":            `unknown annotation "@x y"`,
		"defaults:\n  # A.\n  # @enum b\n  a: c\n":         "the default c is not in @enum",
		"defaults:\n  # A.\n  a: 1\n\n  # @property a\n\n": "@property wants a name and a type",
	} {
		_, err := parseValues(t, text)
		require.ErrorContains(t, err, want, text)
	}
}

// The schema is valid, closed where a user may mistype, and open where users choose the keys; null is welcome everywhere.
func TestSchema(t *testing.T) {
	v, err := parseValues(t, values)
	require.NoError(t, err)
	other, err := parseValues(t, "defaults:\n  # Theirs.\n  theirs: 1\n  nested:\n    # Theirs.\n    deep: 1\n")
	require.NoError(t, err)
	c := &chartFile{name: "one", section: "own", sections: []string{"own", "foreign"}, values: v}
	made, err := c.schema([]*chartFile{c, {name: "two", values: other}})
	require.NoError(t, err)
	text, err := json.Marshal(made)
	require.NoError(t, err)
	document, err := jsonschema.UnmarshalJSON(jsonReader(text))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("schema.json", document))
	schema, err := compiler.Compile("schema.json")
	require.NoError(t, err)
	for _, tc := range []struct {
		values string
		want   string // "" is good
	}{
		{`{}`, ""},
		{`{"hub":null,"tag":null,"kind":null,"labels":null,"tolerations":null,"nested":null,"last":null}`, ""},
		{`{"tag":131}`, ""},
		{`{"tag":1.5}`, "'/tag': got number"},
		{`{"kind":"c"}`, "'/kind': value must be one of"},
		{`{"labels":{"x":1,"y":true}}`, ""},
		{`{"labels":{"x":{}}}`, "'/labels/x'"},
		{`{"tolerations":[{"key":"a","tolerationSeconds":5}]}`, ""},
		{`{"tolerations":[{"kye":"a"}]}`, "'/tolerations/0': additional properties 'kye' not allowed"},
		{`{"nested":{"count":"3"}}`, "'/nested/count': got string"},
		{`{"nested":{"coutn":3}}`, "'/nested': additional properties 'coutn' not allowed"},
		{`{"nested":{"x-note":3},"x-any":{}}`, ""},
		{`{"nested":{"deep":3},"theirs":[],"foreign":{"a":1},"enabled":true}`, ""},
		{`{"own":{"tag":1,"nested":{"count":2},"enabled":true}}`, ""},
		{`{"own":{"nested":{"coutn":2}}}`, "'/own/nested'"},
		{`{"own":{"nope":1}}`, "'/own': additional properties 'nope' not allowed"},
		{`{"nope":1}`, "additional properties 'nope' not allowed"},
		{`{"defaults":{"old":1,"nested":{"older":1}}}`, ""},
		{`{"defaults":{"nested":{"count":"x"}}}`, "'/defaults/nested/count': got string"},
	} {
		var instance any
		require.NoError(t, json.Unmarshal([]byte(tc.values), &instance))
		err := schema.Validate(instance)
		if tc.want == "" {
			require.NoError(t, err, tc.values)
			continue
		}
		require.ErrorContains(t, err, tc.want, tc.values)
	}
}

func jsonReader(text []byte) *bytes.Reader { return bytes.NewReader(text) }
