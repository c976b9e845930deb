package report

import (
	"fmt"
	"html"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/stratamesh/strata/pkg/manifest"
)

// The limits of a comment. GitHub refuses one of more than 65,536 characters; what does not fit is counted at its end.
const (
	maxComment      = 65536
	maxTable        = maxComment / 4
	maxDetailsLines = 200
	maxDetailsLine  = 500
	maxInlineCode   = 200
	// remainder is what the end of a comment and of its blocks needs.
	remainder = 600
)

// writeMarkdown writes a headline, a table of the objects, and for each a block that unfolds.
func writeMarkdown(w io.Writer, r *manifest.Report, o Options) error {
	all := views(r)
	var b strings.Builder
	fmt.Fprintf(&b, "### strata diff: %s\n\n", strings.ToLower(headline(all)[:1])+headline(all)[1:])
	fmt.Fprintf(&b, "%s → %s\n", inlineCode(o.A), inlineCode(o.B))
	markdownUnused(&b, r)
	listed := markdownTable(&b, all)
	shown := 0
	for _, v := range all {
		block := markdownDetails(v)
		if b.Len()+len(block) > maxComment-remainder {
			break
		}
		b.WriteString(block)
		shown++
	}
	markdownRest(&b, all, listed, shown)
	_, err := io.WriteString(w, b.String())
	return err
}

// markdownRest counts what did not fit.
func markdownRest(b *strings.Builder, all []view, listed, shown int) {
	var left []string
	if listed < len(all) {
		left = append(left, plural(len(all)-listed, "row")+" of the table")
	}
	if shown < len(all) {
		places := 0
		for _, v := range all[shown:] {
			places += len(v.Places)
		}
		left = append(left, fmt.Sprintf("the details of the last %s (%s)", plural(len(all)-shown, "object"), plural(places, "place")))
	}
	if len(left) > 0 {
		fmt.Fprintf(b, "\n**Not all is shown**, for a comment holds 65,536 characters. Left out: %s. The other formats of strata diff have no limit.\n",
			strings.Join(left, ", and "))
	}
}

func markdownUnused(b *strings.Builder, r *manifest.Report) {
	for n, u := range r.Unused {
		if n == 10 {
			fmt.Fprintf(b, "\n%s more matched nothing.\n", plural(len(r.Unused)-n, "rule"))
			return
		}
		fmt.Fprintf(b, "\n%s matched nothing.\n", inlineCode("--"+u.Option+" "+u.Rule))
	}
}

// markdownTable returns how many objects it lists.
func markdownTable(b *strings.Builder, all []view) int {
	if len(all) == 0 {
		return 0
	}
	b.WriteString("\n| Change | Object | Places |\n| --- | --- | ---: |\n")
	for n, v := range all {
		object := inlineCode(v.Name)
		if v.From != "" {
			object = inlineCode(v.From) + " → " + object
		}
		places := ""
		if len(v.Places) > 0 {
			places = fmt.Sprint(len(v.Places))
		}
		row := fmt.Sprintf("| %s | %s | %s |\n", v.Change, object, places)
		if b.Len()+len(row) > maxTable {
			return n
		}
		b.WriteString(row)
	}
	return len(all)
}

// markdownDetails is the block of one object, with hunks that code hosts colour.
func markdownDetails(v view) string {
	lines := v.Lines
	for _, p := range v.Places {
		lines = append(lines, line{'@', "@@ " + p.Path + " @@"})
		if p.Lines != nil {
			lines = append(lines, p.Lines...)
			continue
		}
		if p.Change != manifest.Added {
			lines = append(lines, line{'-', p.Old})
		}
		if p.Change != manifest.Removed {
			lines = append(lines, line{'+', p.New})
		}
	}
	var body strings.Builder
	for n, l := range lines {
		if n == maxDetailsLines {
			fmt.Fprintf(&body, "… %s more\n", plural(len(lines)-n, "line"))
			break
		}
		body.WriteString(cut(l.String(), maxDetailsLine) + "\n")
	}
	fence := fenceFor(body.String())
	return fmt.Sprintf("\n<details><summary><code>%s</code> %s</summary>\n\n%sdiff\n%s%s\n\n</details>\n", html.EscapeString(cut(v.Name, maxDetailsLine)), v.Change,
		fence, body.String(), fence)
}

// cut shortens a line, and says by how much.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	n := most
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return fmt.Sprintf("%s… %s more", s[:n], plural(utf8.RuneCountInString(s[n:]), "character"))
}

// fenceFor returns a fence longer than any run of backticks in a text.
func fenceFor(text string) string {
	longest, run := 2, 0
	for _, r := range text {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return strings.Repeat("`", longest+1)
}

// inlineCode is code in a line or in a cell of a table. Where it holds what Markdown would take for its own even so, it is HTML with
// every such character written by its number.
func inlineCode(s string) string {
	s = cut(visible(s), maxInlineCode)
	if s != "" && !strings.ContainsAny(s, "|`\\\t") && strings.TrimSpace(s) == s {
		return "`" + s + "`"
	}
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("|`\\*_~[]@#:/.<>&\t", r) {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return "<code>" + b.String() + "</code>"
}
