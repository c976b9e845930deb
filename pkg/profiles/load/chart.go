package load

import (
	"fmt"
	"path"
	"slices"
	"strings"

	sigs "sigs.k8s.io/yaml"

	"github.com/stratamesh/strata/pkg/profiles"
)

// Folder is where a chart with the overlay engine keeps its profiles, below its root.
const Folder = "files/profiles"

// The annotations of Chart.yaml that say what is particular to a chart.
const (
	annotationSection  = "stratamesh.io/section"
	annotationSections = "stratamesh.io/sections"
	annotationFlatten  = "stratamesh.io/flatten-globals"
)

// Chart reads what profiles.Compute needs to know of a chart, from its files by their path below the chart's root; only the
// explicit values are left to add. source is the chart's name or folder, put before file names in messages.
//
// The defaults are what values.yaml has under the key defaults; all of it, where it has no such key: a chart without the overlay
// engine.
func Chart(files map[string][]byte, source string) (profiles.Input, error) {
	var in profiles.Input
	var about struct {
		Annotations map[string]string `json:"annotations"`
	}
	if err := sigs.Unmarshal(files["Chart.yaml"], &about); err != nil {
		return in, readError(path.Join(source, "Chart.yaml"), err)
	}
	in.Chart = profiles.Chart{
		Section:        about.Annotations[annotationSection],
		Sections:       list(about.Annotations[annotationSections]),
		FlattenGlobals: list(about.Annotations[annotationFlatten]),
	}
	var err error
	if in.Defaults, err = Parse(path.Join(source, "values.yaml"), files["values.yaml"]); err != nil {
		return in, err
	}
	if inner, found := in.Defaults.Values["defaults"]; found {
		values, ok := inner.(map[string]any)
		if !ok {
			return in, fmt.Errorf("%s: defaults: a map belongs here", in.Defaults.Source)
		}
		in.Defaults.Values = values
		if in.Defaults.Positions != nil {
			in.Defaults.Positions = in.Defaults.Positions.Keys["defaults"]
		}
	}
	in.Catalog = newCatalog(path.Join(source, Folder), func(name string) ([]byte, error) {
		return files[path.Join(Folder, name)], nil
	}, profileFiles(files))
	return in, nil
}

// list reads a list of names between commas.
func list(text string) []string {
	return slices.DeleteFunc(strings.Split(text, ","), func(name string) bool { return name == "" })
}

// profileFiles are the names of the chart's profiles.
func profileFiles(files map[string][]byte) []string {
	var names []string
	for name := range files {
		if ok, err := path.Match(Folder+"/*.yaml", name); err == nil && ok {
			names = append(names, path.Base(name))
		}
	}
	return names
}
