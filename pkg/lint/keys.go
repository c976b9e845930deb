package lint

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/stratamesh/strata/internal/nearest"
	"github.com/stratamesh/strata/pkg/profiles"
)

// at fills in where a value stands: its key, or the value itself.
func (c *checker) at(f Finding, path []any, value bool) Finding {
	f.Path = pathText(path)
	f.File = c.document.File
	key, node := c.document.find(path)
	if value && node != nil && node.Line > 0 {
		key = node
	}
	if key != nil {
		f.Line, f.Column = key.Line, key.Column
	}
	if f.File == "" {
		f.Message += " (" + c.document.Source + ")"
	}
	return f
}

// keys finds keys that no chart knows, and leaves that no chart reads. own and accepted are what the charts know of the map.
func (c *checker) keys(value any, path []any, own, accepted view) {
	switch value := value.(type) {
	case map[string]any:
		if types := own.types(); len(types) > 0 && !slices.Contains(types, "object") {
			return // see schema
		}
		for _, name := range slices.Sorted(maps.Keys(value)) {
			inside := join(path, any(name))
			switch {
			case mine(name):
				continue
			case len(path) == 0 && (name == "defaults" || name == "_internal_defaults_do_not_set"):
				c.add(c.at(Finding{
					Rule: defaultsKey, Message: name + " is for the chart's own defaults", Fix: "set the keys in it at the root",
				}, inside, false))
				continue
			}
			innerOwn, innerAccepted := own.key(name), accepted.key(name)
			switch {
			case innerOwn.known() || innerAccepted.listed():
			case own.known():
				c.unknown(name, inside, own, accepted)
				continue
			default:
				continue // of a chart that is not here
			}
			c.keys(value[name], inside, innerOwn, innerAccepted)
		}
	case []any:
		for n, item := range value {
			c.keys(item, join(path, any(n)), own.item(), accepted.item())
		}
	}
	if _, inList := lastKey(path); !inList && value != nil {
		c.unread(value, path)
	}
}

// unknown reports a key that no chart knows.
func (c *checker) unknown(name string, path []any, own, accepted view) {
	f := Finding{Rule: unknownKey, Message: fmt.Sprintf("no chart knows the key %s", pathText(path))}
	candidates := own.keys()
	if len(path) == 1 {
		candidates = append(candidates, c.sections()...)
	}
	near, found := nearest.Name(name, candidates)
	slip := found && isSlip(name, near)
	switch elsewhere := c.elsewhere(name); {
	case slip:
		f.Fix = "write " + near
	case len(elsewhere) > 0 && len(elsewhere) < 5:
		f.Fix = "write " + strings.Join(elsewhere, " or ")
	case found:
		f.Fix = "write " + near + " if that is meant"
	default:
		f.Fix = "take it out, or begin the key with x- where it is your own"
	}
	if !accepted.refuses() {
		f.Severity = Warning
		f.Fix = strings.TrimSuffix(f.Fix, ", or begin the key with x- where it is your own")
		if !slip && len(path) > 1 && path[len(path)-2] == "global" {
			f.Rule, f.Severity = foreignGlobal, ""
			f.Message = fmt.Sprintf("no chart reads %s", pathText(path))
			f.Fix = ""
		}
	}
	f = c.at(f, path, false)
	if trap, ok := c.traps[spotInFile{f.Line, f.Column}]; ok {
		// YAML reads another key than the one written: that is what is wrong.
		trap.Severity = severity(f.Severity, c.severities[f.Rule])
		c.traps[spotInFile{f.Line, f.Column}] = trap
		return
	}
	c.add(f)
}

// isSlip says whether a name is that close to another that nobody can have meant it.
func isSlip(name, near string) bool {
	return nearest.Distance(name, near) <= max(1, len(name)/6)
}

// sections are those of all charts.
func (c *checker) sections() []string {
	var names []string
	for _, chart := range c.Charts {
		names = append(append(names, chart.Input.Chart.Section), chart.Input.Chart.Sections...)
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

// complete says whether the charts of all sections are there. Else a root key may be for one that is not.
func (l *linter) complete() bool {
	for _, chart := range l.Charts {
		for _, section := range chart.Input.Chart.Sections {
			if !slices.ContainsFunc(l.Charts, func(other *Chart) bool { return other.Input.Chart.Section == section }) {
				return false
			}
		}
	}
	return true
}

// elsewhere returns the paths at which charts have a key of the name, without those of Kubernetes types.
func (c *checker) elsewhere(name string) []string {
	found := map[string]bool{}
	for _, chart := range c.Charts {
		if chart.own != nil {
			search(chart.own, nil, name, found)
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func search(schema *jsonschema.Schema, path []string, name string, found map[string]bool) {
	for key, inner := range schema.Properties {
		at := join(path, key)
		if key == name {
			found[profiles.Path(at).String()] = true
		}
		search(inner, at, name, found)
	}
}

// unread reports a leaf that the charts know and no template of theirs reads.
func (c *checker) unread(value any, path []any) {
	if inner, ok := value.(map[string]any); ok && len(inner) > 0 || len(path) == 0 {
		return
	}
	written := keysOf(path)
	v := c.own
	for _, key := range written {
		v = v.key(key)
	}
	if !v.known() || !c.complete() && !slices.ContainsFunc(c.Charts, func(chart *Chart) bool { return chart.Input.Chart.Section == written[0] }) {
		return
	}
	var names []string
	reason := ""
	for _, s := range v.spots {
		if s.chart.uses(s.chart.root(written)) {
			return
		}
		names = append(names, s.chart.Name)
		if text := s.description(); strings.Contains(text, "without effect") {
			reason = ": " + strings.TrimSuffix(text, ".")
		}
	}
	c.add(c.at(Finding{
		Rule:    unreadKey,
		Message: fmt.Sprintf("no template of %s reads %s%s", strings.Join(names, ", "), pathText(path), reason),
		Fix:     "take it out",
	}, path, false))
}

// join returns a new path: path, then a step.
func join[T any](path []T, step T) []T {
	out := make([]T, 0, len(path)+1)
	return append(append(out, path...), step)
}

// lastKey returns the last key of a path; inList says that the path leads into a list.
func lastKey(path []any) (name string, inList bool) {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			name = step
		case int:
			inList = true
		}
	}
	return name, inList
}

// keysOf returns a path without what is inside a list.
func keysOf(path []any) profiles.Path {
	var keys profiles.Path
	for _, step := range path {
		key, ok := step.(string)
		if !ok {
			break
		}
		keys = append(keys, key)
	}
	return keys
}

// pathText writes a path with the indices of lists: tolerations[0].key.
func pathText(path []any) string {
	var b strings.Builder
	var run profiles.Path
	flush := func() {
		text := run.String()
		if b.Len() > 0 && text != "" && text[0] != '[' {
			b.WriteByte('.')
		}
		b.WriteString(text)
		run = nil
	}
	for _, step := range path {
		switch step := step.(type) {
		case string:
			run = append(run, step)
		case int:
			flush()
			b.WriteString("[" + strconv.Itoa(step) + "]")
		}
	}
	flush()
	return b.String()
}

// short writes a value for a message, on one line and not too long.
func short(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	if runes := []rune(string(text)); len(runes) > 60 {
		return string(runes[:57]) + "..."
	}
	return string(text)
}
