package data

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Generator reads the source files that make kubernetes.json, in order. dir is test/schemas.
func Generator(dir string) ([][]byte, error) {
	var out [][]byte
	for _, pattern := range []string{"generate/*.go", "internal/data/*.go"} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, err
		}
		slices.Sort(names)
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			out = append(out, text)
		}
	}
	return out, nil
}
