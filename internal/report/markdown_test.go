package report_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stratamesh/strata/internal/report"
	"github.com/stratamesh/strata/pkg/manifest"
)

// deployments makes n objects, each with one value of a size.
func deployments(n, size int, value string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: object-%d}, data: {key: %q}}\n", i, strings.Repeat(value, size))
	}
	return b.String()
}

var (
	omittedObjects = regexp.MustCompile(`details of the last (\d+) objects? \((\d+) places?\)`)
	omittedRows    = regexp.MustCompile(`(\d+) rows? of the table`)
)

func number(pattern *regexp.Regexp, text string) int {
	m := pattern.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// A comment is never longer than GitHub takes, and what it leaves out and what it shows is all there is.
func TestMarkdownFitsAComment(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 900).Draw(t, "objects")
		size := rapid.SampledFrom([]int{1, 3, 40, 300, 3000}).Draw(t, "size")
		if n*size > 150_000 {
			n = 150_000 / size
		}
		r := compare(t, deployments(n, size, "a"), deployments(n, size, "b"), manifest.Options{})
		text := write(t, report.Markdown, r, options)
		require.LessOrEqual(t, utf8.RuneCountInString(text), 65536)
		require.Equal(t, n, strings.Count(text, "<details>")+number(omittedObjects, text))
		require.Equal(t, n, strings.Count(text, "| modified |")+number(omittedRows, text))
		require.Equal(t, strings.Count(text, "<details>"), strings.Count(text, "</details>"))
	})
}

func TestMarkdownCountsWhatItLeavesOut(t *testing.T) {
	r := compare(t, deployments(2000, 10, "a"), deployments(2000, 10, "b"), manifest.Options{})
	text := write(t, report.Markdown, r, options)
	assert.Contains(t, text, "### strata diff: 2000 objects differ (2000 modified)\n")
	assert.Regexp(t, `\*\*Not all is shown\*\*, for a comment holds 65,536 characters. Left out: \d+ rows of the table, and the details of the last \d+ objects \(\d+ places\)`, text)
	assert.Greater(t, len(text), 60000, "what fits is there")

	var lines strings.Builder
	for n := range 1000 {
		fmt.Fprintf(&lines, `line %d\n`, n)
	}
	one := `{apiVersion: v1, kind: ConfigMap, metadata: {name: long}, data: {key: "` + lines.String() + `", line: "` + strings.Repeat("é", 5000) + `"}}`
	text = write(t, report.Markdown, compare(t, "", one, manifest.Options{}), options)
	assert.Contains(t, text, "more\n```\n")
	assert.Contains(t, text, "… ")
	assert.True(t, utf8.ValidString(text))
}

func TestMarkdownCannotBeBrokenByValues(t *testing.T) {
	a := configMap("key", "a\n```\n````\n</details>\n")
	b := configMap("key", "b\n```\n````\n</details>\n")
	o := options
	o.A, o.B = "a|b`c*d_e.yaml", "plain_name*.yaml"
	text := write(t, report.Markdown, compare(t, a, b, manifest.Options{}), o)
	assert.Contains(t, text, "`````diff\n")
	assert.Contains(t, text, "<code>a&#124;b&#96;c&#42;d&#95;e&#46;yaml</code> → `plain_name*.yaml`")
}

func TestMarkdownTellsOfRulesThatMatchedNothing(t *testing.T) {
	assert.Contains(t, write(t, report.Markdown, sample(t), options), "`--ignore Nothing:*:*` matched nothing.")
}
