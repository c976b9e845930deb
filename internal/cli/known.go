package cli

import (
	"encoding/json"
	"fmt"

	"github.com/stratamesh/strata/pkg/profiles"
)

// knownKeys are the root keys that a chart knows as its own, and those under global; values files also hold those of other charts.
type knownKeys struct{ root, global map[string]json.RawMessage }

// readKnownKeys reads them from the schema of a chart with the overlay engine. It is nil where there is none: then all are known.
func readKnownKeys(schema []byte) (*knownKeys, error) {
	if schema == nil {
		return nil, nil
	}
	var s struct {
		Properties struct {
			Defaults *struct {
				Properties map[string]json.RawMessage `json:"properties"`
			} `json:"defaults"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		return nil, fmt.Errorf("values.schema.json: %w", err)
	}
	if s.Properties.Defaults == nil {
		return nil, nil
	}
	k := &knownKeys{root: s.Properties.Defaults.Properties}
	if text, found := k.root["global"]; found {
		var global struct {
			Properties map[string]json.RawMessage `json:"properties"`
		}
		if err := json.Unmarshal(text, &global); err != nil {
			return nil, fmt.Errorf("values.schema.json: global: %w", err)
		}
		k.global = global.Properties
	}
	return k, nil
}

func (k *knownKeys) knows(path profiles.Path) bool {
	if k == nil || len(path) == 0 {
		return true
	}
	if path[0] == "global" && len(path) > 1 {
		_, found := k.global[path[1]]
		return found
	}
	_, found := k.root[path[0]]
	return found
}
