package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
)

// profileCopies gives each chart every profile, platform and compatibility version, also those that change nothing in it.
func profileCopies(root string) (map[string][]byte, error) {
	charts, err := chartNames(root)
	if err != nil {
		return nil, err
	}
	sources, err := filepath.Glob(filepath.Join(root, "manifests/profiles/*.yaml"))
	if err != nil {
		return nil, err
	}
	if len(sources) == 0 {
		return nil, fmt.Errorf("no profiles in %s", filepath.Join(root, "manifests/profiles"))
	}
	files := map[string][]byte{}
	for _, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			return nil, err
		}
		name := filepath.Base(source)
		out := append([]byte(fmt.Sprintf("# "+header+"\n", path.Join("manifests/profiles", name))), text...)
		for _, chart := range charts {
			files[path.Join("manifests/charts", chart, "files/profiles", name)] = out
		}
	}
	return files, nil
}
