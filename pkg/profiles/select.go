package profiles

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A selection resolves selectors into an order of layers.
type selection struct {
	faults *faults
	// section is the chart's own, sections are all that are dropped from or moved in a layer.
	section  string
	sections []string
	catalog  Catalog
	loaded   map[Layer]prepared
	order    []Layer
	user     map[Kind][]string
	warnings []string
}

// explicit resolves the selectors of the explicit values, which are the user's choice.
func (s *selection) explicit(p prepared) {
	s.user = map[Kind][]string{}
	for _, kind := range selectors {
		if names, found := s.names(p, kind); found {
			s.user[kind] = names
		}
	}
	for _, kind := range selectors {
		for _, name := range s.user[kind] {
			s.resolve(p, Layer{kind, name}, nil)
		}
	}
}

// below resolves what a layer builds on.
func (s *selection) below(p prepared, stack []Layer) {
	for _, kind := range selectors {
		names, _ := s.names(p, kind)
		chosen, byUser := s.user[kind]
		for _, name := range names {
			if p.layer.Kind == KindProfile && kind != KindProfile && byUser {
				if !slices.Contains(chosen, name) {
					s.warn(fmt.Sprintf("%s builds on %s %s; the %s that you select replaces it", p.layer, kind, name, kind))
				}
				continue
			}
			s.resolve(p, Layer{kind, name}, stack)
		}
	}
}

// resolve puts a layer at the end of the order, and below it what it builds on. from is the layer that selects it.
func (s *selection) resolve(from prepared, layer Layer, stack []Layer) {
	if slices.Contains(stack, layer) {
		chain := make([]string, 0, len(stack)+1)
		for _, l := range append(stack, layer) {
			chain = append(chain, l.String())
		}
		_, path := from.selector(layer.Kind)
		document, written := find(from.sheets, path)
		s.faults.add(&Error{Reason: ErrCycle, Layer: stack[0], Path: written, Position: document.at(written), Text: "a cycle: " + strings.Join(chain, " -> ")})
		return
	}
	p, ok := s.loaded[layer]
	if !ok {
		if p, ok = s.load(from, layer); !ok {
			return
		}
		s.loaded[layer] = p
	}
	s.below(p, append(slices.Clone(stack), layer))
	s.order = append(slices.DeleteFunc(s.order, func(l Layer) bool { return l == layer }), layer)
}

// load reads a layer from the catalog.
func (s *selection) load(from prepared, layer Layer) (prepared, bool) {
	known := s.catalog.Names(layer.Kind)
	if !slices.Contains(known, layer.Name) {
		_, path := from.selector(layer.Kind)
		document, written := find(from.sheets, path)
		s.faults.add(&Error{
			Reason: ErrUnknownName, Layer: from.layer, Path: written, Position: document.at(written),
			Text: fmt.Sprintf("unknown name %q; known: %s", layer.Name, strings.Join(known, ", ")),
		})
		return prepared{}, false
	}
	document, err := s.catalog.Document(layer)
	if err != nil {
		fault := &Error{Reason: ErrRead, Layer: layer, Text: err.Error(), Cause: err}
		if own := (*Error)(nil); errors.As(err, &own) {
			fault = own
		}
		s.faults.add(fault)
		return prepared{}, false
	}
	return prepare(s.faults, s.section, s.sections, layer, []Document{document}), true
}

// names reads one selector of a layer. found is false where the layer does not have it.
func (s *selection) names(p prepared, kind Kind) (names []string, found bool) {
	value, path := p.selector(kind)
	if value == nil {
		return nil, false
	}
	fault := func(text string) {
		document, written := find(p.sheets, path)
		s.faults.add(&Error{Reason: ErrSelector, Layer: p.layer, Path: written, Position: document.at(written), Text: text})
	}
	if list, ok := asList(value); ok {
		value = list
	}
	switch value := value.(type) {
	case string:
		names = []string{value}
		if kind == KindProfile {
			names = strings.Split(value, "+")
		}
	case []any:
		if kind != KindProfile {
			fault("is a list where a name belongs")
			break
		}
		for _, item := range value {
			name, ok := item.(string)
			if !ok {
				fault(fmt.Sprintf("the list holds a %s; each item is the name of a profile", kindName(item)))
				continue
			}
			names = append(names, strings.Split(name, "+")...)
		}
	default:
		if kindName(value) == "number" {
			example := "NAME"
			if kind == KindCompatibility {
				example = "1.30"
			}
			fault(fmt.Sprintf("%v is a number; quote it, as in %s: %q", value, kind, example))
			break
		}
		fault(fmt.Sprintf("is a %s where a name belongs", kindName(value)))
	}
	for n := range names {
		names[n] = strings.TrimSpace(names[n])
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" }), true
}

func (s *selection) warn(text string) {
	if !slices.Contains(s.warnings, text) {
		s.warnings = append(s.warnings, text)
	}
}
