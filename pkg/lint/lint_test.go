package lint_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stratamesh/strata/pkg/lint"
	"github.com/stratamesh/strata/pkg/profiles"
)

func TestUnknownRuleIsRefused(t *testing.T) {
	in := input(t)
	in.Disabled = []string{"unknown-keys"}
	_, err := lint.Run(in)
	assert.ErrorContains(t, err, `unknown rule "unknown-keys"; known: ambient-mismatch, `)
}

// What a flag selects is no finding in a file: it is refused, once for all charts.
func TestSelectorsOfFlagsAreRefused(t *testing.T) {
	in := input(t)
	in.Explicit = []lint.Document{flags("--profile acme", map[string]any{"profile": "acme"})}
	_, err := lint.Run(in)
	require.ErrorIs(t, err, profiles.ErrUnknownName)
	assert.Equal(t, 1, strings.Count(err.Error(), "acme; known")+strings.Count(err.Error(), `"acme"; known`))
}

func TestDisabledRulesAreSilent(t *testing.T) {
	in := input(t)
	document, err := lint.Parse("values.yaml", []byte("autoscaleMinn: 1\nenv: {A: on}\n"))
	require.NoError(t, err)
	in.Explicit = []lint.Document{document}
	in.Disabled = []string{"unknown-key"}
	findings, err := lint.Run(in)
	require.NoError(t, err)
	require.Len(t, findings, 1)
	assert.Equal(t, "yaml-boolean", findings[0].Rule)
}

// Findings come by file and place, and two selections do not say the same twice.
func TestFindingsAreSortedAndSaidOnce(t *testing.T) {
	in := input(t)
	values, err := lint.Parse("values.yaml", []byte("pilot:\n  revision: canary\n  autoscaleMinn: 1\n"))
	require.NoError(t, err)
	in.Explicit = []lint.Document{values}
	for _, name := range []string{"b", "a"} {
		document, err := lint.Parse(name+".yaml", []byte("pilot: {autoscaleMaxx: 1, autoscaleMinn: 1}\n"))
		require.NoError(t, err)
		in.Profiles = append(in.Profiles, lint.Profile{Layer: profiles.Layer{Kind: profiles.KindProfile, Name: name}, Document: document})
	}
	findings, err := lint.Run(in)
	require.NoError(t, err)
	var got []string
	for _, f := range findings {
		got = append(got, f.File+" "+f.Path+" "+f.Rule)
	}
	assert.Equal(t, []string{
		"a.yaml pilot.autoscaleMaxx unknown-key", "a.yaml pilot.autoscaleMinn unknown-key",
		"b.yaml pilot.autoscaleMaxx unknown-key", "b.yaml pilot.autoscaleMinn unknown-key",
		"values.yaml pilot.revision default-revision", "values.yaml pilot.autoscaleMinn unknown-key",
	}, got)
}

func TestNothingIsAskedAboutUnknownNamespaces(t *testing.T) {
	in := input(t)
	in.Usual = nil
	in.Explicit = []lint.Document{flags("flags", map[string]any{
		"profile": "ambient", "trustedZtunnelNamespace": "a", "taint": map[string]any{"enabled": true}, "global": map[string]any{"istioNamespace": "b"},
	})}
	findings, err := lint.Run(in)
	require.NoError(t, err)
	assert.Empty(t, written(findings))
}

// A part of the suite cannot tell whether another chart reads a root key.
func TestOneChartAlone(t *testing.T) {
	in := input(t)
	in.Charts = slices.DeleteFunc(slices.Clone(in.Charts), func(c *lint.Chart) bool { return c.Name != "ztunnel" })
	document, err := lint.Parse("values.yaml", []byte(`
meshConfig: {accessLogFile: /dev/stdout}
pilot: {autoscaleMinn: 1}
autoscaleMin: 2
nope: 1
ztunnel: {meshConfig: {accessLogFile: /dev/stdout}}
`))
	require.NoError(t, err)
	in.Explicit = []lint.Document{document}
	findings, err := lint.Run(in)
	require.NoError(t, err)
	assert.Equal(t, `values.yaml:5:1: error: no chart knows the key nope [unknown-key]
  fix: take it out, or begin the key with x- where it is your own
values.yaml:6:24: warning: no template of ztunnel reads ztunnel.meshConfig.accessLogFile [unread-key]
  fix: take it out
`, written(findings))
}

// A chart of others, without a schema and without the overlay engine.
func TestChartOfOthers(t *testing.T) {
	chart, err := lint.NewChart(map[string][]byte{
		"Chart.yaml":           []byte("apiVersion: v2\nname: other\nversion: 0.1.0\n"),
		"values.yaml":          []byte("image: a\nunused: b\n"),
		"templates/_help.tpl":  []byte(`{{ define "other.image" }}{{ .Values.image }}{{ end }}`),
		"templates/a.yaml":     []byte(`image: {{ include "other.image" . }}{{ with .Values.more }}{{ range $k, $v := . }}{{ $v.name }}{{ end }}{{ end }}`),
		"templates/tests/b.md": []byte(`{{ .Values.tested }}`),
	}, "other")
	require.NoError(t, err)
	document, err := lint.Parse("values.yaml", []byte("image: c\nunused: d\nmore: {a: {name: e, other: f}}\nnothing: g\ntested: h\non: 1\n"))
	require.NoError(t, err)
	findings, err := lint.Run(lint.Input{Charts: []*lint.Chart{chart}, Explicit: []lint.Document{document}})
	require.NoError(t, err)
	assert.Equal(t, `values.yaml:2:1: warning: no template of other reads unused [unread-key]
  fix: take it out
values.yaml:3:21: warning: no template of other reads more.a.other [unread-key]
  fix: take it out
values.yaml:4:1: warning: no template of other reads nothing [unread-key]
  fix: take it out
values.yaml:6:1: warning: no template of other reads true [unread-key]
  fix: take it out
values.yaml:6:1: warning: the key on is read as the boolean true [yaml-boolean]
  fix: write "on"
`, written(findings))
}

func TestTemplatesThatCannotBeParsedAreRefused(t *testing.T) {
	_, err := lint.NewChart(map[string][]byte{
		"Chart.yaml": []byte("name: other\n"), "values.yaml": nil, "templates/a.yaml": []byte("{{ if }}"),
	}, "other")
	assert.ErrorContains(t, err, "other: cannot be parsed: template: templates/a.yaml:1: missing value for if")
}

func TestUnreadableFilesAreRefused(t *testing.T) {
	_, err := lint.Parse("values.yaml", []byte("a: [\nb: 1\n"))
	require.ErrorIs(t, err, profiles.ErrRead)
	assert.ErrorContains(t, err, "values.yaml:2: cannot be read")
}

// FuzzRun: any values that Helm reads give findings with places that are in the file.
func FuzzRun(f *testing.F) {
	for _, text := range []string{
		"pilot: {env: {A: on}}\n", "a: &a {b: *a}\n", "x: &x\n  <<: *x\n", "global:\npilot:\n- a\n", "on: y\n1.30: 0777\n", "---\na: 1\n---\nb: 2\n",
		"profile: [a, 5, +]\nplatform: {}\ncompatibilityVersion: 1.30\n", "<<: [{a: 1}, {a: 2}]\ntolerations: [{key: y}, ~, ]\n", "meshConfig: {defaultConfig: {concurrency: 2.5}}\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		document, err := lint.Parse("values.yaml", []byte(text))
		if err != nil {
			return
		}
		in := input(t)
		in.Explicit = []lint.Document{document}
		findings, err := lint.Run(in)
		if err != nil {
			return
		}
		lines := strings.Split(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), "\n")
		for _, f := range findings {
			if f.File == "" || f.Line == 0 || strings.ContainsAny(text, "\u0085\u2028\u2029\ufeff") {
				continue
			}
			if f.Line > len(lines) || f.Column > len([]rune(lines[f.Line-1]))+1 {
				t.Errorf("%s: line %d, column %d is not in %q", f.Rule, f.Line, f.Column, text)
			}
		}
	})
}
