package profiles

import "slices"

// A sheet is one document, or a part of one, that takes part in a layer. Its values stand at the root of the result.
type sheet struct {
	layer Layer
	// stage numbers the merges into the result; the documents of one layer share one.
	stage    int
	document Document
	values   map[string]any
	// skip are root keys of values that do not belong to the sheet.
	skip []string
	// prefix is where values stand in the document.
	prefix Path
	// selector, where it is not nil, is where all values of the sheet come from: a selector that is repeated in another place.
	selector Path
}

func (s *sheet) skips(key string) bool { return len(s.skip) > 0 && slices.Contains(s.skip, key) }

// get returns the value of a root key.
func (s *sheet) get(key string) (any, bool) {
	if s.skips(key) {
		return nil, false
	}
	value, found := s.values[key]
	return value, found
}

// lookup follows path through maps. It returns the value at which it ends and how many keys lead there: all of path, or
// fewer where a null, a list or a scalar stands in the way. found is false where a key is missing.
func (s *sheet) lookup(path Path) (value any, depth int, found bool) {
	if len(path) > 0 && s.skips(path[0]) {
		return nil, 0, false
	}
	return lookup(s.values, path)
}

// A prepared layer is ready to be merged: its sections are moved.
type prepared struct {
	layer Layer
	// parts are to be merged one after the other. They may hold null, which takes away what is below.
	parts []sheet
	// sheets say where values come from, lowest first.
	sheets []sheet
}

// get returns the value of a root key.
func (p *prepared) get(key string) (any, bool) {
	for _, part := range slices.Backward(p.parts) {
		if value, found := part.get(key); found {
			return value, true
		}
	}
	return nil, false
}

// prepare moves the chart's own section to the root. Several documents form one layer only for the explicit values, where
// they are merged first as Helm merges values files. skip are the root keys that are left out: the chart's own section, and in a
// layer that ships with the charts those of other components.
func prepare(f *faults, section string, skip []string, layer Layer, documents []Document) prepared {
	p := prepared{layer: layer, sheets: make([]sheet, 0, 2*len(documents))}
	for _, d := range documents {
		p.sheets = append(p.sheets, sheet{layer: layer, document: d, values: d.Values, skip: skip})
	}
	written := documents[0].Values
	if len(documents) > 1 {
		written = map[string]any{}
		for n := range documents {
			m := merger{faults: f, layer: layer, sheets: p.sheets[n : n+1], keepNull: true, replace: true}
			m.merge(written, documents[n].Values)
		}
	}
	p.parts = []sheet{{values: written, skip: skip}}
	if section != "" {
		p.moveSection(f, section, written[section], documents)
	}
	return p
}

// moveSection merges the chart's own section over the root spelling.
func (p *prepared) moveSection(f *faults, name string, section any, documents []Document) {
	if section == nil {
		return
	}
	at := Path{name}
	last := documents[0]
	roots := len(p.sheets)
	for _, d := range documents {
		value, found := d.Values[name]
		if !found {
			continue
		}
		last = d
		values, ok := asMap(value)
		if !ok {
			p.sheets = p.sheets[:roots] // a null or a scalar in a later file replaces the section of an earlier one
			continue
		}
		p.sheets = append(p.sheets, sheet{layer: p.layer, document: d, values: values, prefix: at})
	}
	values, ok := asMap(section)
	if !ok {
		f.add(&Error{Reason: ErrType, Layer: p.layer, Path: at, Position: last.at(at), Text: "is a " + kindName(section) + " where a map belongs"})
		return
	}
	part := sheet{values: values}
	for key := range values {
		if _, both := p.parts[0].get(key); both {
			// The section wins over the root inside the layer, before anything below is touched.
			folded := map[string]any{}
			m := merger{faults: f, layer: p.layer, sheets: p.sheets, keepNull: true}
			m.mergeSheet(folded, &p.parts[0])
			m.mergeSheet(folded, &part)
			p.parts = []sheet{{values: folded}}
			return
		}
	}
	p.parts = append(p.parts, part)
}

// selector looks one up: at the root, else under global. The path is where it was found, nil where it is nowhere. The value is nil
// where the layer has it as null only.
func (p *prepared) selector(kind Kind) (value any, path Path) {
	key := string(kind)
	value, found := p.get(key)
	if found {
		path = Path{key}
	}
	if value != nil {
		return value, path
	}
	inner, _ := p.get("global")
	if global, ok := asMap(inner); ok {
		if value, found = global[key]; value != nil || found && path == nil {
			return value, Path{"global", key}
		}
	}
	return nil, path
}

// repeated are the platform and the compatibility version that the layer selects, at the root and under global alike. One that the
// layer takes away with null in one place goes from both; global says whether the values below have the map.
func (p *prepared) repeated(global bool) []sheet {
	var sheets []sheet
	for _, kind := range []Kind{KindCompatibility, KindPlatform} {
		value, path := p.selector(kind)
		if path == nil {
			continue
		}
		key := string(kind)
		document, written := find(p.sheets, path)
		values := map[string]any{key: value}
		if value != nil || global {
			values["global"] = map[string]any{key: value}
		}
		sheets = append(sheets, sheet{layer: p.layer, document: document, selector: written, values: values})
	}
	return sheets
}

// find returns the topmost document that has a value at path of the result, and where it has it.
func find(sheets []sheet, path Path) (Document, Path) {
	for _, s := range slices.Backward(sheets) {
		if _, depth, found := s.lookup(path); found && depth == len(path) {
			return s.document, s.written(path)
		}
	}
	if len(sheets) > 0 {
		last := sheets[len(sheets)-1]
		return last.document, last.written(path)
	}
	return Document{}, path
}

// written returns where a value stands in the document, from where it stands in the result.
func (s *sheet) written(path Path) Path {
	switch {
	case s.selector != nil:
		return s.selector
	case len(s.prefix) > 0:
		return s.prefix.join(path...)
	}
	return path
}

// flattened returns the named keys of the layer's global map, and the sheets they come from.
func (p *prepared) flattened(names []string) (map[string]any, []sheet) {
	var sheets []sheet
	for _, s := range slices.Backward(p.sheets) {
		value, found := s.get("global")
		if _, ok := asMap(value); found && !ok {
			break // a later document replaces the whole map of an earlier one
		}
		if values := pick(value, names); len(values) > 0 {
			sheets = append(sheets, sheet{layer: s.layer, document: s.document, values: values, prefix: s.prefix.join("global"), selector: s.selector})
		}
	}
	slices.Reverse(sheets)
	global, _ := p.get("global")
	return pick(global, names), sheets
}

// pick returns the named keys of a global map.
func pick(global any, names []string) map[string]any {
	from, ok := asMap(global)
	if !ok {
		return nil
	}
	out := map[string]any{}
	for _, name := range names {
		if value, found := from[name]; found {
			out[name] = value
		}
	}
	return out
}

// lookup follows path through maps. It returns the value at which it ends and how many keys lead there: all of path, or
// fewer where a null, a list or a scalar stands in the way. found is false where a key is missing.
func lookup(values map[string]any, path Path) (value any, depth int, found bool) {
	value = values
	for n, key := range path {
		m, ok := asMap(value)
		if !ok {
			return value, n, true
		}
		if value, found = m[key]; !found {
			return nil, n, false
		}
	}
	return value, len(path), true
}
