package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"

	"sigs.k8s.io/yaml"

	engine "github.com/stratamesh/strata/internal/overlay"
)

// overlay gives each chart its own copy of the engine and of the shared helpers.
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
			out := engine.Rename(string(text), chart)
			if name == "overlay" {
				defaults, err := readDefaults(filepath.Join(root, "manifests/charts", chart, "values.yaml"))
				if err != nil {
					return nil, err
				}
				if out, err = engine.Engine(string(text), chart, defaults); err != nil {
					return nil, fmt.Errorf("%s: %w", chart, err)
				}
			}
			out = fmt.Sprintf("{{- /* "+header+" */ -}}\n", source) + out
			files[path.Join("manifests/charts", chart, "templates/_"+name+".tpl")] = []byte(out)
		}
	}
	return files, nil
}

// readDefaults returns the map under defaults in a values file.
func readDefaults(file string) (map[string]any, error) {
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
	return values.Defaults, nil
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
