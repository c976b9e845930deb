package manifest_test

import (
	"fmt"
	"runtime"
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
