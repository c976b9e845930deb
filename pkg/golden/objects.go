package golden

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v2"

	"github.com/stratamesh/strata/pkg/manifest"
	"github.com/stratamesh/strata/pkg/render"
)

// An entry is one object as a golden file holds it.
type entry struct {
	id manifest.ID
	// text is the object as YAML, without what is ignored. A value that stands once is only named in it.
	text []byte
	// object is the whole, with those values in it.
	object manifest.Object
	// once are the values that stand in files of their own, by the name of the file.
	once map[string][]byte
}

// A result is one render, sorted by object.
type result []entry

// differs names an object in which two results differ, "" where they are the same.
func (r result) differs(other result) string {
	for n := range max(len(r), len(other)) {
		switch {
		case n >= len(r):
			return other[n].id.String()
		case n >= len(other) || r[n].id != other[n].id || !reflect.DeepEqual(r[n].object.Value, other[n].object.Value):
			return r[n].id.String()
		}
	}
	return ""
}

// A reader turns renders into entries. Most templates render to the same text under most overlays, so what was read once is
// kept, by its text. It may be used by several goroutines.
type reader struct {
	ignore, once []manifest.Rule

	mu    sync.Mutex
	known map[render.File]*reading
}

// A reading is one text of one template.
type reading struct {
	text    string
	entries func() ([]entry, error)
}

func newReader(m Matrix) (*reader, error) {
	r := &reader{known: map[render.File]*reading{}}
	var err error
	if r.ignore, err = manifest.ParseRules(m.Ignore...); err != nil {
		return nil, fmt.Errorf("%w: golden.ignore: %w", ErrConfig, err)
	}
	if r.once, err = manifest.ParseRules(m.Once...); err != nil {
		return nil, fmt.Errorf("%w: golden.once: %w", ErrConfig, err)
	}
	for _, rule := range r.once {
		if !rule.HasPath() {
			return nil, fmt.Errorf("%w: golden.once: %s: needs a path", ErrConfig, rule)
		}
	}
	return r, nil
}

// read turns one render into entries, and lets its files share their texts with those read before. An object that is rendered
// twice is refused.
func (r *reader) read(output *render.Output) (result, error) {
	var all result
	for n := range output.Files {
		known := r.reading(output.Files[n])
		output.Files[n].Text = known.text
		entries, err := known.entries()
		if err != nil {
			return nil, err
		}
		all = append(all, entries...)
	}
	slices.SortFunc(all, func(a, b entry) int { return compare(sortKey(a.id), sortKey(b.id)) })
	for n := 1; n < len(all); n++ {
		if all[n].id == all[n-1].id {
			return nil, fmt.Errorf("%s is rendered twice", all[n].id)
		}
	}
	return all, nil
}

func sortKey(id manifest.ID) string {
	return strings.Join([]string{id.Kind, id.Group, id.Namespace, id.Name}, "\x00")
}

// reading finds the reading of a file. Of several goroutines with the same text one reads it, and the others wait.
func (r *reader) reading(f render.File) *reading {
	r.mu.Lock()
	defer r.mu.Unlock()
	known, found := r.known[f]
	if !found {
		known = &reading{f.Text, sync.OnceValues(func() ([]entry, error) { return r.entries(f) })}
		r.known[f] = known
	}
	return known
}

func (r *reader) entries(f render.File) ([]entry, error) {
	objects, err := manifest.Parse(f.Name, []byte(f.Text))
	if err != nil {
		return nil, err
	}
	var entries []entry
	for _, object := range objects {
		e, keep, err := r.object(object)
		if err != nil {
			return nil, err
		}
		if keep {
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// object applies the rules to one object. keep is false where the whole object is ignored.
func (r *reader) object(object manifest.Object) (e entry, keep bool, err error) {
	e = entry{id: object.ID, once: map[string][]byte{}}
	for _, rule := range r.ignore {
		switch {
		case !rule.Matches(object.ID):
		case !rule.HasPath():
			return e, false, nil
		default:
			object = manifest.Without(object, rule.Path)
		}
	}
	e.object = object
	for _, rule := range r.once {
		if !rule.Matches(object.ID) {
			continue
		}
		object = manifest.Edit(object, rule.Path, func(at manifest.Path, value any) (any, bool) {
			name := path.Join("once", strings.ToLower(object.ID.Kind)+"-"+object.ID.Name+"-"+at.String()+".yaml")
			body, isText := value.(string)
			if !isText {
				text, marshalErr := yaml.Marshal(value)
				body, err = string(text), errors.Join(err, marshalErr)
			}
			e.once[name] = []byte(body)
			return "see " + name, true
		})
	}
	text, canonicalErr := manifest.Canonical(object)
	e.text = text
	return e, true, errors.Join(err, canonicalErr)
}

// header begins each golden file with objects.
const header = "# What the chart "

// assemble makes the golden files of cases. A value that stands once is taken from the first case of its chart that has it;
// a case with another value holds its own.
func assemble(cases []Case, results []result) (map[string][]byte, error) {
	order := make([]int, len(cases))
	for n := range order {
		order[n] = n
	}
	slices.SortFunc(order, func(a, b int) int { return compare(cases[a].File, cases[b].File) })
	files := map[string][]byte{}
	for _, n := range order {
		chart := cases[n].Chart.Name()
		var b bytes.Buffer
		fmt.Fprintf(&b, header+"%s renders to with the overlay %s. Code generated by make golden; DO NOT EDIT.\n", chart, cases[n].Overlay.Name)
		for _, e := range results[n] {
			text := e.text
			for _, name := range slices.Sorted(maps.Keys(e.once)) {
				file := path.Join(chart, name)
				if first, found := files[file]; !found {
					files[file] = e.once[name]
				} else if !bytes.Equal(first, e.once[name]) {
					var err error
					if text, err = manifest.Canonical(e.object); err != nil {
						return nil, err
					}
				}
			}
			b.WriteString("---\n")
			b.Write(text)
		}
		files[cases[n].File] = b.Bytes()
	}
	return files, nil
}
