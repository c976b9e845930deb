package render

import (
	"fmt"
	"path"
	"slices"
	"strings"

	helm3 "helm.sh/helm/v3/pkg/chart"
	helm4common "helm.sh/helm/v4/pkg/chart/common"
)

// Files returns the files of the chart by their path below its root, for reading only. Those that .helmignore names are not there.
func (c *Chart) Files() map[string][]byte {
	files := make(map[string][]byte, len(c.files))
	for _, f := range c.files {
		files[f.name] = f.data
	}
	return files
}

// Templates names the templates of the chart itself that render to objects, sorted, as File.Name does: "istiod/templates/service.yaml".
func (c *Chart) Templates() []string {
	var names []string
	for _, f := range c.files {
		if isTemplate(f.name) && path.Base(f.name) != "NOTES.txt" {
			names = append(names, path.Join(c.Name, f.name))
		}
	}
	slices.Sort(names)
	return names
}

// isTemplate says whether a file of the chart renders to something; partials do not.
func isTemplate(name string) bool {
	return strings.HasPrefix(name, "templates/") && !strings.HasPrefix(path.Base(name), "_")
}

// Only returns the chart without any template of its own but the named ones, of the form of Templates, and the partials. It renders
// faster; nothing else about it differs. A name that is no template of the chart is refused.
func (c *Chart) Only(templates ...string) (*Chart, error) {
	all := c.Templates()
	for _, name := range templates {
		if !slices.Contains(all, name) {
			return nil, fmt.Errorf("chart %s: no template %s", c.Name, name)
		}
	}
	left := func(name string) bool {
		return isTemplate(name) && !slices.Contains(templates, path.Join(c.Name, name))
	}
	out := *c
	out.files = slices.DeleteFunc(slices.Clone(c.files), func(f file) bool { return left(f.name) })
	three, four := *c.helm3.chart, *c.helm4.chart
	three.Templates = slices.DeleteFunc(slices.Clone(three.Templates), func(f *helm3.File) bool { return left(f.Name) })
	four.Templates = slices.DeleteFunc(slices.Clone(four.Templates), func(f *helm4common.File) bool { return left(f.Name) })
	out.helm3, out.helm4 = &helm3Chart{&three}, &helm4Chart{&four}
	return &out, nil
}
