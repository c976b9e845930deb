package values

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// A MergeCase is one row of pkg/profiles/testdata/merge.yaml.
type MergeCase struct {
	Name   string         `json:"name"`
	Reason string         `json:"reason"`
	Lower  map[string]any `json:"lower"`
	Upper  map[string]any `json:"upper"`
	Want   map[string]any `json:"want"`
	Error  string         `json:"error"`
	Mergo  string         `json:"mergo"`
}

// A LayerCase is one entry of pkg/profiles/testdata/layers.yaml.
type LayerCase struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
	Chart  struct {
		Section        string   `json:"section"`
		Sections       []string `json:"sections"`
		FlattenGlobals []string `json:"flattenGlobals"`
	} `json:"chart"`
	Defaults map[string]any            `json:"defaults"`
	Catalog  map[string]map[string]any `json:"catalog"`
	Explicit map[string]any            `json:"explicit"`
	Want     map[string]any            `json:"want"`
	Order    []string                  `json:"order"`
	Warnings []string                  `json:"warnings"`
	Error    string                    `json:"error"`
}

// MergeCases reads the merge cases. Wanted values have whole numbers as int64.
func MergeCases(t *testing.T) []MergeCase {
	t.Helper()
	var cases []MergeCase
	read(t, "merge.yaml", &cases)
	for n := range cases {
		cases[n].Want, _ = integers(cases[n].Want).(map[string]any)
	}
	return cases
}

// LayerCases reads the layer cases. Wanted values have whole numbers as int64.
func LayerCases(t *testing.T) []LayerCase {
	t.Helper()
	var cases []LayerCase
	read(t, "layers.yaml", &cases)
	for n := range cases {
		cases[n].Want, _ = integers(cases[n].Want).(map[string]any)
	}
	return cases
}

func read(t *testing.T, name string, into any) {
	t.Helper()
	_, here, _, ok := runtime.Caller(0)
	require.True(t, ok)
	text, err := os.ReadFile(filepath.Join(filepath.Dir(here), "../../pkg/profiles/testdata", name))
	require.NoError(t, err)
	require.NoError(t, yaml.UnmarshalStrict(text, into))
}

func integers(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, v := range value {
			value[key] = integers(v)
		}
	case []any:
		for n, v := range value {
			value[n] = integers(v)
		}
	case float64:
		if value == float64(int64(value)) {
			return int64(value)
		}
	}
	return value
}
