package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/strvals"
	"pgregory.net/rapid"

	"github.com/stratamesh/strata/pkg/profiles"
	"github.com/stratamesh/strata/pkg/render"
)

// The flags give what Helm makes of them, and the documents, merged one after the other, are the same.
func TestFlagsAsDocuments(t *testing.T) {
	for _, c := range []selection{
		{setJSON: []string{`a={"x":1}`, `a={"y":2}`}},
		{setJSON: []string{`{"a":{"x":1}}`, `{"a":{"y":2}}`}},
		{setJSON: []string{`a={"x":1}`, `a={}`}},
		{set: []string{"a[0]=1,a[1]=2", "a[1]=3"}},
		{set: []string{"a.b=null", "a.c=1"}},
		{set: []string{"a={x,y}"}, setString: []string{"a[0]=z"}},
		{set: []string{"a.b.c=1", "a.b=null", "a.b.d=2"}},
	} {
		checkFlags(t, c)
	}
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.StringMatching(`[ab](\[[01]\])?(\.[cd](\.[ef])?)?`)
		item := func(value string) *rapid.Generator[[]string] {
			return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
				return path.Draw(t, "path") + "=" + rapid.StringMatching(value).Draw(t, "value")
			}), 0, 4)
		}
		checkFlags(t, selection{
			setJSON:   item(`null|1|"x"|\{"c":\{"e":1\}\}|\{\}|\[1\]`).Draw(t, "json"),
			set:       item(`null|1|x|\{1,2\}|`).Draw(t, "set"),
			setString: item(`null|1|x`).Draw(t, "string"),
			setRaw:    item(`null|1|x`).Draw(t, "literal"),
		})
	})
}

func checkFlags(t require.TestingT, s selection) {
	want, wantErr := helmFlags(s)
	got, err := s.explicit(Env{})
	if wantErr != nil {
		require.Error(t, err, "Helm: %v", wantErr)
		return
	}
	require.NoError(t, err)
	require.Equal(t, want, got.values)
	folded := map[string]any{}
	for _, d := range got.documents {
		require.True(t, strings.HasPrefix(d.Source, "--set"), d.Source)
		folded = render.MergeValues(folded, d.Values)
	}
	require.Equal(t, want, folded)
	if _, err := profiles.Compute(profiles.Input{Explicit: got.documents}); err != nil {
		require.ErrorIs(t, err, profiles.ErrType)
	}
}

// helmFlags does what Helm does: every flag writes into one map.
func helmFlags(s selection) (map[string]any, error) {
	into := map[string]any{}
	for _, item := range s.setJSON {
		if strings.HasPrefix(item, "{") {
			var m map[string]any
			if err := json.Unmarshal([]byte(item), &m); err != nil {
				return nil, err
			}
			into = loader.MergeMaps(into, m)
		} else if err := strvals.ParseJSON(item, into); err != nil {
			return nil, err
		}
	}
	for _, group := range []struct {
		items []string
		parse func(string, map[string]any) error
	}{{s.set, strvals.ParseInto}, {s.setString, strvals.ParseIntoString}, {s.setRaw, strvals.ParseLiteralInto}} {
		for _, item := range group.items {
			if err := group.parse(item, into); err != nil {
				return nil, err
			}
		}
	}
	return into, nil
}
