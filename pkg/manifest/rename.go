package manifest

import (
	"errors"
	"fmt"
	"strings"
)

// A Rename pairs objects of the first set with objects of other names in the second: From->To.
//
// From is a [Rule] without a path. An empty part of To keeps that of the object. As many * as From has in the same part
// stand for the same text: ::istio-*->::mesh-* pairs istio-cni with mesh-cni. So does a single * with a part of From that
// is empty.
type Rename struct{ From, To Rule }

// ParseRename reads one rename. The error is an *Error with the reason ErrSyntax.
func ParseRename(s string) (Rename, error) {
	r, text := parseRename(s)
	if text != "" {
		return Rename{}, &Error{Reason: ErrSyntax, Text: fmt.Sprintf("rename %q: %s", s, text)}
	}
	return r, nil
}

// ParseRenames reads renames from texts of which each holds one or more, separated by commas. The error holds every fault.
func ParseRenames(texts ...string) ([]Rename, error) {
	var renames []Rename
	var all []error
	for _, text := range texts {
		for _, one := range splitOutside(text, ',') {
			r, err := ParseRename(strings.TrimSpace(one))
			renames, all = append(renames, r), append(all, err)
		}
	}
	if err := errors.Join(all...); err != nil {
		return nil, err
	}
	return renames, nil
}

func parseRename(s string) (r Rename, fault string) {
	from, to, ok := cutArrow(s)
	if !ok {
		return Rename{}, "is not of the form Kind:namespace:name->Kind:namespace:name, of which each part may be empty"
	}
	for _, side := range []struct {
		text string
		rule *Rule
	}{{from, &r.From}, {to, &r.To}} {
		if *side.rule, fault = parseRule(strings.TrimSpace(side.text)); fault != "" {
			return Rename{}, fault
		}
		if side.rule.HasPath() {
			return Rename{}, "takes no path"
		}
	}
	for _, part := range r.parts() {
		have, want := strings.Count(part.from, "*"), strings.Count(part.to, "*")
		if want > 0 && want != have && (part.from != "" || part.to != "*") {
			return Rename{}, fmt.Sprintf("%q has %d * and %q has %d; both need the same number, or the second none", part.from, have, part.to, want)
		}
	}
	return r, ""
}

// cutArrow cuts at the first -> outside of quotes.
func cutArrow(s string) (from, to string, ok bool) {
	for n, part := range splitOutside(s, '>') {
		if n > 0 {
			break
		}
		if strings.HasSuffix(part, "-") && len(part) < len(s) {
			return part[:len(part)-1], s[len(part)+1:], true
		}
	}
	return "", "", false
}

// A renamedPart is one part of an identity before and after.
type renamedPart struct{ from, to string }

// parts are kind, group, namespace and name.
func (r Rename) parts() [4]renamedPart {
	fromKind, fromGroup, _ := strings.Cut(r.From.Kind, ".")
	toKind, toGroup, _ := strings.Cut(r.To.Kind, ".")
	return [4]renamedPart{{fromKind, toKind}, {fromGroup, toGroup}, {r.From.Namespace, r.To.Namespace}, {r.From.Name, r.To.Name}}
}

// String returns the text form.
func (r Rename) String() string { return r.From.String() + "->" + r.To.String() }

// Target returns the identity that the rename gives an object; false where the rename is not about it.
func (r Rename) Target(id ID) (ID, bool) {
	if !r.From.Matches(id) {
		return ID{}, false
	}
	parts := r.parts()
	for n, of := range []*string{&id.Kind, &id.Group, &id.Namespace, &id.Name} {
		from, to := parts[n].from, parts[n].to
		switch {
		case to == "" || to == "*" && from == "":
		case n == 2 && to == "-":
			*of = ""
		default:
			stars, _ := capture(from, *of)
			*of = fill(to, stars)
		}
	}
	return id, true
}
