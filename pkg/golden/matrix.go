package golden

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/stratamesh/strata/pkg/profiles"
	"github.com/stratamesh/strata/pkg/profiles/load"
	"github.com/stratamesh/strata/pkg/render"
)

var archiveName = regexp.MustCompile(`^(.*)-\d+\.\d+\.\d+.*\.tgz$`)

// A Case is one golden file: a chart under an overlay, for one version of Kubernetes.
type Case struct {
	Chart       Chart
	Overlay     Overlay
	KubeVersion string
	// File is the golden file's path below the golden directory.
	File string
}

// Cases lists the matrix, sorted by file. fsys is the folder of strata.yaml.
func (c *Config) Cases(fsys fs.FS) ([]Case, error) {
	overlays, err := c.Golden.overlays(fsys)
	if err != nil {
		return nil, err
	}
	versions := c.Golden.KubeVersions
	if len(versions) == 0 {
		versions = []string{render.DefaultKubeVersion}
	}
	var cases []Case
	for _, chart := range c.Charts {
		for _, name := range chart.Overlays {
			if !slices.ContainsFunc(overlays, func(o Overlay) bool { return o.Name == name }) {
				return nil, fmt.Errorf("%w: charts: %s: unknown overlay %q", ErrConfig, chart.Path, name)
			}
		}
		for _, overlay := range overlays {
			if len(chart.Overlays) > 0 && !slices.Contains(chart.Overlays, overlay.Name) {
				continue
			}
			for _, version := range versions {
				file := overlay.Name
				if len(versions) > 1 {
					file += "@" + version
				}
				cases = append(cases, Case{chart, overlay, version, path.Join(chart.Name(), file+".yaml")})
			}
		}
	}
	if len(cases) == 0 {
		return nil, fmt.Errorf("%w: golden: no overlays", ErrConfig)
	}
	slices.SortFunc(cases, func(a, b Case) int { return strings.Compare(a.File, b.File) })
	return cases, nil
}

// Render renders cases of a matrix and returns what the golden files should hold, by their path below the golden directory.
// Helm 4 renders every case, Helm 3 the templates with a text that it has not been held against yet; both must give the same
// objects. progress may be nil. The error holds the faults of all cases.
func (c *Config) Render(ctx context.Context, fsys fs.FS, cases []Case, progress func(done, total int)) (map[string][]byte, error) {
	charts, err := loadCharts(fsys, cases)
	if err != nil {
		return nil, err
	}
	reader, err := newReader(c.Golden)
	if err != nil {
		return nil, err
	}
	inputs := make(map[string]func() (profiles.Input, error), len(charts))
	for name, chart := range charts {
		inputs[name] = inputOf(chart)
	}
	all := make([]*run, len(cases))
	for n, k := range cases {
		all[n] = &run{Case: k, chart: charts[k.Chart.Path], input: inputs[k.Chart.Path]}
	}
	if err := each(ctx, all, progress, func(r *run) error { return r.render(fsys, reader) }); err != nil {
		return nil, err
	}
	if err := each(ctx, novel(all), progress, func(r *run) error { return r.compare(reader) }); err != nil {
		return nil, err
	}
	results := make([]result, len(cases))
	for n, r := range all {
		results[n] = r.objects
	}
	return assemble(cases, results)
}

// loadCharts loads the charts of cases, by path, several at a time.
func loadCharts(fsys fs.FS, cases []Case) (map[string]*render.Chart, error) {
	var paths []string
	for _, k := range cases {
		if !slices.Contains(paths, k.Chart.Path) {
			paths = append(paths, k.Chart.Path)
		}
	}
	loaded, faults := make([]*render.Chart, len(paths)), make([]error, len(paths))
	var group errgroup.Group
	for n, name := range paths {
		group.Go(func() error {
			loaded[n], faults[n] = loadChart(fsys, name)
			return nil
		})
	}
	_ = group.Wait() // the faults tell
	charts := map[string]*render.Chart{}
	for n, name := range paths {
		charts[name] = loaded[n]
	}
	return charts, errors.Join(faults...)
}

func loadChart(fsys fs.FS, name string) (*render.Chart, error) {
	if info, err := fs.Stat(fsys, name); err != nil {
		return nil, fmt.Errorf("chart %s: %w", name, err)
	} else if !info.IsDir() {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("chart %s: %w", name, err)
		}
		chart, err := render.Archive(bytes.NewReader(text))
		if err != nil {
			return nil, fmt.Errorf("chart %s: %w", name, err)
		}
		return chart, nil
	}
	sub, err := fs.Sub(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", name, err)
	}
	chart, err := render.FS(sub)
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", name, err)
	}
	return chart, nil
}

// values are the explicit values of a case: its files, then its selectors.
func (k Case) values(fsys fs.FS) (map[string]any, error) {
	values := map[string]any{}
	for _, file := range slices.Concat(k.Chart.Values, k.Overlay.Values) {
		text, err := fs.ReadFile(fsys, file)
		if err != nil {
			return nil, err
		}
		document, err := load.Parse(file, text)
		if err != nil {
			return nil, err
		}
		values = render.MergeValues(values, document.Values)
	}
	if k.Overlay.Profile != nil {
		values["profile"] = k.Overlay.Profile
	}
	if k.Overlay.CompatibilityVersion != "" {
		values["compatibilityVersion"] = k.Overlay.CompatibilityVersion
	}
	if k.Overlay.Platform != "" {
		values["platform"] = k.Overlay.Platform
	}
	return values, nil
}

func compare(a, b string) int { return strings.Compare(a, b) }
