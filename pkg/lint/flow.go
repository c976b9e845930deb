package lint

import "slices"

// A flow is what is known of a value in a template.
type flow struct {
	// places are values of .Values that it may be, or be made of.
	places []*place
	// fields are those of a dictionary that the template makes, items the first ones of a list. rest is what they hold besides, at
	// keys and indices that are not known.
	fields map[string]*flow
	items  []*flow
	rest   *flow
	// texts are the strings that it may be, where they stand in the template. open: it may be other things than those named here.
	texts []string
	open  bool
	// index is the number that it is, where isIndex says so.
	index   int
	isIndex bool
	// copied: its fields are those of several dictionaries, in which others do not see what is set here.
	copied bool
}

// unknown is a value of which nothing is known but that no value of .Values is in it.
func unknown() *flow { return &flow{open: true} }

// follow returns what is at the end of a chain of keys.
func (f *flow) follow(keys []string) *flow {
	for _, key := range keys {
		f = f.key(key)
	}
	return f
}

// key returns what is under a key.
func (f *flow) key(name string) *flow {
	var found []*flow
	if inner := f.fields[name]; inner != nil {
		found = append(found, inner)
	}
	if f.open {
		found = append(found, unknown())
	}
	if f.rest != nil {
		found = append(found, f.rest.key(name), f.rest)
	}
	if len(f.places) > 0 {
		below := &flow{}
		for _, p := range f.places {
			below.places = append(below.places, p.key(name))
		}
		found = append(found, below)
	}
	return union(found...)
}

// isList says whether it is a list that the template makes, and no other thing.
func (f *flow) isList() bool { return len(f.places) == 0 && f.fields == nil && len(f.texts) == 0 }

// at returns what is under any of the keys that another value may be, which is used for that.
func (f *flow) at(keys *flow) *flow {
	keys.use()
	var found []*flow
	for _, name := range keys.texts {
		found = append(found, f.key(name))
	}
	if !keys.isText() {
		found = append(found, f.elements())
	}
	return union(found...)
}

// elements returns what is under any key.
func (f *flow) elements() *flow {
	var found []*flow
	for _, inner := range f.fields {
		found = append(found, inner)
	}
	found = append(found, f.items...)
	if f.open {
		found = append(found, unknown())
	}
	if f.rest != nil {
		found = append(found, f.rest)
	}
	if len(f.places) > 0 {
		below := &flow{}
		for _, p := range f.places {
			below.places = append(below.places, p.key(anyKey))
		}
		found = append(found, below)
	}
	return union(found...)
}

// isText says whether it can only be one of its texts.
func (f *flow) isText() bool {
	return len(f.texts) > 0 && !f.open && len(f.places) == 0 && f.fields == nil && f.items == nil && f.rest == nil
}

// set puts a value under the keys that another may be. Where others may see it who are not known, it counts as used.
func (f *flow) set(keys, value *flow) {
	keys.use()
	if f.fields == nil || f.copied {
		value.use()
	}
	if f.fields == nil {
		return
	}
	if !keys.isText() {
		f.rest = union(f.rest, value)
	}
	for _, name := range keys.texts {
		f.fields[name] = union(f.fields[name], value)
	}
}

// look marks that the template looks at the value itself: whether it is empty, of which kind, how long.
func (f *flow) look() {
	for _, p := range f.places {
		p.read = true
	}
}

// lookAtKeys marks that the template looks at which keys there are.
func (f *flow) lookAtKeys() {
	for _, p := range f.places {
		p.key(anyKey).read = true
	}
}

// use marks that the template uses the value with all that is in it.
func (f *flow) use() { f.useOnce(map[*flow]bool{}) }

func (f *flow) useOnce(seen map[*flow]bool) {
	if f == nil || seen[f] {
		return
	}
	seen[f] = true
	for _, p := range f.places {
		p.whole = true
	}
	for _, inner := range f.fields {
		inner.useOnce(seen)
	}
	for _, inner := range f.items {
		inner.useOnce(seen)
	}
	f.rest.useOnce(seen)
}

// union returns what may be any of the values; nil is none. One alone is returned itself, so that what is set in it is seen.
func union(values ...*flow) *flow {
	var first, out *flow
	for _, f := range values {
		switch {
		case f == nil || f == first:
		case first == nil:
			first = f
		default:
			if out == nil {
				out = &flow{copied: first.fields != nil}
				out.add(first)
			}
			out.add(f)
		}
	}
	switch {
	case out != nil:
		return out
	case first != nil:
		return first
	}
	return unknown()
}

// add lets f be what another value may be.
func (f *flow) add(other *flow) {
	f.open = f.open || other.open || other.isIndex
	for _, p := range other.places {
		if !slices.Contains(f.places, p) {
			f.places = append(f.places, p)
		}
	}
	for _, text := range other.texts {
		if !slices.Contains(f.texts, text) {
			f.texts = append(f.texts, text)
		}
	}
	if other.fields != nil && f.fields == nil {
		f.fields = map[string]*flow{}
	}
	for name, inner := range other.fields {
		f.fields[name] = union(f.fields[name], inner)
		f.copied = true
	}
	for _, inner := range append(other.items[:len(other.items):len(other.items)], other.rest) {
		if inner != nil {
			f.rest = union(f.rest, inner)
		}
	}
}
