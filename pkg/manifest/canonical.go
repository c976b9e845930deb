package manifest

import (
	"fmt"

	"go.yaml.in/yaml/v2"
)

// Canonical returns the object as YAML, with sorted keys; the text is that of sigs.k8s.io/yaml. Parse reads it back to an
// equal value.
func Canonical(o Object) ([]byte, error) {
	text, err := yaml.Marshal(o.Value)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.ID, err)
	}
	return text, nil
}
