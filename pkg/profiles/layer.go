package profiles

// A Kind is the role of a layer.
type Kind string

// The kinds of layers. The three that are selected by name are also the names of their selectors.
const (
	KindDefaults      Kind = "defaults"
	KindProfile       Kind = "profile"
	KindCompatibility Kind = "compatibilityVersion"
	KindPlatform      Kind = "platform"
	KindExplicit      Kind = "explicit values"
)

// selectors in the order in which their layers are applied, lowest first.
var selectors = []Kind{KindProfile, KindCompatibility, KindPlatform}

// A Layer names one layer.
type Layer struct {
	Kind Kind
	// Name is empty for the defaults and the explicit values.
	Name string
}

// String is how messages name the layer: "profile ambient", "explicit values".
func (l Layer) String() string {
	if l.Name == "" {
		return string(l.Kind)
	}
	return string(l.Kind) + " " + l.Name
}

// A Catalog holds the layers that can be selected by name: profiles, compatibility versions and platforms.
type Catalog interface {
	// Document returns the layer as written. An error is one of reading; a name that Names does not list is never asked for.
	Document(Layer) (Document, error)
	// Names lists the known names of one kind, sorted.
	Names(Kind) []string
}

// Chart is what is particular to a chart. It stands in the annotations of Chart.yaml.
type Chart struct {
	// Section is the key under which the values of all charts keep those of this one ("pilot" for istiod); empty where there is none.
	Section string
	// Sections are the sections of all charts that share values files, with this chart's own.
	Sections []string
	// FlattenGlobals are the keys under global that are also read as root keys.
	FlattenGlobals []string
}

// allSections are the chart's own section and those of the others.
func (c Chart) allSections() []string {
	return append([]string{c.Section}, c.Sections...)
}
