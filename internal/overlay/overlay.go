// Package overlay turns the one source of the in-chart engine into the template of one chart.
package overlay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// ErrBraces is returned for a default that holds {{, which a template cannot carry as text.
var ErrBraces = errors.New("a default holds {{")

// Rename gives the named templates of a source the chart's name in front: in an umbrella chart all templates share one
// name space.
func Rename(source, chart string) string { return strings.ReplaceAll(source, "CHART.", chart+".") }

// Engine returns the engine for one chart: the source renamed, and the chart's defaults as JSON, in the form of Helm's
// toJson, so that the engine can tell a default from a value that a user set under defaults.
func Engine(source, chart string, defaults map[string]any) (string, error) {
	text, err := json.Marshal(defaults)
	if err != nil {
		return "", err
	}
	if bytes.Contains(text, []byte("{{")) {
		return "", ErrBraces
	}
	return Rename(source, chart) + fmt.Sprintf("\n{{- /* The chart's defaults as JSON. */ -}}\n{{- define %q -}}\n%s\n{{- end -}}\n", chart+".overlay.defaults", text), nil
}
