package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/stratamesh/strata/internal/values"
	"github.com/stratamesh/strata/pkg/lint"
)

// aboutKeys are the rules that ask whether charts know and take a value.
var aboutKeys = []string{"unknown-key", "foreign-global", "wrong-type", "wrong-value", "unread-key", "defaults-key"}

// chosenDefaults draws some of the defaults of a chart, each at the root or below the section.
func chosenDefaults(t *rapid.T, chart *lint.Chart) (map[string]any, []values.Leaf) {
	out := map[string]any{}
	leaves := values.Leaves(chart.Input.Defaults.Values)
	chosen := rapid.SliceOfNDistinct(rapid.IntRange(0, len(leaves)-1), 1, 12, rapid.ID).Draw(t, "leaves")
	var kept []values.Leaf
	for _, n := range chosen {
		leaf := leaves[n]
		if section := chart.Input.Chart.Section; section != "" && rapid.Bool().Draw(t, "below the section") {
			leaf.Path = append([]string{section}, leaf.Path...)
		}
		if _, taken := values.Get(out, leaf.Path); !taken {
			values.Set(out, leaf.Path, leaf.Value)
			kept = append(kept, leaf)
		}
	}
	return out, kept
}

// Whatever a chart has as a default, a user may set in either spelling: all charts take it, and one reads it.
func TestDefaultsAreKnown(t *testing.T) {
	charts, err := suite()
	require.NoError(t, err)
	known := slices.Concat(unread["base"], unread["istio-cni"], unread["istiod"])
	rapid.Check(t, func(rt *rapid.T) {
		chart := charts[rapid.IntRange(0, len(charts)-1).Draw(rt, "chart")]
		set, _ := chosenDefaults(rt, chart)
		text, err := yaml.Marshal(set)
		require.NoError(rt, err)
		document, err := lint.Parse("values.yaml", text)
		require.NoError(rt, err)
		in := input(t)
		in.Explicit = []lint.Document{document}
		findings, err := lint.Run(in)
		require.NoError(rt, err)
		for _, f := range findings {
			if f.Rule == "unread-key" && slices.ContainsFunc(known, func(path string) bool {
				return strings.HasPrefix(f.Path+".", path+".") || strings.HasPrefix("cni."+f.Path+".", path+".")
			}) {
				continue
			}
			assert.NotContains(rt, aboutKeys, f.Rule, "%s\n%s", f.Message, text)
		}
	})
}

// A slip in a key that is refused is found at its place, and the key that was meant is named.
func TestSlipsAreFound(t *testing.T) {
	charts, err := suite()
	require.NoError(t, err)
	rapid.Check(t, func(rt *rapid.T) {
		chart := charts[rapid.IntRange(0, len(charts)-1).Draw(rt, "chart")]
		_, leaves := chosenDefaults(rt, chart)
		leaf := leaves[0]
		key := leaf.Path[len(leaf.Path)-1]
		if len(key) < 5 || strings.ContainsAny(key, "./") {
			return // free-form, or too short to tell what was meant
		}
		n := rapid.IntRange(1, len(key)-2).Draw(rt, "letter")
		slip := key[:n] + key[n+1:]
		path := append(slices.Clone(leaf.Path[:len(leaf.Path)-1]), slip)
		set := map[string]any{}
		values.Set(set, path, leaf.Value)
		text, err := yaml.Marshal(set)
		require.NoError(rt, err)
		document, err := lint.Parse("values.yaml", text)
		require.NoError(rt, err)
		in := input(t)
		in.Explicit = []lint.Document{document}
		findings, err := lint.Run(in)
		require.NoError(rt, err)
		found := slices.IndexFunc(findings, func(f lint.Finding) bool { return f.Rule == "unknown-key" })
		if found < 0 {
			// A key of a map of any keys (labels, env, resources of a kind), or itself a known one.
			assert.True(rt, freeForm(leaf.Path) || chart.Name == "ztunnel" && slices.Contains(path, "meshConfig"), "%v\n%s", path, text)
			return
		}
		f := findings[found]
		assert.Equal(rt, "write "+key, f.Fix)
		line := strings.Split(string(text), "\n")[f.Line-1]
		assert.True(rt, strings.HasPrefix(line[f.Column-1:], slip+":"), "%d:%d of\n%s", f.Line, f.Column, text)
	})
}

// freeForm says whether a default stands in a map that takes any key.
func freeForm(path []string) bool {
	for _, name := range []string{"labels", "podAnnotations", "nodeSelector", "requests", "limits", "proxyMetadata"} {
		if slices.Contains(path[:len(path)-1], name) {
			return true
		}
	}
	return false
}

// Text in quotes is what it looks like: no rule about YAML has anything to say.
func TestQuotedTextIsText(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var b strings.Builder
		b.WriteString("env:\n")
		for n, text := range rapid.SliceOfN(scalars, 1, 8).Draw(rt, "texts") {
			fmt.Fprintf(&b, "  K%d: %q\n", n, text)
		}
		document, err := lint.Parse("values.yaml", []byte(b.String()))
		if err != nil {
			return // an escape that YAML does not know
		}
		in := input(t)
		in.Explicit = []lint.Document{document}
		findings, err := lint.Run(in)
		require.NoError(rt, err)
		assert.Empty(rt, findings, b.String())
	})
}

// Without quotes it is found wherever the text that a chart makes of it is another one.
func TestOtherTextIsFound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := scalars.Draw(rt, "text")
		source := "env:\n  A: " + text + "\n"
		document, err := lint.Parse("values.yaml", []byte(source))
		if err != nil {
			return
		}
		value, _ := values.Get(document.Values, []string{"env", "A"})
		in := input(t)
		in.Explicit = []lint.Document{document}
		findings, err := lint.Run(in)
		require.NoError(rt, err)
		got := slices.ContainsFunc(findings, func(f lint.Finding) bool { return f.Path == "env.A" && f.Line == 2 && f.Column == 6 })
		want := false
		switch value := value.(type) {
		case bool:
			want = !strings.EqualFold(text, fmt.Sprint(value))
		case float64:
			shown := fmt.Sprint(value)
			if value == float64(int64(value)) {
				shown = fmt.Sprint(int64(value))
			}
			want = shown != text
		case nil:
			return // see empty-value
		}
		assert.Equal(rt, want, got, "%q is read as %#v", text, value)
	})
}

var scalars = rapid.OneOf(
	rapid.SampledFrom([]string{
		"y", "Y", "yes", "No", "on", "OFF", "true", "False", "n", "0", "7", "00", "07", "010", "0777", "1_000", "0x1F", "0b11", "0o17", "1.30", "1.0", ".5", "5.",
		"1e3", "+5", "-0", "1:30", "1.2.3", "2026-11-30", "9007199254740992", "9007199254740993", "12345678901234567890", "text", "a b", "1e400", "0o8", "08", "_1", "1_",
	}),
	rapid.StringMatching(`[-+]?[0-9_]{1,4}(\.[0-9]{1,3})?(e[0-9])?`),
	rapid.StringMatching(`[a-zA-Z0-9.]{1,6}`),
)
