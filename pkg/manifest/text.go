package manifest

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// contextLines are the lines that stand around a change of text, for the reader.
const contextLines = 3

// textDiff compares two texts of which one has several lines, line by line. It returns hunks as diff -u writes them,
// without the names of files; nothing for other values.
func textDiff(x, y any) string {
	a, ok := x.(string)
	if !ok {
		return ""
	}
	b, ok := y.(string)
	if !ok || !strings.Contains(a+b, "\n") {
		return ""
	}
	hunks, err := udiff.ToUnified("a", "b", a, udiff.Lines(a, b), contextLines)
	if err != nil {
		return ""
	}
	if at := strings.Index(hunks, "@@"); at >= 0 {
		return hunks[at:]
	}
	return ""
}
