package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/stratamesh/strata/pkg/manifest"
)

// writeJUnit writes what both Jenkins's schema and that of Ant's JUnitReport allow; readers follow one or the other.
func writeJUnit(w io.Writer, r *manifest.Report, o Options) error {
	suite := junitSuite{
		Name: "strata diff", Package: "strata", Hostname: "localhost", Timestamp: o.Now.UTC().Format("2006-01-02T15:04:05"),
		Properties: []junitProperty{{"from", visible(o.A)}, {"to", visible(o.B)}},
	}
	all := views(r)
	for _, v := range all {
		var b strings.Builder
		if v.Lines != nil {
			b.WriteString(joinLines(v.Lines, math.MaxInt) + "\n")
		}
		for _, p := range v.Places {
			if p.Lines == nil {
				fmt.Fprintf(&b, "%s: %s -> %s\n", p.Path, p.Old, p.New)
			} else {
				fmt.Fprintf(&b, "%s:\n%s\n", p.Path, joinLines(p.Lines, math.MaxInt))
			}
		}
		message := string(v.Change)
		switch {
		case v.From != "":
			message = "renamed from " + v.From
		case v.Change == manifest.Modified:
			message = plural(len(v.Places), "place") + " modified"
		}
		suite.Cases = append(suite.Cases, junitCase{
			Name: v.Name, Class: "strata.diff." + visible(v.ID.Kind), Failure: &junitFailure{Message: message, Type: string(v.Change), Text: b.String()},
		})
	}
	if len(all) == 0 {
		suite.Cases = []junitCase{{Name: "no differences", Class: "strata.diff"}}
	}
	suite.Tests, suite.Failures = len(suite.Cases), len(all)
	for _, u := range r.Unused {
		suite.Err += fmt.Sprintf("--%s %s matched nothing\n", u.Option, visible(u.Rule))
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(junitSuites{Suites: []junitSuite{suite}}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// The parts of a JUnit report, by its names. A comparison takes no time of its own for each object, so Time stays 0.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Package    string          `xml:"package,attr"`
		ID         int             `xml:"id,attr"`
		Timestamp  string          `xml:"timestamp,attr"`
		Hostname   string          `xml:"hostname,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Time       int             `xml:"time,attr"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
		Out        string          `xml:"system-out"`
		Err        string          `xml:"system-err"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Time    int           `xml:"time,attr"`
		Failure *junitFailure `xml:"failure"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)
