package manifest_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/stratamesh/strata/pkg/manifest"
)

type parseCase struct {
	Name    string         `json:"name"`
	Reason  string         `json:"reason"`
	Text    string         `json:"text"`
	Objects []string       `json:"objects"`
	Value   map[string]any `json:"value"`
	Error   string         `json:"error"`
}

func parseCases(tb testing.TB) []parseCase {
	tb.Helper()
	text, err := os.ReadFile("testdata/parse.yaml")
	require.NoError(tb, err)
	var cases []parseCase
	require.NoError(tb, yaml.UnmarshalStrict(text, &cases))
	return cases
}

func TestParseCases(t *testing.T) {
	for _, c := range parseCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			require.NotEmpty(t, c.Reason, "every case states its reason")
			objects, err := manifest.Parse("x.yaml", []byte(c.Text))
			if c.Error != "" {
				require.ErrorContains(t, err, c.Error)
				assert.Empty(t, objects)
				return
			}
			require.NoError(t, err)
			got := []string{}
			for _, o := range objects {
				assert.Equal(t, "x.yaml", o.Position.Source)
				got = append(got, fmt.Sprintf("%d %s %s", o.Position.Line, o.APIVersion, o.ID))
			}
			assert.Equal(t, c.Objects, got)
			if c.Value != nil {
				want, err := json.Marshal(c.Value)
				require.NoError(t, err)
				value, err := json.Marshal(objects[len(objects)-1].Value)
				require.NoError(t, err)
				assert.JSONEq(t, string(want), string(value))
			}
		})
	}
}

func TestParseErrorsCarryReasons(t *testing.T) {
	_, err := manifest.Parse("x", []byte("a: b: c\n---\nx\n"))
	require.ErrorIs(t, err, manifest.ErrRead)
	require.ErrorIs(t, err, manifest.ErrObject)
	_, err = manifest.Parse("x", []byte("a: 1\nb: \xff\n"))
	require.ErrorIs(t, err, manifest.ErrRead)
	require.EqualError(t, err, "x:2: is not UTF-8 text")
}

func TestParserSharesWhatIsTheSame(t *testing.T) {
	var p manifest.Parser
	text := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	a, err := p.Parse("a", []byte(text))
	require.NoError(t, err)
	b, err := p.Parse("b", []byte("# comment\n---\n"+text))
	require.NoError(t, err)
	assert.Equal(t, a[0].Value, b[0].Value)
	assert.Equal(t, "a:1", a[0].Position.String())
	assert.Equal(t, "b:3", b[0].Position.String())
	_, err = p.Parse("c", []byte("x\n"))
	require.EqualError(t, err, "c:1: is a string where a Kubernetes object belongs, a map with apiVersion, kind and metadata.name")
	_, err = p.Parse("d", []byte("---\nx\n"))
	require.EqualError(t, err, "d:2: is a string where a Kubernetes object belongs, a map with apiVersion, kind and metadata.name")
}

func TestGeneratedManifestIsReadWhole(t *testing.T) {
	objects, err := manifest.Parse("x", []byte(generate(80, true)))
	require.NoError(t, err)
	assert.Len(t, objects, 80)
	_, err = manifest.NewSet(objects...)
	require.NoError(t, err)
}

func FuzzParse(f *testing.F) {
	for _, c := range parseCases(f) {
		f.Add([]byte(c.Text))
	}
	for _, cases := range diffCases(f) {
		for _, c := range cases {
			f.Add([]byte(c.A))
		}
	}
	f.Add([]byte(generate(8, false)))
	f.Fuzz(func(t *testing.T, text []byte) {
		objects, err := manifest.Parse("x", text)
		if err != nil {
			assert.Empty(t, objects)
			return
		}
		lines := strings.Count(string(text), "\n") + 1
		for _, o := range objects {
			assert.NotEmpty(t, o.ID.Kind)
			assert.NotEmpty(t, o.ID.Name)
			assert.NotEmpty(t, o.APIVersion)
			assert.True(t, o.Position.Line >= 1 && o.Position.Line <= lines, "line %d of %d", o.Position.Line, lines)
			again := roundTrip(t, o)
			assert.Equal(t, o.Value, again.Value)
		}
	})
}

// roundTrip writes an object and reads it again.
func roundTrip(t require.TestingT, o manifest.Object) manifest.Object {
	text, err := manifest.Canonical(o)
	require.NoError(t, err)
	again, err := manifest.Parse("again", text)
	require.NoError(t, err, "%s", text)
	require.Len(t, again, 1, "%s", text)
	return again[0]
}
