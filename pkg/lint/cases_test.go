package lint_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/stratamesh/strata/pkg/lint"
	"github.com/stratamesh/strata/pkg/profiles"
	"github.com/stratamesh/strata/pkg/profiles/load"
)

// A lintCase is one entry of testdata/cases.yaml.
type lintCase struct {
	Rule       string            `json:"rule"`
	Name       string            `json:"name"`
	Values     string            `json:"values"`
	Profiles   map[string]string `json:"profiles"`
	Flags      map[string]any    `json:"flags"`
	Select     map[string]any    `json:"select"`
	Installed  []string          `json:"installed"`
	Namespaces map[string]string `json:"namespaces"`
	Without    []string          `json:"without"`
	Want       string            `json:"want"`
}

func cases(t *testing.T) []lintCase {
	text, err := os.ReadFile("testdata/cases.yaml")
	require.NoError(t, err)
	var all []lintCase
	require.NoError(t, yaml.UnmarshalStrict(text, &all))
	return all
}

const chartFolder = "../../manifests/charts/"

// usual is where strata.yaml puts the charts.
var usual = map[string]lint.Home{
	"base":      {Namespace: "istio-system"},
	"istio-cni": {Namespace: "kube-system"},
	"istiod":    {Namespace: "istio-system"},
	"ztunnel":   {Namespace: "istio-system", Platforms: map[string]string{"openshift": "kube-system"}},
	"gateway":   {Namespace: "istio-ingress"},
}

// files are those of a chart of this repository.
func files(name string) (map[string][]byte, error) {
	out := map[string][]byte{}
	fsys := os.DirFS(chartFolder + name)
	return out, fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out[name], err = fs.ReadFile(fsys, name)
		}
		return err
	})
}

// suite is all charts, which are loaded once.
var suite = sync.OnceValues(func() ([]*lint.Chart, error) {
	var all []*lint.Chart
	for _, name := range []string{"base", "istio-cni", "istiod", "ztunnel", "gateway"} {
		texts, err := files(name)
		if err != nil {
			return nil, err
		}
		c, err := lint.NewChart(texts, name)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
})

// input is one with all charts and nothing to look at.
func input(t testing.TB) lint.Input {
	all, err := suite()
	require.NoError(t, err)
	catalog, err := load.FS(os.DirFS("../../manifests/profiles"), "manifests/profiles")
	require.NoError(t, err)
	return lint.Input{Charts: all, Catalog: catalog, Usual: usual}
}

func flags(source string, values map[string]any) lint.Document {
	return lint.Document{Document: profiles.Document{Source: source, Values: values}}
}

func (c lintCase) run(t *testing.T) []lint.Finding {
	in := input(t)
	in.Installed, in.Namespaces, in.Disabled = c.Installed, c.Namespaces, c.Without
	if c.Flags != nil {
		in.Explicit = append(in.Explicit, flags("flags", c.Flags))
	}
	if c.Values != "" {
		document, err := lint.Parse("values.yaml", []byte(c.Values))
		require.NoError(t, err)
		in.Explicit = append(in.Explicit, document)
	}
	if c.Select != nil {
		in.Explicit = append(in.Explicit, flags("flags", c.Select))
	}
	for _, file := range slices.Sorted(maps.Keys(c.Profiles)) {
		document, err := lint.Parse(file, []byte(c.Profiles[file]))
		require.NoError(t, err)
		in.Profiles = append(in.Profiles, lint.Profile{Layer: load.LayerOf(file), Document: document})
	}
	findings, err := lint.Run(in)
	require.NoError(t, err)
	return findings
}

// written writes findings as strata lint does.
func written(findings []lint.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		if f.File != "" {
			fmt.Fprintf(&b, "%s: ", profiles.Position{Source: f.File, Line: f.Line, Column: f.Column})
		}
		fmt.Fprintf(&b, "%s: %s [%s]\n", f.Severity, f.Message, f.Rule)
		if f.Fix != "" {
			fmt.Fprintf(&b, "  fix: %s\n", f.Fix)
		}
	}
	return b.String()
}

func TestCases(t *testing.T) {
	for _, c := range cases(t) {
		t.Run(c.Rule+"/"+c.Name, func(t *testing.T) {
			assert.Equal(t, c.Want, written(c.run(t)))
		})
	}
}

// Every rule has a case in which it applies, and every case is about a rule.
func TestEveryRuleHasACase(t *testing.T) {
	applies := map[string]bool{}
	for _, c := range cases(t) {
		applies[c.Rule] = applies[c.Rule] || strings.Contains(c.Want, "["+c.Rule+"]")
	}
	for _, r := range lint.Rules() {
		assert.True(t, applies[r.ID], r.ID)
		delete(applies, r.ID)
	}
	assert.Empty(t, applies, "no such rule")
}
