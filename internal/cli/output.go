package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stratamesh/strata/internal/report"
)

// An output is one -o: a format, and the file that it goes to; standard output where there is none.
type output struct {
	format report.Format
	file   string
}

func (o output) String() string {
	if o.file == "" {
		return "-o " + string(o.format)
	}
	return "-o " + string(o.format) + "=" + o.file
}

// parseOutputs reads FORMAT, FORMAT=FILE and FORMAT=-, of which at most one is standard output. Without any it is text.
func parseOutputs(items []string) ([]output, error) {
	if len(items) == 0 {
		return []output{{format: report.Text}}, nil
	}
	var all []output
	var faults []error
	for _, item := range items {
		name, file, hasFile := strings.Cut(item, "=")
		format, err := report.ParseFormat(name)
		o := output{format, file}
		switch {
		case err != nil:
			faults = append(faults, fmt.Errorf("-o %s: %w", item, err))
			continue
		case hasFile && file == "":
			faults = append(faults, fmt.Errorf("-o %s: no file after =; write %s alone for standard output", item, name))
			continue
		case file == "-":
			o.file = ""
		case hasFile:
			o.file = filepath.Clean(file)
		}
		if n := slices.IndexFunc(all, func(other output) bool { return other.file == o.file }); n >= 0 {
			place := o.file
			if place == "" {
				place = "standard output"
			}
			faults = append(faults, fmt.Errorf("-o %s and -o %s both write to %s; give one of them another file: FORMAT=FILE", all[n].format, o.format, place))
			continue
		}
		all = append(all, o)
	}
	return all, errors.Join(faults...)
}

// checkOutputs refuses files that cannot be written or are among the inputs. It leaves nothing behind.
func checkOutputs(outputs []output, inputs []string) error {
	var faults []error
	for _, o := range outputs {
		if o.file == "" {
			continue
		}
		for _, input := range inputs {
			if isInput(o.file, input) {
				faults = append(faults, fmt.Errorf("%s: this is an input, or among those in %s", o, input))
			}
		}
		t, err := newTemporary(o.file)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", o, err))
			continue
		}
		t.remove()
	}
	return errors.Join(faults...)
}

// isInput says whether a file is an input, or a manifest in a folder that is one.
func isInput(file, input string) bool {
	info, err := os.Stat(input)
	if err != nil {
		return false
	}
	if same, err := os.Stat(file); err == nil && os.SameFile(info, same) {
		return true
	}
	at, err := filepath.Rel(input, file)
	return info.IsDir() && err == nil && filepath.IsLocal(at) && isManifest(file)
}

// writeOutputs writes every output: first beside the files, which are replaced when all are written, then standard output.
func writeOutputs(stdout io.Writer, outputs []output, write func(io.Writer, report.Format) error) error {
	var done []*temporary
	defer func() {
		for _, t := range done {
			t.remove()
		}
	}()
	for _, o := range outputs {
		if o.file == "" {
			continue
		}
		t, err := newTemporary(o.file)
		if err != nil {
			return fmt.Errorf("%s: %w", o, err)
		}
		done = append(done, t)
		b := bufio.NewWriter(t.file)
		if err := errors.Join(write(b, o.format), b.Flush(), t.file.Close()); err != nil {
			return fmt.Errorf("%s: %w", o, err)
		}
	}
	for _, t := range done {
		if err := t.place(); err != nil {
			return err
		}
	}
	for _, o := range outputs {
		if o.file == "" {
			return write(stdout, o.format)
		}
	}
	return nil
}

// A temporary is a new file beside the one whose place it takes when it is written. What is no regular file, such as /dev/null or a
// pipe, is written as it is.
type temporary struct {
	file *os.File
	// target is where the file goes; empty where it is there already.
	target string
}

func newTemporary(name string) (*temporary, error) {
	target, mode := name, fs.FileMode(0)
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errors.New("this is a folder; name a file")
	case !info.Mode().IsRegular():
		file, err := os.OpenFile(name, os.O_WRONLY, 0)
		return &temporary{file: file}, err
	default:
		mode = info.Mode().Perm()
		// A link stays one: the file that it leads to is replaced.
		if target, err = filepath.EvalSymlinks(name); err != nil {
			return nil, err
		}
		// Who may not write a file shall not replace it either.
		probe, err := os.OpenFile(target, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		if err := probe.Close(); err != nil {
			return nil, err
		}
	}
	file, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+"-*")
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
		return nil, fmt.Errorf("%s: %w", filepath.Dir(target), failed.Err)
	}
	if err != nil {
		return nil, err
	}
	if mode == 0 {
		mode = newFileMode
	}
	if err := file.Chmod(mode); err != nil {
		return nil, errors.Join(err, file.Close(), os.Remove(file.Name()))
	}
	return &temporary{file, target}, nil
}

// newFileMode is that of files that are new.
const newFileMode = 0o644

// place puts the written file where it belongs.
func (t *temporary) place() error {
	if t.target == "" {
		return nil
	}
	return os.Rename(t.file.Name(), t.target)
}

// remove takes the file away, unless it is in its place.
func (t *temporary) remove() {
	_ = t.file.Close() // closed twice is as good
	if t.target != "" {
		_ = os.Remove(t.file.Name()) // placed is as good
	}
}
