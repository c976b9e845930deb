package render

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Files returns the files of the chart by their path below its root, for reading only. Those that .helmignore names are not there.
func (c *Chart) Files() map[string][]byte {
	files := make(map[string][]byte, len(c.files))
	for _, f := range c.files {
		files[f.name] = f.data
	}
	return files
}

// Only returns the chart without any template but the named ones, of the form of File.Name ("istiod/templates/service.yaml"), and
// the partials. It renders faster; nothing else about it differs. A name that is no template of the chart is refused.
func (c *Chart) Only(templates ...string) (*Chart, error) {
	var kept []file
	found := 0
	for _, f := range c.files {
		isTemplate := strings.HasPrefix(f.name, "templates/") && !strings.HasPrefix(path.Base(f.name), "_")
		if isTemplate && !slices.Contains(templates, path.Join(c.Name, f.name)) {
			continue
		}
		if isTemplate {
			found++
		}
		kept = append(kept, f)
	}
	if found < len(templates) {
		return nil, fmt.Errorf("chart %s: not all of these are templates of it: %s", c.Name, strings.Join(templates, ", "))
	}
	return newChart(kept)
}
