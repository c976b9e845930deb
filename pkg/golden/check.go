package golden

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
)

// A State says what is wrong with a golden file.
type State string

// The states.
const (
	// Missing is a file that the matrix needs and that is not there.
	Missing State = "missing"
	// Stale is a file that does not hold what is rendered now.
	Stale State = "stale"
	// Orphan is a file that nothing in the matrix makes.
	Orphan State = "orphan"
)

// A Fault is one golden file that is not as it should be.
type Fault struct {
	// File is the path below the folder of strata.yaml.
	File  string
	State State
	// Want is what is rendered now, Got what the file holds; nil where there is none.
	Want, Got []byte
}

// A Shard is the part I of N of a matrix, counted from 0: charts are not split, cases are. The zero value is the whole.
type Shard struct{ Index, Count int }

// Options say what of the matrix is checked, and who hears of it.
type Options struct {
	// Shard is for Check only: an update writes all.
	Shard Shard
	// Preview is for Update only: it changes nothing.
	Preview bool
	// Progress, if any, is called while cases are rendered, by one goroutine at a time.
	Progress func(done, total int)
}

// Check renders the matrix and compares it with the golden files in fsys, the folder of strata.yaml. No fault means that all is
// as it should be. An error is one of the configuration or of a render, not of a comparison.
func Check(ctx context.Context, c *Config, fsys fs.FS, o Options) ([]Fault, error) {
	want, mine, err := c.wanted(ctx, fsys, o)
	if err != nil {
		return nil, err
	}
	got, err := c.existing(fsys)
	if err != nil {
		return nil, err
	}
	var faults []Fault
	for _, name := range slices.Sorted(maps.Keys(want)) {
		file := path.Join(c.Golden.Directory, name)
		text, found := got[name]
		switch {
		case !found:
			faults = append(faults, Fault{File: file, State: Missing, Want: want[name]})
		case !bytes.Equal(text, want[name]):
			faults = append(faults, Fault{File: file, State: Stale, Want: want[name], Got: text})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, wanted := want[name]; !wanted && mine(name) {
			faults = append(faults, Fault{File: path.Join(c.Golden.Directory, name), State: Orphan, Got: got[name]})
		}
	}
	return faults, nil
}

// Update writes the golden files anew and removes those that nothing makes. dir is the folder of strata.yaml. It returns
// what it changed, or would change.
func Update(ctx context.Context, c *Config, dir string, o Options) ([]Fault, error) {
	o.Shard = Shard{}
	faults, err := Check(ctx, c, os.DirFS(dir), o)
	if err != nil || o.Preview {
		return faults, err
	}
	for _, f := range faults {
		name := filepath.Join(dir, filepath.FromSlash(f.File))
		if f.State == Orphan {
			if err := os.Remove(name); err != nil {
				return nil, err
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(name, f.Want, 0o644); err != nil {
			return nil, err
		}
	}
	return faults, nil
}

// wanted renders the cases of a shard. mine says which existing files the shard answers for. Values that stand once for many
// cases belong to the shard that has the first of them, so shards split by chart as far as that goes.
func (c *Config) wanted(ctx context.Context, fsys fs.FS, o Options) (want map[string][]byte, mine func(string) bool, err error) {
	shard := o.Shard
	cases, err := c.Cases(fsys)
	if err != nil {
		return nil, nil, err
	}
	all := map[string]int{}
	for n, k := range cases {
		all[k.File] = n
	}
	if shard.Count < 0 || shard.Index < 0 || shard.Count > 0 && shard.Index >= shard.Count {
		return nil, nil, fmt.Errorf("%w: there is no shard %d of %d", ErrConfig, shard.Index, shard.Count)
	}
	first, end := 0, len(cases)
	if shard.Count > 1 {
		first, end = shard.Index*len(cases)/shard.Count, (shard.Index+1)*len(cases)/shard.Count
	}
	// The first case of a chart decides what stands once, so it is rendered along; its files count only in its own shard.
	rendered := slices.Clone(cases[first:end])
	for _, k := range cases[:first] {
		if slices.ContainsFunc(cases[first:end], func(o Case) bool { return o.Chart.Path == k.Chart.Path }) {
			rendered = append(rendered, k)
			break
		}
	}
	files, err := c.Render(ctx, fsys, rendered, o.Progress)
	if err != nil {
		return nil, nil, err
	}
	mine = func(name string) bool {
		if n, ok := all[name]; ok {
			return first <= n && n < end
		}
		chart, _, _ := strings.Cut(name, "/")
		owner := slices.IndexFunc(cases, func(k Case) bool { return k.Chart.Name() == chart })
		return max(owner, 0) >= first && max(owner, 0) < end
	}
	for name := range files {
		if !mine(name) {
			delete(files, name)
		}
	}
	return files, mine, nil
}

// existing reads all files below the golden directory.
func (c *Config) existing(fsys fs.FS) (map[string][]byte, error) {
	files := map[string][]byte{}
	if c.Golden.Directory == "" {
		return nil, fmt.Errorf("%w: golden.directory: needed", ErrConfig)
	}
	err := fs.WalkDir(fsys, c.Golden.Directory, func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && name == c.Golden.Directory {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(fsys, name)
		files[strings.TrimPrefix(name, c.Golden.Directory+"/")] = text
		return err
	})
	return files, err
}
