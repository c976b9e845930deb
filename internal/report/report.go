// Package report writes what a comparison of manifests found, in the forms that people, code hosts and CI systems read. All of them
// are made from one manifest.Report: they say the same, and what it masks they do not know.
//
// Text in a form shows characters that cannot be printed as escapes, so that nothing in a manifest can steer a terminal or a page.
package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/stratamesh/strata/pkg/finding"
	"github.com/stratamesh/strata/pkg/manifest"
)

// A Format is a form in which a report is written.
type Format string

// The formats.
const (
	// Text has one line for each object and for each place, with its value on both sides; values of several lines as hunks.
	Text Format = "text"
	// JSON is the report as it marshals.
	JSON Format = "json"
	// Markdown is a comment on a pull request: never longer than GitHub takes.
	Markdown Format = "markdown"
	// JUnit has a failed test case for each object, or one that passed where there is no difference.
	JUnit Format = "junit"
	// SARIF and GitHub have one finding for each object that came, went or was renamed, and for each place in others.
	SARIF  Format = "sarif"
	GitHub Format = "github"
	// HTML is a page of one file.
	HTML Format = "html"
)

var writers = map[Format]func(io.Writer, *manifest.Report, Options) error{
	Text: writeText, JSON: writeJSON, Markdown: writeMarkdown, JUnit: writeJUnit, SARIF: writeSARIF, GitHub: writeGitHub, HTML: writeHTML,
}

// formats are all, in the order in which help names them.
var formats = []Format{Text, JSON, Markdown, JUnit, SARIF, GitHub, HTML}

// Formats names all formats, separated by commas.
func Formats() string {
	names := make([]string, 0, len(formats))
	for _, f := range formats {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

// ParseFormat reads the name of a format.
func ParseFormat(name string) (Format, error) {
	if f := Format(name); slices.Contains(formats, f) {
		return f, nil
	}
	return "", fmt.Errorf("unknown format %q; use one of %s", name, Formats())
}

// Options are what a report does not know.
type Options struct {
	// A and B name the two sides, as the user does.
	A, B string
	// Color is for Text only.
	Color bool
	// Tool is named in SARIF, and Now in JUnit, whose schema wants the time of a test.
	Tool finding.Tool
	Now  time.Time
	// File returns the file that a source of objects is, for findings; nothing where it is none. Without it every source is one.
	File func(source string) string
}

// Write writes a report. The error is one of writing, or of a format that does not exist.
func Write(w io.Writer, format Format, r *manifest.Report, o Options) error {
	write, found := writers[format]
	if !found {
		_, err := ParseFormat(string(format))
		return err
	}
	return write(w, r, o)
}

func writeJSON(w io.Writer, r *manifest.Report, _ Options) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}
