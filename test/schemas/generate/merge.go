package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/stratamesh/strata/test/schemas/internal/data"
)

// A merger puts what the minors publish into one list, equal things once.
type merger struct {
	kindIn       map[data.Kind]map[string]bool
	definitionIn map[variant]map[string]bool
	texts        map[variant]map[string]any
}

// A variant is a definition, with its schema as text.
type variant struct{ name, text string }

func (m *merger) add(minor string, kinds []data.Kind, definitions map[string]map[string]any) error {
	if m.kindIn == nil {
		m.kindIn, m.definitionIn, m.texts = map[data.Kind]map[string]bool{}, map[variant]map[string]bool{}, map[variant]map[string]any{}
	}
	for _, kind := range kinds {
		if m.kindIn[kind] == nil {
			m.kindIn[kind] = map[string]bool{}
		}
		m.kindIn[kind][minor] = true
	}
	for name, schema := range definitions {
		text, err := json.Marshal(schema)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		v := variant{name, string(text)}
		if m.definitionIn[v] == nil {
			m.definitionIn[v], m.texts[v] = map[string]bool{}, schema
		}
		m.definitionIn[v][minor] = true
	}
	return nil
}

func (m *merger) kinds(minors []string) []data.Kind {
	var out []data.Kind
	for kind, in := range m.kindIn {
		for _, r := range data.Ranges(minors, func(minor string) bool { return in[minor] }) {
			kind.Range = r
			out = append(out, kind)
		}
	}
	slices.SortFunc(out, func(a, b data.Kind) int {
		return cmp.Or(cmp.Compare(a.APIVersion, b.APIVersion), cmp.Compare(a.Kind, b.Kind), cmp.Compare(slices.Index(minors, a.From), slices.Index(minors, b.From)))
	})
	return out
}

func (m *merger) definitions(minors []string) []data.Definition {
	var out []data.Definition
	for v := range maps.Keys(m.definitionIn) {
		for _, r := range data.Ranges(minors, func(minor string) bool { return m.definitionIn[v][minor] }) {
			out = append(out, data.Definition{Name: v.name, Range: r, Schema: m.texts[v]})
		}
	}
	slices.SortFunc(out, func(a, b data.Definition) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(slices.Index(minors, a.From), slices.Index(minors, b.From)))
	})
	return out
}
