package render

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"helm.sh/helm/v3/pkg/ignore"
)

// maxArchive is the most that an archive may unpack to, as in Helm.
const maxArchive = 100 << 20

// Load reads a chart from a directory or from an archive (.tgz) as helm package makes it.
func Load(name string) (*Chart, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("chart: %w", err)
	}
	if info.IsDir() {
		c, err := FS(os.DirFS(name))
		if err != nil {
			return nil, fmt.Errorf("chart %s: %w", name, err)
		}
		return c, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("chart: %w", err)
	}
	defer func() { _ = f.Close() }() // nothing was written
	c, err := Archive(f)
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", name, err)
	}
	return c, nil
}

// FS reads a chart whose Chart.yaml is at the root of fsys, without what its .helmignore names.
func FS(fsys fs.FS) (*Chart, error) {
	rules := ignore.Empty()
	if text, err := fs.ReadFile(fsys, ignore.HelmIgnore); err == nil {
		if rules, err = ignore.Parse(bytes.NewReader(text)); err != nil {
			return nil, fmt.Errorf("%s: %w", ignore.HelmIgnore, err)
		}
	}
	rules.AddDefaults()
	var files []file
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if rules.Ignore(name, info) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return nil
		}
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		files = append(files, file{name, bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return newChart(files)
}

// Archive reads a packaged chart.
func Archive(r io.Reader) (*Chart, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("not a packaged chart: %w", err)
	}
	var files []file
	left := int64(maxArchive)
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("not a packaged chart: %w", err)
		}
		_, name, found := strings.Cut(path.Clean(h.Name), "/")
		if h.Typeflag != tar.TypeReg || !found {
			continue
		}
		data, err := io.ReadAll(io.LimitReader(t, left+1))
		if err != nil {
			return nil, fmt.Errorf("not a packaged chart: %w", err)
		}
		if left -= int64(len(data)); left < 0 {
			return nil, fmt.Errorf("the archive unpacks to more than %d MiB", maxArchive>>20)
		}
		files = append(files, file{name, bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))})
	}
	return newChart(files)
}

func newChart(files []file) (*Chart, error) {
	h3, err := loadHelm3(files)
	if err != nil {
		return nil, err
	}
	h4, err := loadHelm4(files)
	if err != nil {
		return nil, err
	}
	m := h3.chart.Metadata
	s, err := compileSchema(h3.chart)
	if err != nil {
		return nil, err
	}
	return &Chart{
		Name: m.Name, Version: m.Version, AppVersion: m.AppVersion, Annotations: m.Annotations,
		Defaults: h3.chart.Values, files: files, helm3: h3, helm4: h4, schema: s,
	}, nil
}
