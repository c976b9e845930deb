package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stratamesh/strata/pkg/profiles"
)

// The charts of the suite, by their names.
const (
	base    = "base"
	cni     = "istio-cni"
	istiod  = "istiod"
	ztunnel = "ztunnel"
	gateway = "gateway"
)

// coherence asks whether the charts fit together.
func (s *selection) coherence() {
	for _, check := range []func(*selection){
		sameSelection, ambient, ztunnelTrust, istiodPlace, revisions, networks, clusterNames, trustBundle, nodeAgent, remote,
	} {
		check(s)
	}
}

// has says whether a chart is there and installed.
func (s *selection) has(chart string) bool {
	return s.results[chart] != nil && (s.Installed == nil || slices.Contains(s.Installed, chart))
}

// lacks says whether it is known that a chart is not installed.
func (s *selection) lacks(chart string) bool {
	return s.Installed != nil && !slices.Contains(s.Installed, chart)
}

// hasForSure says whether it is known that a chart is installed.
func (s *selection) hasForSure(chart string) bool { return s.Installed != nil && s.has(chart) }

// A setting is one value of a chart, as the templates see it.
type setting struct {
	chart string
	path  profiles.Path
	value any
	// source is where the value comes from; nil where there is no value.
	source *profiles.Source
}

// setting returns a value of a chart.
func (s *selection) setting(chart string, path ...string) setting {
	out := setting{chart: chart, path: path}
	result := s.results[chart]
	if result == nil {
		return out
	}
	out.value, _ = get(result.Values, path)
	if origin, ok := result.Origin(path); ok {
		winner := origin.Winner()
		out.source = &winner
	}
	return out
}

// text is the value as text; "" where there is none.
func (v setting) text() string {
	if v.value == nil {
		return ""
	}
	return fmt.Sprint(v.value)
}

func (v setting) or(preset string) string {
	if text := v.text(); text != "" {
		return text
	}
	return preset
}

// on says whether a switch is on: true, or "true" as environment variables have it.
func (v setting) on() bool { return v.text() == "true" }

// String names the chart and the path.
func (v setting) String() string { return v.chart + "'s " + v.path.String() }

// rank orders the layers: what is set higher was meant more.
var rank = map[profiles.Kind]int{
	profiles.KindDefaults: 0, profiles.KindProfile: 1, profiles.KindCompatibility: 2, profiles.KindPlatform: 3, profiles.KindExplicit: 4,
}

// report adds a finding about several settings, at the place of the one that was set highest; a default has no place of its own.
func (s *selection) report(f Finding, about ...setting) {
	var best *profiles.Source
	for _, v := range about {
		if v.source == nil || v.source.Layer().Kind == profiles.KindDefaults {
			continue
		}
		if best == nil || rank[v.source.Layer().Kind] > rank[best.Layer().Kind] {
			best = v.source
		}
	}
	if best != nil {
		f.Path = best.Path.String()
		if at := best.Position(); at.Line > 0 {
			f.File, f.Line, f.Column = at.Source, at.Line, at.Column
			if d, ok := s.documentOf(at.Source); ok {
				f.File = d.File
			}
		} else {
			f.Message += " (" + at.Source + ")"
		}
	}
	s.add(f)
}

// namespace is where a chart goes; "" where that is not known.
func (s *selection) namespace(chart string) string {
	home := s.Usual[chart]
	for _, namespace := range []string{s.Namespaces[chart], home.Platforms[s.setting(chart, "platform").text()]} {
		if namespace != "" {
			return namespace
		}
	}
	return home.Namespace
}

// places says whether it is known where charts go.
func (s *selection) places(charts ...string) bool {
	return !slices.ContainsFunc(charts, func(chart string) bool { return s.namespace(chart) == "" })
}

// sameSelection compares the layers that the charts get.
func sameSelection(s *selection) {
	var first *Chart
	for _, chart := range s.Charts {
		if !s.has(chart.Name) {
			continue
		}
		if first == nil {
			first = chart
			continue
		}
		a, b := s.results[first.Name].Layers, s.results[chart.Name].Layers
		if slices.Equal(a, b) {
			continue
		}
		var selectors []setting
		for _, name := range []string{first.Name, chart.Name} {
			for _, kind := range []profiles.Kind{profiles.KindProfile, profiles.KindCompatibility, profiles.KindPlatform} {
				v := s.setting(name, string(kind))
				if v.source != nil && len(v.source.Path) == 2 && v.source.Path[0] != "global" {
					selectors = append(selectors, v) // below a section: the odd one
				}
			}
		}
		s.report(Finding{
			Rule: selectionDiffers, Message: fmt.Sprintf("%s gets %s, %s gets %s", first.Name, layers(a), chart.Name, layers(b)),
			Fix: "select at the root, or under global",
		}, selectors...)
	}
}

func layers(all []profiles.Layer) string {
	names := make([]string, 0, len(all))
	for _, l := range all {
		names = append(names, l.String())
	}
	if len(names) == 0 {
		return "the defaults"
	}
	return strings.Join(names, ", ")
}
