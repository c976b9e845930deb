package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// marker is the file by which writeDir knows a folder that it has written.
const marker = ".strata"

// writeDir makes dir hold exactly the given files. They are written to a new folder beside it, which then takes its place, so
// that dir is never half written. A folder that holds other things is refused: it would be lost.
func writeDir(dir string, files map[string][]byte) (err error) {
	dir = filepath.Clean(dir)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	exists := err == nil
	if exists && len(entries) > 0 {
		if _, err := os.Stat(filepath.Join(dir, marker)); err != nil {
			return fmt.Errorf("%s: not empty and not written by strata; name an empty or a new folder", dir)
		}
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+"-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(fresh)) }()
	next := filepath.Join(fresh, "next")
	for name, text := range files {
		path := filepath.Join(next, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(next, marker), []byte("Written by strata render; it replaces this folder as a whole.\n"), 0o644); err != nil {
		return err
	}
	if exists {
		if err := os.Rename(dir, filepath.Join(fresh, "last")); err != nil {
			return err
		}
	}
	if err := os.Rename(next, dir); err != nil {
		if exists {
			err = errors.Join(err, os.Rename(filepath.Join(fresh, "last"), dir))
		}
		return err
	}
	return nil
}
