package charts_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stratamesh/strata/pkg/render"
)

// A fieldCase is an input from a public bug report about Helm charts, with the behaviour its reporter was right to expect.
type fieldCase struct {
	// name is the behaviour.
	name   string
	report string
	chart  string
	// values are what the reporter set, as YAML.
	values string
	// namespace and kubeVersion are those of the render; istio-system and the newest where they are empty.
	namespace, kubeVersion string
	// same are values that must render to the same objects.
	same string
	// fails are the texts of the error that must come instead of objects.
	fails []string
	// want checks the objects.
	want func(t *testing.T, r result)
}

const (
	istioIssue = "https://github.com/istio/istio/issues/"
	istioPull  = "https://github.com/istio/istio/pull/"
	helmIssue  = "https://github.com/helm/helm/issues/"
)

// rendersAll is the check where only that it renders was in doubt.
func rendersAll(*testing.T, result) {}

// fieldCases are all cases, by topic.
var fieldCases = map[string][]fieldCase{
	"null":           nullCases,
	"absent section": absentSectionCases,
	"layering":       layeringCases,
	"profile":        profileCases,
	"strictness":     strictnessCases,
	"string":         stringCases,
	"one entry":      oneEntryCases,
	"image":          imageCases,
	"webhook":        webhookCases,
	"workload":       workloadCases,
	"traffic":        trafficCases,
	"namespace":      namespaceCases,
}

// Each case that upstream users reported behaves as its name says, with both engines.
func TestFieldCases(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for topic, cases := range fieldCases {
		for n, c := range cases {
			require.False(t, names[c.name], "two cases %s", c.name)
			names[c.name] = true
			require.True(t, strings.HasPrefix(c.report, "https://"), c.name)
			require.True(t, (c.fails != nil) != (c.want != nil || c.same != ""), "%s: either an error or objects", c.name)
			for _, engine := range inTurn(n) {
				t.Run(fmt.Sprintf("%s/%s/%s/%s", topic, c.chart, c.name, engine), func(t *testing.T) {
					t.Parallel()
					c.check(t, engine)
				})
			}
		}
	}
	assert.Len(t, names, 86)
}

func (c fieldCase) check(t *testing.T, engine render.Engine) {
	t.Helper()
	r := rendering{chart: c.chart, engine: engine, Options: render.Options{Namespace: c.namespace, KubeVersion: c.kubeVersion, Values: parse(t, c.values)}}
	if c.fails != nil {
		out, err := r.run(t)
		requireClear(t, err, c.fails...)
		require.Nil(t, out)
		return
	}
	got, err := r.objects(t)
	require.NoError(t, err, c.report)
	if c.same != "" {
		r.Values = parse(t, c.same)
		want, err := r.objects(t)
		require.NoError(t, err)
		assert.Empty(t, differences(want.withoutRecord(), got.withoutRecord()), c.report)
	}
	if c.want != nil {
		c.want(t, got)
	}
	if t.Failed() {
		t.Log(c.report)
	}
}
