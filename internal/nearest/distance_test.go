package nearest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/stratamesh/strata/internal/nearest"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"hub", "HUB", 0},
		{"hub", "", 3},
		{"network", "ntework", 1},
		{"loadBalancerIp", "loadBalancerIPs", 1},
		{"tag", "stage", 2},
	} {
		assert.Equal(t, c.want, nearest.Distance(c.a, c.b), "%s %s", c.a, c.b)
		assert.Equal(t, c.want, nearest.Distance(c.b, c.a), "%s %s", c.b, c.a)
	}
}
