package report_test

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stratamesh/strata/internal/report"
	"github.com/stratamesh/strata/pkg/finding"
	"github.com/stratamesh/strata/pkg/manifest"
)

var options = report.Options{
	A: "old.yaml", B: "new.yaml", Tool: finding.Tool{Name: "strata", Version: "1.0.0"}, Now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
}

func set(t require.TestingT, name, text string) *manifest.Set {
	objects, err := manifest.Parse(name, []byte(text))
	require.NoError(t, err)
	s, err := manifest.NewSet(objects...)
	require.NoError(t, err)
	return s
}

func compare(t require.TestingT, a, b string, o manifest.Options) *manifest.Report {
	r, err := manifest.Diff(set(t, "old.yaml", a), set(t, "new.yaml", b), o)
	require.NoError(t, err)
	return r
}

// sample has each kind of change, text of several lines, a Secret, two objects of one name, and characters that steer terminals and pages.
func sample(t require.TestingT) *manifest.Report {
	read := func(name string) string {
		text, err := os.ReadFile("testdata/" + name)
		require.NoError(t, err)
		return string(text)
	}
	ignore, err := manifest.ParseRules("Nothing:*:*")
	require.NoError(t, err)
	return compare(t, read("old.yaml"), read("new.yaml"), manifest.Options{Ignore: ignore})
}

func write(t require.TestingT, format report.Format, r *manifest.Report, o report.Options) string {
	var b bytes.Buffer
	require.NoError(t, report.Write(&b, format, r, o))
	return b.String()
}

var all = []report.Format{report.Text, report.JSON, report.Markdown, report.JUnit, report.SARIF, report.GitHub, report.HTML}

func TestEveryFormatNamesEveryObjectAndPathAndNoSecret(t *testing.T) {
	r := sample(t)
	require.Len(t, r.Changes, 8)
	for _, format := range all {
		text := write(t, format, r, options)
		plain := strings.NewReplacer("&#34;", `"`, "<b>", "", "</b>", "", "%3A", ":", `\"`, `"`, "&gt;", ">", "&lt;", "<").Replace(text)
		for _, c := range r.Changes {
			name := c.ID.Name
			assert.Contains(t, plain, name, "%s", format)
			for _, p := range c.Paths {
				assert.Contains(t, plain, p.Path.String(), "%s", format)
			}
		}
		assert.Contains(t, plain, "first-name", "%s names the old name", format)
		assert.Contains(t, plain, "example.com/proxy:2", "%s shows an item that came", format)
		assert.Contains(t, plain, `<script>alert("new")</script>`, "%s shows text by lines", format)
		assert.NotContains(t, text, "hunter2", "%s", format)
		assert.NotContains(t, text, "\x1b", "%s", format)
	}
}

func TestAReportWithoutDifferencesSaysSo(t *testing.T) {
	text, err := os.ReadFile("testdata/old.yaml")
	require.NoError(t, err)
	r := compare(t, string(text), string(text), manifest.Options{})
	for format, want := range map[report.Format]string{
		report.Text: "", report.JSON: `"equal": true`, report.Markdown: "no differences", report.JUnit: `failures="0"`, report.SARIF: `"results": []`,
		report.GitHub: "", report.HTML: "No differences",
	} {
		got := write(t, format, r, options)
		assert.Contains(t, got, want, "%s", format)
		if want == "" {
			assert.Empty(t, got, "%s", format)
		}
	}
}

func TestWriteRefusesAnUnknownFormat(t *testing.T) {
	err := report.Write(&bytes.Buffer{}, "pdf", sample(t), options)
	require.ErrorContains(t, err, `unknown format "pdf"; use one of text, json, markdown, junit, sarif, github, html`)
}

func TestTextShowsOldAndNewUnderObjectAndPath(t *testing.T) {
	assert.Equal(t, `ConfigMap:shop:page modified
  data.control: "a\u001bb" -> "a\u001b]0;title\u0007b"
  data["index.html"]:
    @@ -1,3 +1,3 @@
     <!doctype html>
    -<script>alert("old")</script>
    +<script>alert("new")</script>
     </pre>
ConfigMap:shop:first-name -> ConfigMap:shop:second-name renamed
  data.f: "6" -> "7"
Deployment:shop:web modified
  spec.replicas: 1 -> 2
  spec.template.spec.containers[name=proxy]:
    +args:
    +- proxy
    +- sidecar
    +- --domain
    +- $(POD_NAMESPACE).svc.cluster.local
    +- --log_output_level
    +- default:info
    +image: example.com/proxy:2
    +name: proxy
Gateway.gateway.networking.k8s.io:shop:in modified
  spec.gatewayClassName: "istio" -> "other"
Gateway.networking.istio.io:shop:in modified
  spec.selector.a: "b" -> "c"
Secret:shop:key modified
  stringData.password: "(secret, 11 bytes, changed)" -> "(secret, 13 bytes, changed)"
Service:shop:gone removed
ServiceAccount:shop:come added
`, write(t, report.Text, sample(t), options))
}

var escapes = regexp.MustCompile("\x1b\\[[0-9]+m")

func TestColorAddsNothingButColor(t *testing.T) {
	r := sample(t)
	colored := options
	colored.Color = true
	text := write(t, report.Text, r, colored)
	assert.Contains(t, text, "spec.replicas: \x1b[31m1\x1b[0m -> \x1b[32m2\x1b[0m")
	assert.Equal(t, write(t, report.Text, r, options), escapes.ReplaceAllString(text, ""))
	for _, format := range all[1:] {
		assert.Equal(t, write(t, format, r, options), write(t, format, r, colored), "%s has no colours", format)
	}
}

// Whatever a manifest holds, no form for people has characters that steer a terminal, nor those that turn the direction of text.
func TestNothingInAManifestSteersATerminal(t *testing.T) {
	runes := rapid.SampledFrom([]rune("a \x1b\x07\r\n\t\u202e\u2028\u0085\x00é日"))
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringOf(runes)
		a, b := configMap(value.Draw(t, "key"), value.Draw(t, "old")), configMap(value.Draw(t, "key"), value.Draw(t, "new"))
		r := compare(t, a, b, manifest.Options{})
		for _, format := range []report.Format{report.Text, report.Markdown, report.JUnit, report.GitHub, report.HTML} {
			for _, c := range write(t, format, r, options) {
				require.True(t, c == '\n' || c == '\t' || unicode.IsPrint(c), "%s: %q", format, c)
			}
		}
	})
}

func configMap(key, value string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: x}, data: {%s: %s}}", quoted(key), quoted(value))
}

// quoted writes text in quotes as YAML has it.
func quoted(s string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, `\U%08x`, r)
	}
	return `"` + b.String() + `"`
}

func TestFindingsNameTheFileOnTheNewSideElseTheOld(t *testing.T) {
	o := options
	o.File = func(source string) string { return "deploy/" + source }
	text := write(t, report.GitHub, sample(t), o)
	assert.Contains(t, text, "::warning file=deploy/new.yaml,line=1,title=value-changed%3A Deployment%3Ashop%3Aweb spec.replicas::Deployment:shop:web spec.replicas: 1 -> 2\n")
	assert.Contains(t, text, "::warning file=deploy/old.yaml,line=26,title=object-removed%3A Service%3Ashop%3Agone::Service:shop:gone was removed\n")
	assert.Contains(t, text, "::Deployment:shop:web spec.template.spec.containers[name=proxy]:%0A+args:%0A")

	o.File = func(string) string { return "" }
	text = write(t, report.GitHub, sample(t), o)
	assert.NotContains(t, text, "file=")
	assert.NotContains(t, text, "line=")
}
