package manifest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Rule names objects, and perhaps a place in them: Kind:namespace:name or Kind:namespace:name:path.
//
//   - * stands for any text, and the kind, the namespace and the name are matched as a whole: istio does not match
//     istio-pilot. One that is empty matches anything.
//   - The kind may name its API group after a dot: Gateway.networking.istio.io. Without, it matches in any group.
//   - The namespace - matches objects without one.
//   - A part that holds : or , or a quote stands in quotes, as Go writes text: ClusterRole::"system:node".
//   - The path is a [Pattern].
type Rule struct {
	Kind, Namespace, Name string
	// Path has no steps where the rule is about whole objects.
	Path Pattern
}

// ParseRule reads one rule. The error is an *Error with the reason ErrSyntax.
func ParseRule(s string) (Rule, error) {
	r, text := parseRule(s)
	if text != "" {
		return Rule{}, &Error{Reason: ErrSyntax, Text: fmt.Sprintf("rule %q: %s", s, text)}
	}
	return r, nil
}

// ParseRules reads rules from texts of which each holds one or more, separated by commas. The error holds every fault.
func ParseRules(texts ...string) ([]Rule, error) {
	var rules []Rule
	var all []error
	for _, text := range texts {
		for _, one := range splitOutside(text, ',') {
			r, err := ParseRule(strings.TrimSpace(one))
			rules, all = append(rules, r), append(all, err)
		}
	}
	if err := errors.Join(all...); err != nil {
		return nil, err
	}
	return rules, nil
}

// splitOutside cuts at a separator that stands neither in quotes nor in brackets.
func splitOutside(s string, separator byte) []string {
	var parts []string
	from, depth, quoted := 0, 0, false
	for n := 0; n < len(s); n++ {
		switch c := s[n]; {
		case quoted && c == '\\':
			n++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == separator && depth <= 0:
			parts = append(parts, s[from:n])
			from = n + 1
		}
	}
	return append(parts, s[from:])
}

// parseRule returns a rule, or the text of what is wrong.
func parseRule(s string) (r Rule, fault string) {
	rest := s
	for n, part := range []*string{&r.Kind, &r.Namespace, &r.Name} {
		if n > 0 {
			if rest == "" || rest[0] != ':' {
				return Rule{}, "is not of the form Kind:namespace:name or Kind:namespace:name:path, each of which may be empty or hold *"
			}
			rest = rest[1:]
		}
		if strings.HasPrefix(rest, `"`) {
			text, after, ok := parseQuoted(rest)
			if !ok {
				return Rule{}, "a quote is not closed"
			}
			*part, rest = text, after
			continue
		}
		end := strings.IndexAny(rest, `:,"`)
		if end < 0 {
			end = len(rest)
		}
		*part, rest = rest[:end], rest[end:]
	}
	if rest == "" {
		return r, ""
	}
	if rest[0] != ':' {
		return Rule{}, fmt.Sprintf("after the name comes : and a path, not %q", rest)
	}
	path, err := ParsePattern(rest[1:])
	if e := (*Error)(nil); errors.As(err, &e) {
		return Rule{}, e.Text + "; a name that holds a colon stands in quotes"
	}
	r.Path = path
	return r, ""
}

// String returns the text form.
func (r Rule) String() string {
	s := quotePart(r.Kind) + ":" + quotePart(r.Namespace) + ":" + quotePart(r.Name)
	if r.HasPath() {
		s += ":" + r.Path.String()
	}
	return s
}

func quotePart(part string) string {
	if strings.ContainsAny(part, `:,"[]`) || strings.Contains(part, "->") || strings.TrimSpace(part) != part || !isPrintable(part) {
		return strconv.Quote(part)
	}
	return part
}

func isPrintable(s string) bool {
	quoted := strconv.Quote(s)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\\`, `\`) == s
}

// HasPath says whether the rule is about a place in objects.
func (r Rule) HasPath() bool { return len(r.Path.steps) > 0 }

// Matches says whether the rule is about an object, or about a place in it.
func (r Rule) Matches(id ID) bool {
	kind, group, hasGroup := strings.Cut(r.Kind, ".")
	return matchesPart(kind, id.Kind) && (!hasGroup || glob(group, id.Group)) &&
		(matchesPart(r.Namespace, id.Namespace) || r.Namespace == "-" && id.Namespace == "") && matchesPart(r.Name, id.Name)
}

func matchesPart(pattern, s string) bool { return pattern == "" || glob(pattern, s) }
