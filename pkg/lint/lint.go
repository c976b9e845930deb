package lint

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stratamesh/strata/pkg/profiles"
)

// Input is what is looked at together.
type Input struct {
	// Charts are those that read the documents. What no chart knows is unknown.
	Charts []*Chart
	// Catalog holds the layers that can be selected; those that ship with each chart where it is nil.
	Catalog profiles.Catalog
	// Explicit are the user's values in the order in which Helm gets them.
	Explicit []Document
	// Profiles are layers to look at as such, each selected by itself under the explicit values. They are also in the catalog, where
	// they take the place of others of their name.
	Profiles []Profile
	// Installed are the names of the charts that are installed. Where it is nil, nothing follows from a chart that is not there.
	Installed []string
	// Namespaces is where charts are installed, by the name of the chart, and Usual where those go that are not in it. Nothing is asked
	// about a chart that is in neither.
	Namespaces map[string]string
	Usual      map[string]Home
	// Disabled are the ids of rules that are not asked.
	Disabled []string
}

// A Home is the namespace of a chart, and others by the platform on which it goes there.
type Home struct {
	Namespace string
	Platforms map[string]string
}

// A Profile is a layer that is looked at: a profile, a platform or a compatibility version.
type Profile struct {
	Layer    profiles.Layer
	Document Document
}

// Run returns all findings, sorted by file, line, column, path and rule, each once. The error is one of the input that is no finding in
// a document with text: an unknown rule, or a selector of flags that cannot be resolved.
func Run(in Input) ([]Finding, error) {
	known := severities()
	for _, id := range in.Disabled {
		if _, ok := known[id]; !ok {
			return nil, fmt.Errorf("unknown rule %q; known: %s", id, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
	}
	l := &linter{Input: in, severities: known}
	for _, d := range in.Explicit {
		l.document(d)
	}
	for _, p := range in.Profiles {
		l.document(p.Document)
	}
	if len(in.Profiles) == 0 {
		l.selection(nil)
	}
	for _, p := range in.Profiles {
		l.selection(&p)
	}
	if err := errors.Join(l.refused...); err != nil {
		return nil, err
	}
	return l.sorted(), nil
}

// A linter collects findings.
type linter struct {
	Input
	severities map[string]Severity
	findings   []Finding
	refused    []error
}

// add adds a finding with the severity of its rule, unless it has one.
func (l *linter) add(f Finding) {
	if f.Severity == "" {
		f.Severity = l.severities[f.Rule]
	}
	l.findings = append(l.findings, f)
}

func (l *linter) sorted() []Finding {
	findings := slices.DeleteFunc(l.findings, func(f Finding) bool { return slices.Contains(l.Disabled, f.Rule) })
	slices.SortFunc(findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message),
		)
	})
	return slices.Compact(findings)
}

// document looks at one document by itself.
func (l *linter) document(d Document) {
	c := checker{linter: l, document: d, own: ownView(l.Charts), accepted: acceptedView(l.Charts), traps: map[spotInFile]Finding{}}
	if d.second > 0 {
		l.add(Finding{
			Rule: secondDocument, File: d.File, Line: d.second, Column: 1,
			Message: "Helm reads the first document of a file only; what follows here is ignored",
			Fix:     "move it to a file of its own",
		})
	}
	c.scan(d.root, nil, c.own)
	c.keys(d.Values, nil, c.own, c.accepted)
	c.schema()
	for _, at := range slices.SortedFunc(maps.Keys(c.traps), func(a, b spotInFile) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
	}) {
		l.add(c.traps[at])
	}
}

// A checker looks at one document.
type checker struct {
	*linter
	document Document
	// own and accepted are what the charts have themselves, and all that they accept.
	own, accepted view
	// traps are values that YAML reads otherwise than written. Where the charts then refuse the value, the trap says why.
	traps map[spotInFile]Finding
	// inside are the nodes around the one that is scanned.
	inside []*yaml.Node
}

type spotInFile struct{ line, column int }
