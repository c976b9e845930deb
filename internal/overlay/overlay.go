// Package overlay turns the one source of the in-chart engine into the template of one chart.
package overlay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// ErrNumber is returned for a number under a key with a dot or a comma, which the engine could not find.
var ErrNumber = errors.New("a number under a key with a dot or a comma")

// ErrBraces is returned for a default that holds {{, which a template cannot carry as text.
var ErrBraces = errors.New("a default holds {{")

// Rename gives the named templates of a source the chart's name in front: in an umbrella chart all templates share one
// name space.
func Rename(source, chart string) string { return strings.ReplaceAll(source, "CHART.", chart+".") }

// Engine returns the engine for one chart: the source renamed, the chart's defaults as JSON, in the form of Helm's
// toJson, so that the engine can tell a default from a value that a user set under defaults, and the paths of the defaults
// that are integers or lists that hold numbers.
func Engine(source, chart string, defaults map[string]any) (string, error) {
	text, err := json.Marshal(defaults)
	if err != nil {
		return "", err
	}
	if bytes.Contains(text, []byte("{{")) {
		return "", ErrBraces
	}
	paths, err := numbers(nil, nil, defaults)
	if err != nil {
		return "", err
	}
	slices.Sort(paths)
	return Rename(source, chart) + fmt.Sprintf(`
{{- /* The chart's defaults as JSON. */ -}}
{{- define "%[1]s.overlay.defaults" -}}
%[2]s
{{- end -}}

{{- /* The paths of the defaults that are integers, or lists that hold numbers. */ -}}
{{- define "%[1]s.overlay.defaults.numbers" -}}
%[3]s
{{- end -}}
`, chart, text, strings.Join(paths, ",")), nil
}

// numbers adds the paths of the values in m that are integers, or lists with numbers anywhere in them.
func numbers(to []string, at []string, m map[string]any) ([]string, error) {
	for key, value := range m {
		path := append(slices.Clone(at), key)
		if inner, ok := value.(map[string]any); ok {
			var err error
			if to, err = numbers(to, path, inner); err != nil {
				return nil, err
			}
			continue
		}
		if f, ok := value.(float64); ok && !isInteger(f) || !hasNumber(value) {
			continue
		}
		if slices.ContainsFunc(path, func(key string) bool { return strings.ContainsAny(key, ".,") }) {
			return nil, fmt.Errorf("%w: %q", ErrNumber, path)
		}
		to = append(to, strings.Join(path, "."))
	}
	return to, nil
}

// isInteger tells a number that the engine turns into an int64 from one that stays a float.
func isInteger(f float64) bool { return math.Trunc(f) == f && f >= -1<<63 && f < 1<<63 }

func hasNumber(value any) bool {
	switch value := value.(type) {
	case float64:
		return true
	case []any:
		return slices.ContainsFunc(value, hasNumber)
	case map[string]any:
		for _, v := range value {
			if hasNumber(v) {
				return true
			}
		}
	}
	return false
}
