package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	strata "github.com/stratamesh/strata"
	"github.com/stratamesh/strata/pkg/golden"
	"github.com/stratamesh/strata/pkg/render"
)

// A suite is the charts that a command works on.
type suite struct {
	// dir is a folder of charts or an archive given by the user; empty for the charts that the program carries along.
	dir    string
	config *golden.Config
}

// openSuite opens the charts in the program, or those in a folder or archive.
func openSuite(dir string) (*suite, error) {
	text, err := strata.Files.ReadFile("strata.yaml")
	if err != nil {
		return nil, err
	}
	config, err := golden.ReadConfig("strata.yaml", text)
	if err != nil {
		return nil, err
	}
	return &suite{dir: dir, config: config}, nil
}

// names are those of the charts, in the order in which they are installed.
func (s *suite) names() ([]string, error) {
	if s.dir == "" {
		names := make([]string, 0, len(s.config.Charts))
		for _, c := range s.config.Charts {
			names = append(names, c.Name())
		}
		return names, nil
	}
	if single, err := s.single(); err != nil || single {
		return []string{strings.TrimSuffix(filepath.Base(s.dir), filepath.Ext(s.dir))}, err
	}
	found, err := filepath.Glob(filepath.Join(s.dir, "*", "Chart.yaml"))
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("--charts %s: no charts there", s.dir)
	}
	names := make([]string, 0, len(found))
	for _, file := range found {
		names = append(names, filepath.Base(filepath.Dir(file)))
	}
	slices.SortFunc(names, func(a, b string) int { return s.rank(a) - s.rank(b) })
	return names, nil
}

// rank is the place of a chart in the order of installation; charts of others come last.
func (s *suite) rank(name string) int {
	n := slices.IndexFunc(s.config.Charts, func(c golden.Chart) bool { return c.Name() == name })
	if n < 0 {
		return len(s.config.Charts)
	}
	return n
}

// source names a chart in messages: its folder or archive where the user gave one.
func (s *suite) source(name string) string {
	if s.dir == "" {
		return name
	}
	if single, err := s.single(); err == nil && single {
		return filepath.ToSlash(s.dir)
	}
	return filepath.ToSlash(filepath.Join(s.dir, name))
}

// single says whether --charts names one chart: its folder or its archive.
func (s *suite) single() (bool, error) {
	info, err := os.Stat(s.dir)
	if err != nil {
		return false, fmt.Errorf("--charts: %w", err)
	}
	if !info.IsDir() {
		return true, nil
	}
	_, err = os.Stat(filepath.Join(s.dir, "Chart.yaml"))
	return err == nil, nil
}

// install says how a chart is installed where the user does not.
func (s *suite) install(name string) golden.Chart {
	if n := s.rank(name); n < len(s.config.Charts) {
		return s.config.Charts[n]
	}
	return golden.Chart{Release: name, Namespace: "default"}
}

// load returns a chart by name, and how it is installed where the user does not say.
func (s *suite) load(name string) (*render.Chart, golden.Chart, error) {
	install := s.install(name)
	if s.dir != "" {
		dir := filepath.Join(s.dir, name)
		if single, err := s.single(); err != nil {
			return nil, install, err
		} else if single {
			dir = s.dir
		}
		c, err := render.Load(dir)
		if err != nil {
			return nil, install, err
		}
		return c, s.install(c.Name), nil
	}
	sub, err := s.embedded(name)
	if err != nil {
		return nil, install, err
	}
	c, err := render.FS(sub)
	return c, install, err
}

// embedded is the folder of a chart in this program.
func (s *suite) embedded(name string) (fs.FS, error) {
	sub, err := fs.Sub(strata.Files, path.Join("manifests/charts", name))
	if err != nil {
		return nil, err
	}
	if _, err := fs.Stat(sub, chartFile); errors.Is(err, fs.ErrNotExist) {
		names, err := s.names()
		if err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("unknown chart %q; known: %s", name, strings.Join(names, ", "))
	}
	return sub, nil
}

// files are those of a chart by their path below its root, and the chart's name.
func (s *suite) files(name string) (chart string, files map[string][]byte, err error) {
	if s.dir != "" {
		chart, _, err := s.load(name)
		if err != nil {
			return "", nil, err
		}
		return chart.Name, chart.Files(), nil
	}
	// The charts in this program are read without Helm, which would take longer than all the rest.
	sub, err := s.embedded(name)
	if err != nil {
		return "", nil, err
	}
	files = map[string][]byte{}
	return name, files, fs.WalkDir(sub, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[name], err = fs.ReadFile(sub, name)
		}
		return err
	})
}
