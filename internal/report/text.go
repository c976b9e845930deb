package report

import (
	"bufio"
	"io"

	"github.com/stratamesh/strata/pkg/manifest"
)

// The colours of a terminal: of the kinds of changes, and of the sides.
var kindColors = map[manifest.ChangeKind]string{
	manifest.Added: "\x1b[32m", manifest.Removed: "\x1b[31m", manifest.Modified: "\x1b[33m", manifest.Renamed: "\x1b[36m",
}

var markColors = map[byte]string{'-': "\x1b[31m", '+': "\x1b[32m", '@': "\x1b[36m"}

const (
	bold  = "\x1b[1m"
	reset = "\x1b[0m"
)

func writeText(w io.Writer, r *manifest.Report, o Options) error {
	b := bufio.NewWriter(w)
	paint := func(color, text string) {
		if o.Color && color != "" {
			text = color + text + reset
		}
		_, _ = b.WriteString(text) // Flush tells
	}
	for _, v := range views(r) {
		name := v.Name
		if v.From != "" {
			name = v.From + " -> " + v.Name
		}
		paint(bold, name)
		paint("", " ")
		paint(kindColors[v.Change], string(v.Change))
		paint("", "\n")
		for _, p := range v.Places {
			paint("", "  "+p.Path+":")
			if p.Lines == nil {
				paint("", " ")
				paint(markColors['-'], p.Old)
				paint("", " -> ")
				paint(markColors['+'], p.New)
			}
			paint("", "\n")
			for _, l := range p.Lines {
				paint("", "    ")
				paint(markColors[l.Mark], l.String())
				paint("", "\n")
			}
		}
	}
	return b.Flush()
}
