// Package render executes Helm charts in process, as helm template does, with the engine of Helm 3 or of Helm 4.
//
// A chart is loaded once and may then be rendered any number of times, also at the same time by several goroutines.
// Nothing is written and no cluster is asked. Charts come from a directory, a packaged archive or any set of files.
package render

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/releaseutil"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
)

// An Engine is a major version of Helm.
type Engine int

// The engines.
const (
	Helm3 Engine = 3
	Helm4 Engine = 4
)

// String returns "Helm 3" or "Helm 4".
func (e Engine) String() string { return fmt.Sprintf("Helm %d", int(e)) }

// ErrSchema is in the chain of an error where values do not fit a chart's values.schema.json.
var ErrSchema = errors.New("values do not fit the schema")

// DefaultKubeVersion is the version of Kubernetes that charts see where none is given. The engines have a default of their
// own only in release builds of Helm.
const DefaultKubeVersion = "v1.37.0"

// Options say how a chart is rendered. The zero value renders a first installation.
type Options struct {
	// Release is the name of the release; the chart's name where it is empty.
	Release string
	// Namespace of the release; "default" where it is empty.
	Namespace string
	// IsUpgrade renders what helm upgrade would.
	IsUpgrade bool
	// KubeVersion is that of the cluster, such as "v1.34.0"; DefaultKubeVersion where it is empty.
	KubeVersion string
	// APIVersions are offered to templates besides the built-in ones, as GROUP/VERSION or GROUP/VERSION/KIND.
	APIVersions []string
	// Values are the explicit ones, not yet merged with the chart's. They are only read.
	Values map[string]any
}

// Output is what a chart renders to.
type Output struct {
	// Files are the rendered templates with any text in them, sorted by name.
	Files []File
	// Notes is the text of the chart's own NOTES.txt.
	Notes string
}

// A File is one rendered template.
type File struct {
	// Name is the path of the template, with the chart's name in front: "base/templates/clusterrole.yaml".
	Name string
	Text string
}

// Manifest returns all objects as helm template prints them: as one stream of YAML documents in the order of installation, hooks
// last, each with the comment "# Source:". The error is one of a template that renders to no YAML.
func (o *Output) Manifest() (string, error) {
	files := make(map[string]string, len(o.Files))
	for _, f := range o.Files {
		files[f.Name] = f.Text
	}
	hooks, manifests, err := releaseutil.SortManifests(files, nil, releaseutil.InstallOrder)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, m := range manifests {
		fmt.Fprintf(&b, "---\n# Source: %s\n%s\n", m.Name, m.Content)
	}
	for _, h := range hooks {
		fmt.Fprintf(&b, "---\n# Source: %s\n%s\n", h.Path, h.Manifest)
	}
	return b.String(), nil
}

// A Chart is a loaded chart.
type Chart struct {
	// Name and the rest are those of Chart.yaml.
	Name, Version, AppVersion string
	Annotations               map[string]string
	// Defaults is the chart's values.yaml, for reading only.
	Defaults map[string]any

	files  []file
	helm3  *helm3Chart
	helm4  *helm4Chart
	schema *schema
}

// A file of a chart, with its path below the chart's root.
type file struct {
	name string
	data []byte
}

// File returns a file of the chart by its path below the chart's root.
func (c *Chart) File(name string) ([]byte, bool) {
	for _, f := range c.files {
		if f.name == name {
			return slices.Clone(f.data), true
		}
	}
	return nil, false
}

// Render executes all templates of the chart and of its dependencies. The errors are the engine's own, as helm prints them;
// those of the schema carry ErrSchema.
func (c *Chart) Render(engine Engine, o Options) (*Output, error) {
	if o.Release == "" {
		o.Release = c.Name
	}
	if o.Namespace == "" {
		o.Namespace = "default"
	}
	if o.KubeVersion == "" {
		o.KubeVersion = DefaultKubeVersion
	}
	var texts map[string]string
	var err error
	switch engine {
	case Helm3:
		texts, err = c.helm3.render(c.schema, o)
	case Helm4:
		texts, err = c.helm4.render(c.schema, o)
	default:
		err = fmt.Errorf("no engine %d", int(engine))
	}
	if err != nil {
		return nil, fmt.Errorf("chart %s with %s: %w", c.Name, engine, err)
	}
	return output(c.Name, texts), nil
}

// output sorts what an engine returns: partials render to nothing of interest, NOTES.txt stands alone.
func output(chart string, texts map[string]string) *Output {
	out := &Output{}
	for name, text := range texts {
		base := path.Base(name)
		switch {
		case base == "NOTES.txt":
			if name == path.Join(chart, "templates", base) {
				out.Notes = text
			}
		case strings.HasPrefix(base, "_"), strings.TrimSpace(text) == "":
		default:
			out.Files = append(out.Files, File{Name: name, Text: text})
		}
	}
	slices.SortFunc(out.Files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// MergeValues merges values files as helm does for -f upper after -f lower: null stays null, and anything replaces anything
// but a map a map. Neither input is changed.
func MergeValues(lower, upper map[string]any) map[string]any { return loader.MergeMaps(lower, upper) }
