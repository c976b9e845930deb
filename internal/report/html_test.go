package report_test

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"github.com/stratamesh/strata/internal/report"
	"github.com/stratamesh/strata/pkg/manifest"
)

// elements returns all elements of a page by name.
func elements(t require.TestingT, page string) map[string][]*html.Node {
	root, err := html.Parse(strings.NewReader(page))
	require.NoError(t, err)
	found := map[string][]*html.Node{}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			found[n.Data] = append(found[n.Data], n)
		}
	}
	return found
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func TestAPageRunsOnlyItsOwnScriptAndStyle(t *testing.T) {
	found := elements(t, write(t, report.HTML, sample(t), options))
	policy := ""
	for _, m := range found["meta"] {
		if attribute(m, "http-equiv") == "Content-Security-Policy" {
			policy = attribute(m, "content")
		}
	}
	assert.Contains(t, policy, "default-src 'none'")
	for directive, name := range map[string]string{"script-src": "script", "style-src": "style"} {
		require.Len(t, found[name], 1)
		sum := sha256.Sum256([]byte(found[name][0].FirstChild.Data))
		assert.Contains(t, policy, directive+" 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	for _, name := range []string{"img", "iframe", "object", "embed", "form"} {
		assert.Empty(t, found[name], name)
	}
}

// Whatever is in a manifest, the page has the elements that it has for harmless text.
func TestValuesAddNoElements(t *testing.T) {
	count := func(t require.TestingT, key, old, now string) map[string]int {
		r := compare(t, configMap("k"+key, old+"1"), configMap("k"+key, now+"2"), manifest.Options{})
		counts := map[string]int{}
		for name, list := range elements(t, write(t, report.HTML, r, options)) {
			counts[name] = len(list)
		}
		return counts
	}
	harmless := count(t, "key", "old", "new")
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune(`<>&"'/script !-=`)))
		require.Equal(t, harmless, count(t, text.Draw(t, "key"), text.Draw(t, "old"), text.Draw(t, "new")))
	})
}

func TestAPageShowsBothSidesAndWholeObjects(t *testing.T) {
	page := strings.ReplaceAll(write(t, report.HTML, sample(t), options), "&#43;", "+")
	for _, part := range []string{
		"<title>strata diff: 8 objects differ (1 added, 1 removed, 5 modified, 1 renamed)</title>",
		`<span class="label">Old</span><code>1</code>`, `<span class="label">New</span><code>2</code>`,
		`<span class="line old">-  clusterIP: None`, `<span class="line new">+  name: come`,
		`<span class="line at">@@ -1,3 +1,3 @@`, `was ConfigMap:shop:first-name`, `--ignore Nothing:*:*`,
	} {
		assert.True(t, strings.Contains(page, part), part)
	}
}
