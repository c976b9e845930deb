// Package html_test opens the HTML report of strata diff in a browser.
package html_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

const (
	before = "../../internal/report/testdata/old.yaml"
	after  = "../../internal/report/testdata/new.yaml"
)

// What a reader sees of the example: text that is laid out and not hidden.
func TestObjectsPathsAndBothSidesAreVisible(t *testing.T) {
	b := open(t, report(t, before, after))
	text := eval[string](b, "document.body.innerText")
	for _, part := range []string{
		"8 objects differ (1 added, 1 removed, 5 modified, 1 renamed)", before, after,
		"Deployment:shop:web", "spec.replicas", "Old\n1\n", "New\n2\n", "apps/v1 · 2 places",
		"spec.template.spec.containers[name=proxy]", "+image: example.com/proxy:2",
		`data["index.html"]`, `-<script>alert("old")</script>`, `+<script>alert("new")</script>`, "@@ -1,3 +1,3 @@",
		"ConfigMap:shop:second-name", "was ConfigMap:shop:first-name",
		"Service:shop:gone", "-  clusterIP: None", "ServiceAccount:shop:come", "+  name: come",
		"Gateway.networking.istio.io:shop:in", "Gateway.gateway.networking.k8s.io:shop:in",
		"stringData.password", "(secret, 11 bytes, changed)", `"a\u001b]0;title\u0007b"`,
	} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not visible in\n%s", part, text)
		}
	}
	if strings.Contains(text, "hunter2") {
		t.Error("a secret is shown")
	}
	if title := eval[string](b, "document.title"); !strings.HasPrefix(title, "strata diff: 8 objects differ") {
		t.Errorf("title %q", title)
	}
	b.screenshot("example")
}

// colors are pairs of the colours of a text and of what is behind it, by a selector, as red, green and blue.
const colors = `(() => {
  const rgb = (color) => {
    const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const color = rgb(getComputedStyle(e).backgroundColor);
      if (color[3] === 255) return color;
    }
    return [255, 255, 255, 255];
  };
  const found = {};
  for (const selector of SELECTORS) {
    const element = document.querySelector(selector);
    found[selector] = element ? [rgb(getComputedStyle(element).color), behind(element)] : [];
  }
  return found;
})()`

var texts = []string{
	"body", "h1", ".brand", ".side.old dd", ".side dt", ".unused", ".search input", ".kind-toggle.added span", ".kind-toggle.removed span",
	".kind-toggle.modified span", ".kind-toggle.renamed span", "button", "#count", ".added .badge", ".removed .badge", ".modified .badge",
	".renamed .badge", ".object-name", ".from", ".meta", "h2 code", ".value.old code", ".value.new code", ".value.old .label", ".value.new .label",
	".line.old", ".line.new", ".line.at", ".line.same", "footer", "kbd",
}

func TestLightAndDarkAreReadable(t *testing.T) {
	file := report(t, before, after, "--ignore", "Nothing::")
	pages := map[string][]int{}
	for _, name := range []string{"light", "dark"} {
		b := open(t, file, scheme(name))
		found := eval[map[string][][]int](b, strings.Replace(colors, "SELECTORS", fmt.Sprintf("%q", strings.Join(texts, "\x00"))+`.split("\u0000")`, 1))
		for _, selector := range texts {
			if len(found[selector]) != 2 {
				t.Errorf("%s: nothing is %s", name, selector)
				continue
			}
			if ratio := contrast(found[selector][0], found[selector][1]); ratio < 4.5 {
				t.Errorf("%s: the contrast of %s is %.2f, less than 4.5: %v on %v", name, selector, ratio, found[selector][0], found[selector][1])
			}
		}
		pages[name] = found["body"][1]
		b.screenshot(name)
	}
	if luminance(pages["light"]) < 0.8 || luminance(pages["dark"]) > 0.05 {
		t.Errorf("light is %v, dark is %v", pages["light"], pages["dark"])
	}
}

// shown are the names of the objects that are not filtered away; opened of those that are unfolded.
const (
	shown   = `[...document.querySelectorAll(".change")].filter((c) => c.checkVisibility()).map((c) => c.querySelector(".object-name").textContent)`
	opened  = `[...document.querySelectorAll(".change[open]")].filter((c) => c.checkVisibility()).map((c) => c.querySelector(".object-name").textContent)`
	focused = `document.activeElement.querySelector(":scope > .object > .object-name")?.innerText || document.activeElement.id || document.activeElement.innerText || document.activeElement.value || ""`
	count   = `document.getElementById("count").innerText`
)

func TestEverythingWorksFromTheKeyboard(t *testing.T) {
	b := open(t, report(t, before, after))
	check := func(what, expression string, want any) {
		t.Helper()
		if got := eval[any](b, expression); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	// The first stop of Tab leads past the tools.
	b.press(kb.Tab)
	check("Tab", focused, "Skip to the differences")
	check("the skip link is on the page", `document.activeElement.getBoundingClientRect().top >= 0`, true)
	b.press(kb.Enter)
	check("Enter on it", focused, "changes")
	b.press(kb.Tab)
	check("Tab from there", focused, "ConfigMap:shop:page")
	check("the focus is seen", `getComputedStyle(document.activeElement).outlineStyle !== "none" && parseFloat(getComputedStyle(document.activeElement).outlineWidth) >= 2`, true)

	// Move, fold and unfold.
	check("all are open", opened+".length", 8)
	b.press("j")
	check("j", focused, "ConfigMap:shop:second-name")
	b.press(kb.Enter)
	check("Enter folds", opened+`.includes("ConfigMap:shop:second-name")`, false)
	b.press(" ")
	check("Space unfolds", opened+`.includes("ConfigMap:shop:second-name")`, true)
	b.press("j", "j", "k")
	check("j j k", focused, "Deployment:shop:web")
	b.press("c")
	check("c", opened, []any{})
	b.press("e")
	check("e", opened+".length", 8)

	// Filter, by words of objects, paths and values.
	b.press("/")
	check("/", focused, "filter")
	b.press("w", "e", "b", " ", "p", "r", "o", "x", "y")
	check("the filter", shown, []any{"Deployment:shop:web"})
	check("the count", count, "1 of 8 objects, 8 places")
	b.press(kb.Enter)
	check("Enter goes to what is left", focused, "Deployment:shop:web")
	b.press("/")
	b.press(kb.Escape)
	check("Esc", shown+".length", 8)
	check("the count", count, "8 objects, 8 places")
	b.press("/", "j", "e")
	check("letters are letters in the filter", `document.getElementById("filter").value`, "je")
	check("nothing fits", shown, []any{})
	b.press(kb.Escape)

	// The kinds of changes: from the filter, Tab leads to them.
	b.press("/", kb.Tab)
	check("Tab", focused, "added")
	b.press(" ")
	check("Space hides a kind", shown+`.includes("ServiceAccount:shop:come")`, false)
	b.press(" ", kb.Tab, kb.Tab, kb.Tab, kb.Tab, kb.Tab)
	check("Tab", focused, "close")
	b.press(kb.Enter)
	check("Enter", opened, []any{})
}

func TestThePageWorksWithoutItsScript(t *testing.T) {
	b := open(t, report(t, before, after), noScript)
	// What the test asks still runs, what the page holds does not.
	text := eval[string](b, "document.body.innerText")
	for _, part := range []string{"Deployment:shop:web", "spec.replicas", "+  name: come"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not visible in %q", part, text)
		}
	}
	if strings.Contains(text, "Open all") {
		t.Error("a button that does nothing is shown")
	}
}

func TestNothingIsWiderThanThePage(t *testing.T) {
	file := report(t, before, after)
	for _, width := range []int64{1280, 768, 360} {
		b := open(t, file, size(width, 800))
		if wide := eval[int64](b, "document.scrollingElement.scrollWidth"); wide > width {
			t.Errorf("at %d the page is %d wide", width, wide)
		}
		b.screenshot(fmt.Sprintf("wide-%d", width))
	}
}

// The charts under two profiles, as a user compares them.
func TestTheChartsUnderTwoProfiles(t *testing.T) {
	b := open(t, report(t, "profile=default", "profile=ambient"))
	names := eval[[]string](b, shown)
	for _, name := range []string{"ConfigMap:istio-system:istio", "DaemonSet:kube-system:istio-cni-node", "Deployment:istio-system:istiod"} {
		if !slices.Contains(names, name) {
			t.Errorf("%s is not among %v", name, names)
		}
	}
	b.screenshot("profiles")
}

func TestManyObjectsAreFoldedAndFound(t *testing.T) {
	write := func(name, value string) string {
		var text strings.Builder
		for n := range 2000 {
			fmt.Fprintf(&text, "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: object-%d, namespace: n}, data: {a: %q, b: %q}}\n", n, value, value)
		}
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	b := open(t, report(t, write("a.yaml", "1"), write("b.yaml", "2")))
	if open := eval[int](b, opened+".length"); open != 0 {
		t.Errorf("%d of many objects are open", open)
	}
	b.press("/", "o", "b", "j", "e", "c", "t", "-", "1", "9", "9", "9")
	if left := eval[[]string](b, shown); !slices.Equal(left, []string{"ConfigMap:n:object-1999"}) {
		t.Errorf("the filter leaves %v", left)
	}
	b.press(kb.Enter, kb.Enter)
	if text := eval[string](b, "document.body.innerText"); !strings.Contains(text, "data.a") {
		t.Error("the object that was found cannot be opened")
	}
}
