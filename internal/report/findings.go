package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/stratamesh/strata/pkg/finding"
	"github.com/stratamesh/strata/pkg/manifest"
)

// rules are the kinds of differences as kinds of findings. A difference is a warning: whether it is a fault, only people know.
var rules = []finding.Rule{
	{
		ID: "object-added", Severity: finding.Warning, Summary: "An object is only in the second manifest.",
		Help: "The second manifest creates an object that the first does not have. Check that it is wanted.",
	},
	{
		ID: "object-removed", Severity: finding.Warning, Summary: "An object is only in the first manifest.",
		Help: "The second manifest no longer has an object. Tools that prune will delete it from the cluster.",
	},
	{
		ID: "object-renamed", Severity: finding.Warning, Summary: "An object has another name.",
		Help: "To a cluster this is an object that goes and one that comes. Where it is intended, --rename 'OLD->NEW' compares them as one.",
	},
	{
		ID: "value-added", Severity: finding.Warning, Summary: "A value is only in the second manifest.",
		Help: "The object has a value that it did not have. Where it does not matter, --ignore Kind:namespace:name:path leaves it out.",
	},
	{
		ID: "value-removed", Severity: finding.Warning, Summary: "A value is only in the first manifest.",
		Help: "The object no longer has a value; a default may take its place. Where it does not matter, --ignore Kind:namespace:name:path leaves it out.",
	},
	{
		ID: "value-changed", Severity: finding.Warning, Summary: "A value differs.",
		Help: "The object has another value. Where it does not matter, --ignore Kind:namespace:name:path leaves it out.",
	},
}

// maxFindingLines are the lines of a hunk that a finding shows.
const maxFindingLines = 40

func findings(r *manifest.Report, o Options) []finding.Finding {
	var all []finding.Finding
	for _, v := range views(r) {
		f := finding.Finding{Severity: finding.Warning, Object: v.Name, File: v.Source.Source}
		if o.File != nil {
			f.File = o.File(f.File)
		}
		if f.File != "" {
			f.Line, f.Column = v.Source.Line, v.Source.Column
		}
		if v.Change != manifest.Modified {
			f.Rule, f.Message = "object-"+string(v.Change), fmt.Sprintf("%s was %s", v.Name, v.Change)
			if v.From != "" {
				f.Message = fmt.Sprintf("%s was renamed from %s", v.Name, v.From)
			}
			all = append(all, f)
		}
		for _, p := range v.Places {
			f.Rule, f.Path = valueRule(p.Change), p.Path
			f.Message = fmt.Sprintf("%s %s: %s -> %s", v.Name, p.Path, p.Old, p.New)
			if p.Lines != nil {
				f.Message = fmt.Sprintf("%s %s:\n%s", v.Name, p.Path, joinLines(p.Lines, maxFindingLines))
			}
			all = append(all, f)
		}
	}
	return all
}

func valueRule(kind manifest.ChangeKind) string {
	if kind == manifest.Modified {
		return "value-changed"
	}
	return "value-" + string(kind)
}

// joinLines writes at most so many lines, and how many are left.
func joinLines(lines []line, most int) string {
	var b strings.Builder
	for n, l := range lines {
		if n == most {
			fmt.Fprintf(&b, "… %s more\n", plural(len(lines)-n, "line"))
			break
		}
		b.WriteString(l.String() + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func writeSARIF(w io.Writer, r *manifest.Report, o Options) error {
	return finding.SARIF(w, o.Tool, rules, findings(r, o))
}

func writeGitHub(w io.Writer, r *manifest.Report, o Options) error {
	return finding.GitHub(w, findings(r, o))
}
