package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v2"

	"github.com/stratamesh/strata/pkg/manifest"
)

// A view is a change as people read it.
type view struct {
	// Name is Kind:namespace:name, with the API group where the report has another object of that name. From is the old name of an
	// object that was renamed.
	Name, From string
	APIVersion string
	ID         manifest.ID
	Change     manifest.ChangeKind
	Places     []place
	// Lines are the whole object, where it came or went.
	Lines []line
	// Source is where the object begins: on the second side, else on the first.
	Source manifest.Position
}

// A place is one place in which an object differs.
type place struct {
	Path   string
	Change manifest.ChangeKind
	// Old and New are the values, each on one line.
	Old, New string
	// Lines stand for both where they do not fit on one line.
	Lines []line
}

// A line is one line of a hunk.
type line struct {
	// Mark is -, + or a space; @ for the head of a hunk, \ for a remark.
	Mark byte
	Text string
}

func (l line) String() string {
	if l.Mark == '@' || l.Mark == '\\' {
		return l.Text
	}
	return string(l.Mark) + l.Text
}

// views returns all changes of a report.
func views(r *manifest.Report) []view {
	count := map[string]int{}
	for _, c := range r.Changes {
		count[c.ID.String()]++
	}
	all := make([]view, 0, len(r.Changes))
	for _, c := range r.Changes {
		v := view{ID: c.ID, Name: visible(c.ID.String()), APIVersion: visible(c.APIVersion), Change: c.Change}
		if count[c.ID.String()] > 1 && c.ID.Group != "" {
			qualified := c.ID
			qualified.Kind += "." + c.ID.Group
			v.Name = visible(qualified.String())
		}
		if c.From != nil {
			v.From = visible(c.From.String())
		}
		switch object := c.New; {
		case object != nil:
			v.Source = object.Position
		case c.Old != nil:
			v.Source = c.Old.Position
		}
		if c.Change == manifest.Added && c.New != nil {
			v.Lines = yamlLines('+', c.New.Value)
		}
		if c.Change == manifest.Removed && c.Old != nil {
			v.Lines = yamlLines('-', c.Old.Value)
		}
		for _, p := range c.Paths {
			v.Places = append(v.Places, viewPlace(p))
		}
		all = append(all, v)
	}
	return all
}

func viewPlace(p manifest.PathChange) place {
	out := place{Path: visible(p.Path.String()), Change: p.Change, Old: none, New: none}
	if p.Text != "" {
		for text := range strings.Lines(p.Text) {
			out.Lines = append(out.Lines, hunkLine(strings.TrimSuffix(text, "\n")))
		}
	}
	if p.Change != manifest.Added {
		out.Old = oneLine(p.From)
	}
	if p.Change != manifest.Removed {
		out.New = oneLine(p.To)
	}
	if out.Lines == nil && (isLong(p.From, out.Old) || isLong(p.To, out.New)) {
		if p.Change != manifest.Added {
			out.Lines = yamlLines('-', p.From)
		}
		if p.Change != manifest.Removed {
			out.Lines = append(out.Lines, yamlLines('+', p.To)...)
		}
	}
	return out
}

// none is what stands for no value.
const none = "(none)"

// maxInline is how long a map or a list may be to stand on one line.
const maxInline = 80

// isLong says whether a value is for lines of its own: text of several lines, or a long map or list.
func isLong(value any, text string) bool {
	switch value := value.(type) {
	case string:
		return strings.Contains(strings.TrimSuffix(value, "\n"), "\n")
	case map[string]any, []any:
		return len(text) > maxInline
	}
	return false
}

func oneLine(value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return visible(fmt.Sprint(value))
	}
	return visible(strings.TrimSuffix(b.String(), "\n"))
}

// yamlLines writes a value as YAML; a text as it is.
func yamlLines(mark byte, value any) []line {
	text, ok := value.(string)
	if !ok {
		out, err := yaml.Marshal(value)
		if err != nil {
			return []line{{mark, visible(fmt.Sprint(value))}}
		}
		text = string(out)
	}
	var lines []line
	for l := range strings.Lines(text) {
		lines = append(lines, line{mark, visible(strings.TrimSuffix(l, "\n"))})
	}
	return lines
}

func hunkLine(text string) line {
	if text == "" {
		return line{' ', ""}
	}
	switch text[0] {
	case '+', '-', ' ':
		return line{text[0], visible(text[1:])}
	case '@', '\\':
		return line{text[0], visible(text)}
	}
	return line{' ', visible(text)}
}

// visible writes what cannot be printed as Go does in quotes: a reader sees it, and a terminal does not obey it. Tabs stay.
func visible(s string) string {
	isHidden := func(r rune) bool { return r != '\t' && !strconv.IsPrint(r) }
	if strings.IndexFunc(s, isHidden) < 0 && !strings.ContainsRune(s, '\uFFFD') {
		return s
	}
	var b strings.Builder
	for n, r := range s {
		switch {
		case isHidden(r):
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		case r == '\uFFFD' && !strings.HasPrefix(s[n:], "\uFFFD"):
			// A byte that is no UTF-8.
			fmt.Fprintf(&b, `\x%02x`, s[n])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// plural writes a number of things.
func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// A tally is how many objects there are of a kind of change.
type tally struct {
	Change manifest.ChangeKind
	Count  int
}

// tallies counts the kinds of changes that there are, in a fixed order.
func tallies(all []view) []tally {
	var out []tally
	for _, kind := range []manifest.ChangeKind{manifest.Added, manifest.Removed, manifest.Modified, manifest.Renamed} {
		t := tally{Change: kind}
		for _, v := range all {
			if v.Change == kind {
				t.Count++
			}
		}
		if t.Count > 0 {
			out = append(out, t)
		}
	}
	return out
}

// headline says in one line how much differs.
func headline(all []view) string {
	if len(all) == 0 {
		return "No differences"
	}
	var parts []string
	for _, t := range tallies(all) {
		parts = append(parts, fmt.Sprintf("%d %s", t.Count, t.Change))
	}
	verb := "differ"
	if len(all) == 1 {
		verb = "differs"
	}
	return fmt.Sprintf("%s %s (%s)", plural(len(all), "object"), verb, strings.Join(parts, ", "))
}
