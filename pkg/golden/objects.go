package golden

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"

	"github.com/stratamesh/strata/pkg/manifest"
	"github.com/stratamesh/strata/pkg/render"
)

// An entry is one object as a golden file holds it.
type entry struct {
	id manifest.ID
	// text is the object as YAML, without what is ignored. A value that stands once is only named in it.
	text []byte
	// value is the object with those values in it.
	value map[string]any
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
		case n >= len(other) || r[n].id != other[n].id || !reflect.DeepEqual(r[n].value, other[n].value):
			return r[n].id.String()
		}
	}
	return ""
}

// A reader turns renders into entries. Most templates render to the same text under most overlays, so what was read once is
// kept, by its text. It may be used by several goroutines.
type reader struct {
	ignore, once []rule

	mu    sync.Mutex
	known map[[sha256.Size]byte][]entry
}

func newReader(m Matrix) (*reader, error) {
	r := &reader{known: map[[sha256.Size]byte][]entry{}}
	var err error
	if r.ignore, err = parseRules(m.Ignore); err != nil {
		return nil, fmt.Errorf("%w: golden.ignore: %w", ErrConfig, err)
	}
	if r.once, err = parseRules(m.Once); err != nil {
		return nil, fmt.Errorf("%w: golden.once: %w", ErrConfig, err)
	}
	for _, rule := range r.once {
		if rule.path == nil {
			return nil, fmt.Errorf("%w: golden.once: %s: needs a path", ErrConfig, rule.text)
		}
	}
	return r, nil
}

// read turns one render into entries. An object that is rendered twice is refused.
func (r *reader) read(output *render.Output) (result, error) {
	var all result
	for _, f := range output.Files {
		entries, err := r.file(f)
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

func (r *reader) file(f render.File) ([]entry, error) {
	key := sha256.Sum256([]byte(f.Name + "\x00" + f.Text))
	r.mu.Lock()
	entries, found := r.known[key]
	r.mu.Unlock()
	if found {
		return entries, nil
	}
	objects, err := manifest.Parse(f.Name, []byte(f.Text))
	if err != nil {
		return nil, err
	}
	for _, object := range objects {
		e, keep, err := r.object(object)
		if err != nil {
			return nil, err
		}
		if keep {
			entries = append(entries, e)
		}
	}
	r.mu.Lock()
	r.known[key] = entries
	r.mu.Unlock()
	return entries, nil
}

// object applies the rules to one object. keep is false where the whole object is ignored.
func (r *reader) object(object manifest.Object) (e entry, keep bool, err error) {
	e = entry{id: object.ID, once: map[string][]byte{}}
	value := object.Value
	for _, rule := range r.ignore {
		if !rule.matches(object.ID) {
			continue
		}
		if rule.path == nil {
			return e, false, nil
		}
		value = without(value, rule.path)
	}
	e.value = value
	for _, rule := range r.once {
		if !rule.matches(object.ID) {
			continue
		}
		big, found := lookup(value, rule.path)
		if !found {
			continue
		}
		name := path.Join("once", strings.ToLower(object.ID.Kind)+"-"+object.ID.Name+"-"+strings.Join(rule.path, ".")+".yaml")
		text, isText := big.(string)
		body := []byte(text)
		if !isText {
			if body, err = yaml.Marshal(big); err != nil {
				return e, false, err
			}
		}
		e.once[name] = append([]byte(nil), body...)
		value = with(value, rule.path, "see "+name)
	}
	e.text, err = yaml.Marshal(value)
	return e, true, err
}

// lookup returns the value at a path of keys.
func lookup(value any, keys []string) (any, bool) {
	for _, key := range keys {
		m, ok := value.(map[string]any)
		if !ok {
			return nil, false
		}
		if value, ok = m[key]; !ok {
			return nil, false
		}
	}
	return value, true
}

// without returns the object without the value at a path; maps that change are copied.
func without(m map[string]any, keys []string) map[string]any {
	value, found := m[keys[0]]
	if !found {
		return m
	}
	out := maps.Clone(m)
	inner, isMap := value.(map[string]any)
	switch {
	case len(keys) == 1:
		delete(out, keys[0])
	case isMap:
		out[keys[0]] = without(inner, keys[1:])
	}
	return out
}

// with returns the object with another value at a path that it has; maps that change are copied.
func with(m map[string]any, keys []string, value any) map[string]any {
	out := maps.Clone(m)
	if len(keys) > 1 {
		inner, _ := m[keys[0]].(map[string]any)
		value = with(inner, keys[1:], value)
	}
	out[keys[0]] = value
	return out
}

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
		fmt.Fprintf(&b, "# What the chart %s renders to with the overlay %s. Code generated by make golden; DO NOT EDIT.\n", chart, cases[n].Overlay.Name)
		for _, e := range results[n] {
			text := e.text
			for _, name := range slices.Sorted(maps.Keys(e.once)) {
				file := path.Join(chart, name)
				if first, found := files[file]; !found {
					files[file] = e.once[name]
				} else if !bytes.Equal(first, e.once[name]) {
					var err error
					if text, err = yaml.Marshal(e.value); err != nil {
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
