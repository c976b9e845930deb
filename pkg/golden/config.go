// Package golden guards what charts render to: it renders a matrix of charts and overlays in process, with Helm 3 and Helm 4, and
// compares it with files. Any repository with charts can use it; strata.yaml says what the matrix is.
package golden

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"sigs.k8s.io/yaml"

	"github.com/stratamesh/strata/pkg/profiles"
	"github.com/stratamesh/strata/pkg/profiles/load"
)

// ErrConfig is in the chain of an error about strata.yaml.
var ErrConfig = errors.New("configuration")

// A Config is the content of strata.yaml. All paths in it are below the folder of that file.
type Config struct {
	// Charts are in the order in which they are installed.
	Charts []Chart `json:"charts"`
	// Golden says what is guarded.
	Golden Matrix `json:"golden"`
}

// A Chart is one chart and how it is installed.
type Chart struct {
	// Path is a chart's folder or its archive.
	Path      string `json:"path"`
	Release   string `json:"release"`
	Namespace string `json:"namespace"`
	// Namespaces are other ones, by the platform under which the chart goes there.
	Namespaces map[string]string `json:"namespaces"`
	// Values are files with explicit values, for every overlay.
	Values []string `json:"values"`
	// Overlays are the names of those that are guarded; all where it is empty.
	Overlays []string `json:"overlays"`
}

// Name is the last element of the chart's path, without version and extension of an archive.
func (c Chart) Name() string {
	name := path.Base(c.Path)
	if m := archiveName.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return name
}

// A Matrix is what is rendered: each chart under each overlay for each version of Kubernetes.
type Matrix struct {
	// Directory holds the golden files: CHART/OVERLAY.yaml, or CHART/OVERLAY@VERSION.yaml where there are several versions.
	Directory string `json:"directory"`
	// Profiles is a folder of profiles, each an overlay.
	Profiles string `json:"profiles"`
	// Overlays are more overlays.
	Overlays []Overlay `json:"overlays"`
	// KubeVersions are the versions of Kubernetes to render for; one default where it is empty.
	KubeVersions []string `json:"kubeVersions"`
	// Ignore are rules Kind:namespace:name[:path] for objects and values that are not guarded.
	Ignore []string `json:"ignore"`
	// Once are rules for big values that stand in a file of their own, in the folder once of a chart.
	Once []string `json:"once"`
}

// An Overlay is one selection of layers.
type Overlay struct {
	Name                 string   `json:"name"`
	Profile              any      `json:"profile,omitempty"`
	CompatibilityVersion string   `json:"compatibilityVersion,omitempty"`
	Platform             string   `json:"platform,omitempty"`
	Values               []string `json:"values,omitempty"`
}

// ReadConfig reads a configuration. Unknown keys, paths that lead out of the folder and names that occur twice are refused.
func ReadConfig(source string, text []byte) (*Config, error) {
	var c Config
	if err := yaml.UnmarshalStrict(text, &c); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrConfig, source, err)
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrConfig, source, err)
	}
	return &c, nil
}

func (c *Config) check() error {
	if len(c.Charts) == 0 {
		return errors.New("charts: at least one is needed")
	}
	seen := map[string]bool{}
	paths := []string{c.Golden.Directory, c.Golden.Profiles}
	for _, chart := range c.Charts {
		switch {
		case chart.Path == "":
			return errors.New("charts: an entry has no path")
		case seen[chart.Name()]:
			return fmt.Errorf("charts: two have the name %s", chart.Name())
		}
		seen[chart.Name()] = true
		paths = append(append(paths, chart.Path), chart.Values...)
	}
	seen = map[string]bool{}
	for _, overlay := range c.Golden.Overlays {
		if overlay.Name == "" || seen[overlay.Name] || !fs.ValidPath(overlay.Name) {
			return fmt.Errorf("golden.overlays: the name %q is empty, stands twice or cannot be that of a file", overlay.Name)
		}
		seen[overlay.Name] = true
		paths = append(paths, overlay.Values...)
	}
	for _, p := range paths {
		if p != "" && !fs.ValidPath(p) {
			return fmt.Errorf("%q is no path below the folder of the configuration", p)
		}
	}
	return nil
}

// overlays are those of the folder of profiles, then those that the configuration lists, sorted by name.
func (m *Matrix) overlays(fsys fs.FS) ([]Overlay, error) {
	overlays := slices.Clone(m.Overlays)
	if m.Profiles != "" {
		sub, err := fs.Sub(fsys, m.Profiles)
		if err != nil {
			return nil, err
		}
		files, err := fs.Glob(sub, "*.yaml")
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("%w: golden.profiles: no profiles in %s", ErrConfig, m.Profiles)
		}
		for _, file := range files {
			layer := load.LayerOf(file)
			overlay := Overlay{Name: file[:len(file)-len(".yaml")]}
			switch layer.Kind {
			case profiles.KindPlatform:
				overlay.Platform = layer.Name
			case profiles.KindCompatibility:
				overlay.CompatibilityVersion = layer.Name
			default:
				overlay.Profile = layer.Name
			}
			if slices.ContainsFunc(m.Overlays, func(o Overlay) bool { return o.Name == overlay.Name }) {
				return nil, fmt.Errorf("%w: golden.overlays: %s is also a file of %s", ErrConfig, overlay.Name, m.Profiles)
			}
			overlays = append(overlays, overlay)
		}
	}
	slices.SortFunc(overlays, func(a, b Overlay) int { return compare(a.Name, b.Name) })
	return overlays, nil
}
