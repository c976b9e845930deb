package manifest_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stratamesh/strata/pkg/manifest"
)

func BenchmarkParse(b *testing.B) {
	for _, n := range []int{500, 8000} {
		text := []byte(generate(n, false))
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				objects, err := manifest.Parse("a.yaml", text)
				if err != nil {
					b.Fatal(err)
				}
				runtime.KeepAlive(objects)
			}
		})
	}
}

// One object in ten differs.
func BenchmarkDiff(b *testing.B) {
	for _, n := range []int{500, 2000, 8000} {
		textA, textB := []byte(generate(n, false)), []byte(generate(n, true))
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(len(textA) + len(textB)))
			b.ReportAllocs()
			for b.Loop() {
				report := diffTexts(b, textA, textB)
				if len(report.Changes) != n/10 {
					b.Fatalf("%d changes", len(report.Changes))
				}
			}
		})
	}
}

// Every object differs, so that nothing can be shared or skipped.
func BenchmarkDiffOfDifferentObjects(b *testing.B) {
	textA, textB := []byte(generate(8000, false)), []byte(strings.ReplaceAll(generate(8000, true), "managed-by: \"Helm\"", "managed-by: Flux"))
	b.ReportAllocs()
	for b.Loop() {
		if report := diffTexts(b, textA, textB); len(report.Changes) != 8000 {
			b.Fatalf("%d changes", len(report.Changes))
		}
	}
}

// Every object has another name.
func BenchmarkDiffOfRenamedObjects(b *testing.B) {
	textA, textB := []byte(generate(8000, false)), []byte(strings.ReplaceAll(generate(8000, true), "  name: app-", "  name: renamed-"))
	b.ReportAllocs()
	for b.Loop() {
		report := diffTexts(b, textA, textB)
		b.ReportMetric(float64(len(report.Changes)), "changes")
	}
}

func diffTexts(b *testing.B, textA, textB []byte) *manifest.Report {
	b.Helper()
	var p manifest.Parser
	sets := make([]*manifest.Set, 2)
	for n, text := range [][]byte{textA, textB} {
		objects, err := p.Parse("x.yaml", text)
		if err != nil {
			b.Fatal(err)
		}
		if sets[n], err = manifest.NewSet(objects...); err != nil {
			b.Fatal(err)
		}
	}
	report, err := manifest.Diff(sets[0], sets[1], manifest.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return report
}
