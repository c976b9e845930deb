package finding

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// GitHub writes one workflow command a line, from which GitHub Actions makes annotations: ::error file=F,line=L,col=C,title=T::text,
// or warning or notice. The title is the rule with object and path. Text of several lines stays one command.
func GitHub(w io.Writer, findings []Finding) error {
	for _, f := range findings {
		level := string(f.Severity)
		if f.Severity == Note {
			level = "notice"
		}
		var properties []string
		add := func(name, value string) { properties = append(properties, name+"="+commandProperty.Replace(value)) }
		if f.File != "" {
			add("file", filepath.ToSlash(f.File))
			if f.Line > 0 {
				add("line", fmt.Sprint(f.Line))
				if f.Column > 0 {
					add("col", fmt.Sprint(f.Column))
				}
			}
		}
		title := f.Rule
		if place := strings.TrimSpace(f.Object + " " + f.Path); place != "" {
			title += ": " + place
		}
		add("title", title)
		if _, err := fmt.Fprintf(w, "::%s %s::%s\n", level, strings.Join(properties, ","), commandData.Replace(f.text())); err != nil {
			return err
		}
	}
	return nil
}

// What a workflow command cannot hold as it is.
var (
	commandData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	commandProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
