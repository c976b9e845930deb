package report

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"strings"

	"github.com/stratamesh/strata/pkg/manifest"
)

//go:embed page/page.html
var pageTemplate string

//go:embed page/style.css
var pageStyle string

//go:embed page/script.js
var pageScript string

// A page shows its objects unfolded where there are few, other than whole objects of many lines.
const (
	maxOpen      = 20
	maxOpenLines = 25
)

// writeHTML writes a page that asks for nothing: style and script are in it, and its policy lets it run only these, by their hashes.
func writeHTML(w io.Writer, r *manifest.Report, o Options) error {
	page, err := template.New("page").Funcs(template.FuncMap{
		"plural": plural,
		"kind":   func(v view) string { kind, _, _ := strings.Cut(v.Name, ":"); return kind },
		"rest":   func(v view) string { _, rest, _ := strings.Cut(v.Name, ":"); return rest },
		"mark":   func(l line) string { return markNames[l.Mark] },
		"short":  func(v view) bool { return len(v.Lines) <= maxOpenLines },
		"sum":    func(n int) int { return n + 1 },
	}).Parse(pageTemplate)
	if err != nil {
		return err
	}
	all := views(r)
	places := 0
	for _, v := range all {
		places += len(v.Places)
	}
	b := bufio.NewWriter(w)
	err = page.Execute(b, struct {
		Headline, A, B        string
		Views                 []view
		Tallies               []tally
		Places                int
		Open                  bool
		Unused                []manifest.UnusedRule
		Style                 template.CSS
		Script                template.JS
		StyleHash, ScriptHash string
	}{
		headline(all), visible(o.A), visible(o.B), all, tallies(all), places, len(all) <= maxOpen, r.Unused,
		template.CSS(pageStyle), template.JS(pageScript), hash(pageStyle), hash(pageScript),
	})
	if err != nil {
		return err
	}
	return b.Flush()
}

var markNames = map[byte]string{'-': "old", '+': "new", '@': "at", ' ': "same", '\\': "note"}

// hash is how a Content-Security-Policy names a text that may run.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
