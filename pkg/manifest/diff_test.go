package manifest_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/stratamesh/strata/pkg/manifest"
)

// A diffCase is one case of testdata/diff. The files but normative.yaml state a reason for each.
type diffCase struct {
	ID   string   `json:"id"`
	Why  string   `json:"why"`
	A    string   `json:"a"`
	B    string   `json:"b"`
	CRDs string   `json:"crds"`
	Args []string `json:"args"`
	// Exit is 0, 1 or 2, as that of strata diff.
	Exit int `json:"exit"`
	// Changes maps Kind:namespace:name to added, removed or a list of paths.
	Changes map[string]any `json:"changes"`
	// Renamed maps new names to old ones.
	Renamed map[string]string `json:"renamed"`
	// Values maps paths to what is reported for them.
	Values map[string][]any `json:"values"`
	// Text maps paths to hunks.
	Text   map[string]string `json:"text"`
	Unused []string          `json:"unused"`
	Error  string            `json:"error"`
	Absent []string          `json:"absent"`
}

func diffCases(tb testing.TB) map[string][]diffCase {
	tb.Helper()
	files, err := filepath.Glob("testdata/diff/*.yaml")
	require.NoError(tb, err)
	require.NotEmpty(tb, files)
	out := map[string][]diffCase{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(tb, err)
		var cases []diffCase
		require.NoError(tb, yaml.UnmarshalStrict(text, &cases), file)
		out[strings.TrimSuffix(filepath.Base(file), ".yaml")] = cases
	}
	return out
}

func TestDiffCases(t *testing.T) {
	for file, cases := range diffCases(t) {
		seen := map[string]bool{}
		for _, c := range cases {
			t.Run(file+"/"+c.ID, func(t *testing.T) {
				require.False(t, seen[c.ID], "two cases of one name")
				seen[c.ID] = true
				require.True(t, c.Why != "" || file == "normative", "every case states its reason")
				c.run(t)
			})
		}
	}
}

func (c diffCase) run(t *testing.T) {
	t.Helper()
	a, b, o, err := c.inputs()
	var report *manifest.Report
	if err == nil {
		report, err = manifest.Diff(a, b, o)
	}
	if c.Exit == 2 {
		require.Error(t, err)
		require.ErrorContains(t, err, c.Error)
		for _, secret := range c.Absent {
			assert.NotContains(t, err.Error(), secret)
		}
		return
	}
	require.NoError(t, err)
	text, err := json.Marshal(report)
	require.NoError(t, err)
	for _, secret := range c.Absent {
		assert.NotContains(t, string(text), secret)
	}
	assert.Equal(t, c.Exit == 0, report.Equal)
	assert.Equal(t, report.Equal, len(report.Changes) == 0)

	changes, renamed := map[string]any{}, map[string]string{}
	for _, change := range report.Changes {
		id := change.ID.String()
		switch change.Change {
		case manifest.Added, manifest.Removed:
			changes[id] = string(change.Change)
			assert.Empty(t, change.Paths)
		default:
			paths := []any{}
			for _, p := range change.Paths {
				paths = append(paths, p.Path.String())
			}
			changes[id] = paths
		}
		if change.From != nil {
			renamed[id] = change.From.String()
		}
		for _, p := range change.Paths {
			c.checkPath(t, p)
		}
	}
	if c.Changes != nil || c.Exit == 0 {
		for _, paths := range c.Changes {
			if paths, ok := paths.([]any); ok {
				slices.SortFunc(paths, func(x, y any) int { return comparePaths(t, x, y) })
			}
		}
		assert.Len(t, changes, len(c.Changes), "%v", changes)
		for id, want := range c.Changes {
			assert.Equal(t, want, changes[id], id)
		}
	}
	if c.Renamed != nil || c.Exit == 0 {
		assert.Len(t, renamed, len(c.Renamed), "%v", renamed)
		for id, want := range c.Renamed {
			assert.Equal(t, want, renamed[id], id)
		}
	}
	var unused []string
	for _, u := range report.Unused {
		unused = append(unused, u.Option+" "+u.Rule)
	}
	assert.Equal(t, c.Unused, unused)
	checkReport(t, a, b, o, report)
}

func (c diffCase) checkPath(t *testing.T, p manifest.PathChange) {
	t.Helper()
	if want, found := c.Values[p.Path.String()]; found {
		var got []any
		text, err := json.Marshal([]any{p.From, p.To})
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &got))
		assert.Equal(t, want, got, p.Path.String())
	}
	if want, found := c.Text[p.Path.String()]; found {
		assert.Equal(t, want, p.Text, p.Path.String())
	}
}

func comparePaths(t *testing.T, x, y any) int {
	t.Helper()
	px, err := manifest.ParsePath(x.(string))
	require.NoError(t, err)
	py, err := manifest.ParsePath(y.(string))
	require.NoError(t, err)
	return px.Compare(py)
}

// inputs reads what the case compares.
func (c diffCase) inputs() (a, b *manifest.Set, o manifest.Options, err error) {
	for n := 0; n+1 < len(c.Args); n += 2 {
		var err error
		switch c.Args[n] {
		case "--select":
			var rules []manifest.Rule
			rules, err = manifest.ParseRules(c.Args[n+1])
			o.Select = append(o.Select, rules...)
		case "--ignore":
			var rules []manifest.Rule
			rules, err = manifest.ParseRules(c.Args[n+1])
			o.Ignore = append(o.Ignore, rules...)
		case "--rename":
			var renames []manifest.Rename
			renames, err = manifest.ParseRenames(c.Args[n+1])
			o.Renames = append(o.Renames, renames...)
		}
		if err != nil {
			return nil, nil, o, err
		}
	}
	var p manifest.Parser
	sets := []*manifest.Set{}
	for _, in := range []struct{ source, text string }{{"a.yaml", c.A}, {"b.yaml", c.B}, {"crds.yaml", c.CRDs}} {
		objects, err := p.Parse(in.source, []byte(in.text))
		if err != nil {
			return nil, nil, o, err
		}
		set, err := manifest.NewSet(objects...)
		if err != nil {
			return nil, nil, o, err
		}
		sets = append(sets, set)
	}
	o.CRDs = sets[2].Objects()
	return sets[0], sets[1], o, nil
}
