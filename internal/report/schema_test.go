package report_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stratamesh/strata/internal/report"
	"github.com/stratamesh/strata/internal/sarif"
	"github.com/stratamesh/strata/pkg/manifest"
)

func TestSARIFFitsTheSchema(t *testing.T) {
	log, err := jsonschema.UnmarshalJSON(strings.NewReader(write(t, report.SARIF, sample(t), options)))
	require.NoError(t, err)
	require.NoError(t, sarif.Schema(t).Validate(log))
}

const junitSchema = "testdata/jenkins-junit.xsd"

func TestJUnitFitsTheSchema(t *testing.T) {
	s := readXSD(t)
	for _, text := range []string{
		write(t, report.JUnit, sample(t), options),
		write(t, report.JUnit, compare(t, "", "", manifest.Options{}), options),
	} {
		require.NoError(t, s.validate(text))
		xmllint(t, text)
	}
	for _, broken := range []string{
		`<testsuites><testsuite tests="1"/></testsuites>`,
		`<testsuites><testsuite name="a" tests="1" nope="1"/></testsuites>`,
		`<testsuites><testsuite name="a" tests="1"><system-err/><testcase name="a"/></testsuite></testsuites>`,
		`<testsuites><testsuite name="a" tests="1"><testcase name="a">text</testcase></testsuite></testsuites>`,
		`<testsuites><testsuite name="a" tests="1"><properties/></testsuite></testsuites>`,
		`<nope/>`,
	} {
		require.Error(t, s.validate(broken), broken)
	}
}

func TestJUnitOfAnyTextFitsTheSchema(t *testing.T) {
	s := readXSD(t)
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.String()
		r := compare(t, configMap(value.Draw(t, "key"), value.Draw(t, "old")), configMap(value.Draw(t, "key"), value.Draw(t, "new")), manifest.Options{})
		o := options
		o.A = value.Draw(t, "name")
		require.NoError(t, s.validate(write(t, report.JUnit, r, o)))
	})
}

// Ant's JUnitReport wants more than Jenkins: every attribute there is, and on the root none.
func TestJUnitHasWhatAntWants(t *testing.T) {
	root, err := parseXML(write(t, report.JUnit, sample(t), options))
	require.NoError(t, err)
	assert.Empty(t, root.attributes)
	suite := root.children[0]
	for _, name := range []string{"name", "timestamp", "hostname", "tests", "failures", "errors", "time", "package", "id"} {
		assert.NotEmpty(t, suite.attributes[name], name)
	}
	assert.Equal(t, "2026-01-02T03:04:05", suite.attributes["timestamp"])
	assert.Equal(t, "8", suite.attributes["tests"])
	assert.Equal(t, "8", suite.attributes["failures"])
	var order []string
	for _, c := range suite.children {
		if len(order) == 0 || order[len(order)-1] != c.name {
			order = append(order, c.name)
		}
		if c.name == "testcase" {
			require.Len(t, c.children, 1)
			assert.NotEmpty(t, c.attributes["classname"])
			assert.NotEmpty(t, c.attributes["time"])
			assert.NotEmpty(t, c.children[0].attributes["type"])
		}
	}
	assert.Equal(t, []string{"properties", "testcase", "system-out", "system-err"}, order)
}

// xmllint is the judge where it is installed.
func xmllint(t *testing.T, text string) {
	t.Helper()
	program, err := exec.LookPath("xmllint")
	if err != nil {
		return
	}
	file := filepath.Join(t.TempDir(), "junit.xml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	out, err := exec.CommandContext(t.Context(), program, "--noout", "--schema", junitSchema, file).CombinedOutput()
	require.NoError(t, err, string(out))
}

// An xsd is as much of an XML schema as jenkins-junit.xsd uses: elements with a sequence of others and attributes, which hold any text,
// or elements that hold only text.
type xsd map[string]xsdElement

type xsdElement struct {
	Name    string `xml:"name,attr"`
	Type    string `xml:"type,attr"`
	Complex *struct {
		Mixed    bool `xml:"mixed,attr"`
		Sequence struct {
			Elements []struct {
				Ref string `xml:"ref,attr"`
				Min string `xml:"minOccurs,attr"`
				Max string `xml:"maxOccurs,attr"`
			} `xml:"element"`
		} `xml:"sequence"`
		Attributes []struct {
			Name string `xml:"name,attr"`
			Use  string `xml:"use,attr"`
		} `xml:"attribute"`
	} `xml:"complexType"`
}

func readXSD(t *testing.T) xsd {
	t.Helper()
	text, err := os.ReadFile(junitSchema)
	require.NoError(t, err)
	var schema struct {
		Elements []xsdElement `xml:"element"`
	}
	require.NoError(t, xml.Unmarshal(text, &schema))
	s := xsd{}
	for _, e := range schema.Elements {
		s[e.Name] = e
	}
	require.Len(t, s, 10)
	return s
}

func (s xsd) validate(text string) error {
	root, err := parseXML(text)
	if err != nil {
		return err
	}
	return s.element(root)
}

func (s xsd) element(n *node) error {
	declared, found := s[n.name]
	if !found {
		return fmt.Errorf("<%s> is not declared", n.name)
	}
	c := declared.Complex
	if c == nil {
		if len(n.children)+len(n.attributes) > 0 {
			return fmt.Errorf("<%s> holds only text", n.name)
		}
		return nil
	}
	if !c.Mixed && strings.TrimSpace(n.text) != "" {
		return fmt.Errorf("<%s> holds no text", n.name)
	}
	allowed := map[string]bool{}
	for _, a := range c.Attributes {
		allowed[a.Name] = true
		if _, has := n.attributes[a.Name]; !has && a.Use == "required" {
			return fmt.Errorf("<%s> lacks %s", n.name, a.Name)
		}
	}
	for name := range n.attributes {
		if !allowed[name] {
			return fmt.Errorf("<%s> has %s", n.name, name)
		}
	}
	rest := n.children
	for _, part := range c.Sequence.Elements {
		count := 0
		for len(rest) > 0 && rest[0].name == part.Ref {
			if err := s.element(rest[0]); err != nil {
				return err
			}
			rest = rest[1:]
			count++
		}
		if least, err := strconv.Atoi(part.Min); count < 1 && (err != nil || least > 0) {
			return fmt.Errorf("<%s> lacks <%s>", n.name, part.Ref)
		}
		if most, err := strconv.Atoi(part.Max); err == nil && count > most {
			return fmt.Errorf("<%s> has <%s> too often", n.name, part.Ref)
		}
	}
	if len(rest) > 0 {
		return fmt.Errorf("<%s> has <%s> where it may not stand", n.name, rest[0].name)
	}
	return nil
}

// A node is an element of an XML document.
type node struct {
	name, text string
	attributes map[string]string
	children   []*node
}

func parseXML(text string) (*node, error) {
	d := xml.NewDecoder(strings.NewReader(text))
	root := &node{}
	open := []*node{root}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) && len(root.children) == 1 {
			return root.children[0], nil
		}
		if err != nil {
			return nil, err
		}
		last := open[len(open)-1]
		switch token := token.(type) {
		case xml.StartElement:
			n := &node{name: token.Name.Local, attributes: map[string]string{}}
			for _, a := range token.Attr {
				n.attributes[a.Name.Local] = a.Value
			}
			last.children = append(last.children, n)
			open = append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			last.text += string(token)
		}
	}
}
