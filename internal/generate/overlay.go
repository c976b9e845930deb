package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

// overlay gives each chart its own copy of the engine and of the shared helpers, under names that begin with the
// chart's: in an umbrella chart all templates share one name space. To the engine it adds the chart's defaults as
// JSON, so that the engine can tell a default from a value that a user set under defaults.
func overlay(root string) (map[string][]byte, error) {
	charts, err := chartNames(root)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, name := range []string{"overlay", "shared"} {
		source := path.Join("manifests/overlay", name+".tpl")
		text, err := os.ReadFile(filepath.Join(root, source))
		if err != nil {
			return nil, err
		}
		for _, chart := range charts {
			out := fmt.Sprintf("{{- /* "+header+" */ -}}\n", source) + strings.ReplaceAll(string(text), "CHART.", chart+".")
			if name == "overlay" {
				defaults, err := defaultsJSON(filepath.Join(root, "manifests/charts", chart, "values.yaml"))
				if err != nil {
					return nil, err
				}
				out += fmt.Sprintf("\n{{- /* The chart's defaults as JSON. */ -}}\n{{- define %q -}}\n%s\n{{- end -}}\n", chart+".overlay.defaults", defaults)
			}
			files[path.Join("manifests/charts", chart, "templates/_"+name+".tpl")] = []byte(out)
		}
	}
	return files, nil
}

// defaultsJSON returns the map under defaults in a values file, as Helm's toJson prints it.
func defaultsJSON(file string) ([]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var values struct {
		Defaults map[string]any `json:"defaults"`
	}
	if err := yaml.UnmarshalStrict(text, &values); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if values.Defaults == nil {
		return nil, fmt.Errorf("%s: no map defaults", file)
	}
	if at := nullLeaf("defaults", values.Defaults); at != "" {
		return nil, fmt.Errorf("%s: %s is null: Helm 3 keeps such a leaf and Helm 4 drops it; leave the key out", file, at)
	}
	out, err := json.Marshal(values.Defaults)
	if err != nil {
		return nil, err
	}
	if bytes.Contains(out, []byte("{{")) {
		// The braces of nested empty maps never meet in JSON text, but those of a string could.
		return nil, fmt.Errorf("%s: a default holds {{, which a template cannot carry", file)
	}
	return out, nil
}

// nullLeaf returns the path of a null in value, "" where there is none.
func nullLeaf(at string, value any) string {
	switch value := value.(type) {
	case nil:
		return at
	case map[string]any:
		for key, v := range value {
			if found := nullLeaf(at+"."+key, v); found != "" {
				return found
			}
		}
	case []any:
		for n, v := range value {
			if found := nullLeaf(fmt.Sprintf("%s[%d]", at, n), v); found != "" {
				return found
			}
		}
	}
	return ""
}
