package nearest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/stratamesh/strata/internal/nearest"
)

func TestName(t *testing.T) {
	for _, c := range []struct {
		given string
		known []string
		want  string
	}{
		{"vriant", []string{"variant", "network"}, "variant"},
		{"AutoScaleMin", []string{"autoscaleMax", "autoscaleMin"}, "autoscaleMin"},
		{"ambeint", []string{"ambient", "default"}, "ambient"},
		{"hbu", []string{"hub", "tag"}, "hub"},
		{"ab", []string{"ax", "ay"}, "ax"},
		{"pilot", []string{"gateway", "base"}, ""},
		{"", []string{"x"}, "x"},
		{"x", nil, ""},
	} {
		got, found := nearest.Name(c.given, c.known)
		assert.Equal(t, c.want, got, c.given)
		assert.Equal(t, c.want != "", found, c.given)
	}
}

// One slip is always found, where nothing else is as close.
func TestOneSlip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-z]{3,12}`).Draw(t, "name")
		n := rapid.IntRange(0, len(name)-2).Draw(t, "at")
		slip := rapid.SampledFrom([]string{
			name[:n] + name[n+1:], name[:n] + "Z" + name[n:], name[:n] + "_" + name[n+1:], name[:n] + name[n+1:n+2] + name[n:n+1] + name[n+2:],
		}).Draw(t, "slip")
		got, found := nearest.Name(slip, []string{"0123456789", name})
		assert.True(t, found)
		assert.Equal(t, name, got)
	})
}
