package golden

import (
	"sync"

	"github.com/stratamesh/strata/pkg/profiles"
	"github.com/stratamesh/strata/pkg/profiles/load"
	"github.com/stratamesh/strata/pkg/render"
)

// NamespaceFor returns the namespace in which a chart is installed with explicit values: that of the platform which they, or a profile
// that they select, choose. Values that cannot be merged choose none; the render says what is wrong with them.
func (c Chart) NamespaceFor(chart *render.Chart, values map[string]any) string {
	return c.namespace(inputOf(chart), values)
}

// inputOf returns what the values of a chart depend on, read when it is first asked for.
func inputOf(chart *render.Chart) func() (profiles.Input, error) {
	return sync.OnceValues(func() (profiles.Input, error) { return load.Chart(chart.Files(), chart.Name) })
}

func (c Chart) namespace(input func() (profiles.Input, error), values map[string]any) string {
	if len(c.Namespaces) == 0 {
		return c.Namespace
	}
	in, err := input()
	if err != nil {
		return c.Namespace
	}
	in.Explicit = []profiles.Document{{Values: values}}
	result, err := profiles.Compute(in)
	if err != nil {
		return c.Namespace
	}
	if platform, ok := result.Values[string(profiles.KindPlatform)].(string); ok && c.Namespaces[platform] != "" {
		return c.Namespaces[platform]
	}
	return c.Namespace
}
