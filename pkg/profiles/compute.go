package profiles

import (
	"fmt"
	"maps"
	"slices"
)

// Input is all that the values of a chart depend on.
type Input struct {
	Chart Chart
	// Defaults holds the chart's defaults at its root: what values.yaml has under the key defaults.
	Defaults Document
	// Catalog may be nil where nothing is selected.
	Catalog Catalog
	// Explicit are the user's values in the order in which Helm gets them: a later one wins.
	Explicit []Document
}

// Result is the computed values and where they came from.
type Result struct {
	// Values is a new map without any null; the caller may change it after the last call of Origin or Origins.
	Values map[string]any
	// Layers are those selected by name that were applied, lowest first.
	Layers []Layer
	// Warnings are sentences about selections that contradict each other.
	Warnings []string

	sheets []sheet
	stages int
	at     Path // a buffer for the mergers
}

// Compute selects the layers and merges them. The error holds every fault that was found, each an *Error; a Result comes
// only without one.
func Compute(in Input) (*Result, error) {
	var f faults
	explicit := in.Explicit
	if len(explicit) == 0 {
		explicit = []Document{{}}
	}
	for _, document := range explicit {
		refuseDefaults(&f, document)
	}
	top := prepare(&f, in.Chart.Section, []string{in.Chart.Section}, Layer{Kind: KindExplicit}, explicit)

	s := selection{faults: &f, section: in.Chart.Section, sections: in.Chart.allSections(), catalog: in.Catalog, loaded: map[Layer]prepared{}}
	if s.catalog == nil {
		s.catalog = emptyCatalog{}
	}
	s.explicit(top)
	if err := f.err(); err != nil {
		return nil, err
	}

	r := &Result{Values: make(map[string]any, len(in.Defaults.Values)+8), at: make(Path, 0, 16), Layers: s.order, Warnings: s.warnings}
	r.sheets = make([]sheet, 0, 4*len(s.order)+2*len(explicit)+4)
	defaults := sheet{layer: Layer{Kind: KindDefaults}, document: in.Defaults, values: in.Defaults.Values}
	r.add(&f, defaults.layer, []sheet{defaults}, defaults)
	for _, layer := range s.order {
		r.apply(&f, s.loaded[layer])
	}
	if len(in.Chart.FlattenGlobals) > 0 {
		for _, layer := range s.order {
			p := s.loaded[layer]
			values, sheets := p.flattened(in.Chart.FlattenGlobals)
			r.add(&f, layer, sheets, sheet{values: values})
		}
		values, sheets := top.flattened(in.Chart.FlattenGlobals)
		r.add(&f, top.layer, sheets, sheet{values: values})
	}
	r.apply(&f, top)
	if err := f.err(); err != nil {
		return nil, err
	}
	return r, nil
}

// apply merges one layer over the result, and then what it selects.
func (r *Result) apply(f *faults, p prepared) {
	r.add(f, p.layer, p.sheets, p.parts...)
	_, global := asMap(r.Values["global"])
	for _, s := range p.repeated(global) {
		r.add(f, p.layer, []sheet{s}, s)
	}
}

// add merges the parts of a layer over the result; sheets are where they come from.
func (r *Result) add(f *faults, layer Layer, sheets []sheet, parts ...sheet) {
	m := merger{faults: f, layer: layer, sheets: sheets, at: r.at}
	for n := range parts {
		m.mergeSheet(r.Values, &parts[n])
	}
	r.sheets = append(r.sheets, sheets...)
	for n := len(r.sheets) - len(sheets); n < len(r.sheets); n++ {
		r.sheets[n].stage = r.stages
	}
	r.stages++
}

// refuseDefaults reports each key that a user set under defaults.
func refuseDefaults(f *faults, document Document) {
	value, found := document.Values["defaults"]
	if !found {
		return
	}
	refuse := func(path Path, text string) {
		f.add(&Error{Reason: ErrDefaults, Layer: Layer{Kind: KindExplicit}, Path: path, Position: document.at(path), Text: text})
	}
	keys, ok := asMap(value)
	if !ok || len(keys) == 0 {
		refuse(Path{"defaults"}, "the chart's defaults are not for users; remove this key")
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		refuse(Path{"defaults", key}, fmt.Sprintf("the chart's defaults are not for users; set %s instead", Path{key}))
	}
}

type emptyCatalog struct{}

func (emptyCatalog) Document(Layer) (Document, error) { return Document{}, nil }
func (emptyCatalog) Names(Kind) []string              { return nil }
