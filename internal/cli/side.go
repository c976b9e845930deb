package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stratamesh/strata/pkg/manifest"
	"github.com/stratamesh/strata/pkg/render"
)

// sides reads the sides of a comparison.
type sides struct {
	env Env
	// parser reads documents that both sides have once.
	parser manifest.Parser
	// otherCharts and charts are what selections render.
	otherCharts string
	charts      []string
	// options say how charts are rendered; the values of a selection come on top.
	options render.Options
	// rendered is true once a side was a chart or a selection.
	rendered, selected bool
	// files are the sources of objects that are files.
	files map[string]string
}

// read reads one side: - for standard input, git:REV:PATH, a chart as a folder or an archive, a folder of manifests, a manifest, or a
// selection.
func (s *sides) read(ctx context.Context, arg string) (*manifest.Set, error) {
	switch {
	case arg == "-":
		source, text, err := readInput(s.env, arg)
		if err != nil {
			return nil, err
		}
		return s.parse(source, "", text)
	case strings.HasPrefix(arg, gitPrefix):
		return s.readGit(ctx, arg)
	}
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir():
		return s.readFolder(arg)
	case err == nil:
		text, err := os.ReadFile(arg)
		if err != nil {
			return nil, err
		}
		return s.readFile(arg, arg, text)
	case errors.Is(err, fs.ErrNotExist) && strings.Contains(arg, "="):
		return s.renderSelection(arg)
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: no such file or folder; a side is a file, a folder, a chart, - for standard input, git:REV:PATH, "+
			"or a selection such as profile=ambient", arg)
	}
	return nil, err
}

func (s *sides) parse(source, file string, text []byte) (*manifest.Set, error) {
	objects, err := s.parser.Parse(source, text)
	if err != nil {
		return nil, err
	}
	s.files[source] = file
	return manifest.NewSet(objects...)
}

// readFile reads a manifest, or a chart as helm package makes it.
func (s *sides) readFile(source, file string, text []byte) (*manifest.Set, error) {
	if !isArchive(text) {
		return s.parse(source, file, text)
	}
	chart, err := render.Archive(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", source, err)
	}
	return s.renderChart(source, chart)
}

// isArchive says whether a file begins as gzip has it, which no manifest does.
func isArchive(text []byte) bool { return bytes.HasPrefix(text, []byte{0x1f, 0x8b}) }

func (s *sides) readFolder(dir string) (*manifest.Set, error) {
	files := os.DirFS(dir)
	if isChart(files) {
		chart, err := render.Load(dir)
		if err != nil {
			return nil, err
		}
		return s.renderChart(dir, chart)
	}
	return s.readFiles(files, func(name string) (source, file string) {
		file = filepath.Join(dir, filepath.FromSlash(name))
		return file, file
	})
}

func (s *sides) readGit(ctx context.Context, arg string) (*manifest.Set, error) {
	object, err := findGit(ctx, arg)
	if err != nil {
		return nil, err
	}
	_, file, _ := strings.Cut(strings.TrimPrefix(arg, gitPrefix), ":")
	file = path.Clean(file)
	if !object.isFolder {
		text, err := object.read(ctx)
		if err != nil {
			return nil, err
		}
		return s.readFile(arg, file, text)
	}
	charted := false
	files, err := object.open(ctx, func(name string) bool {
		charted = charted || name == chartFile
		return name == chartFile || isManifest(name)
	})
	if err == nil && charted {
		files, err = object.open(ctx, func(string) bool { return true })
	}
	if err != nil {
		return nil, err
	}
	if charted {
		chart, err := render.FS(files)
		if err != nil {
			return nil, fmt.Errorf("chart %s: %w", arg, err)
		}
		return s.renderChart(arg, chart)
	}
	prefix := strings.TrimSuffix(arg, "/")
	if !strings.HasSuffix(prefix, ":") {
		prefix += "/"
	}
	return s.readFiles(files, func(name string) (source, at string) { return prefix + name, path.Join(file, name) })
}

// chartFile makes a folder a chart.
const chartFile = "Chart.yaml"

func isChart(files fs.FS) bool {
	_, err := fs.Stat(files, chartFile)
	return err == nil
}

// isManifest says whether a file in a folder of manifests is one.
func isManifest(name string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(name))
}

// readFiles reads all manifests below a folder, whose names it gives to naming.
func (s *sides) readFiles(files fs.FS, naming func(name string) (source, file string)) (*manifest.Set, error) {
	var all []manifest.Object
	var faults []error
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !isManifest(name) {
			return err
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		source, file := naming(name)
		objects, err := s.parser.Parse(source, text)
		s.files[source] = file
		all, faults = append(all, objects...), append(faults, err)
		return nil
	})
	if err := errors.Join(append(faults, err)...); err != nil {
		return nil, err
	}
	return manifest.NewSet(all...)
}

// renderChart renders one chart with the values of the flags.
func (s *sides) renderChart(source string, chart *render.Chart) (*manifest.Set, error) {
	s.rendered = true
	suite, err := openSuite("")
	if err != nil {
		return nil, err
	}
	text, err := renderChart(chart, suite.install(chart.Name), render.Helm4, s.options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	return s.parse(source, "", []byte(text))
}

// renderSelection renders charts for a selection such as profile=ambient,platform=gke.
func (s *sides) renderSelection(text string) (*manifest.Set, error) {
	s.rendered, s.selected = true, true
	layers, err := parseSelection(text)
	if err != nil {
		return nil, err
	}
	options := s.options
	options.Values = map[string]any{}
	maps.Copy(options.Values, s.options.Values)
	maps.Copy(options.Values, layers)
	suite, err := openSuite(s.otherCharts)
	if err != nil {
		return nil, err
	}
	charts := s.charts
	if len(charts) == 0 {
		if charts, err = suite.names(); err != nil {
			return nil, err
		}
	}
	all, err := renderCharts(suite, charts, render.Helm4, options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", text, err)
	}
	var objects []manifest.Object
	for _, r := range all {
		source := text + " " + r.chart
		parsed, err := s.parser.Parse(source, []byte(r.text))
		if err != nil {
			return nil, err
		}
		s.files[source] = ""
		objects = append(objects, parsed...)
	}
	return manifest.NewSet(objects...)
}

// file returns the file that a source of objects is, nothing where it is none.
func (s *sides) file(source string) string { return s.files[source] }
