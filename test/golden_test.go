// Package test holds what is tested about the repository as a whole.
package test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stratamesh/strata/pkg/golden"
)

// What every chart renders to under every profile, platform and compatibility version stands in test/golden.
func TestGoldenFiles(t *testing.T) {
	text, err := os.ReadFile("../strata.yaml")
	require.NoError(t, err)
	config, err := golden.ReadConfig("strata.yaml", text)
	require.NoError(t, err)
	cases, err := config.Cases(os.DirFS(".."))
	require.NoError(t, err)
	overlays, err := filepath.Glob("../manifests/profiles/*.yaml")
	require.NoError(t, err)
	require.Len(t, cases, len(config.Charts)*len(overlays), "every chart under every profile, platform and compatibility version")
	faults, err := golden.Check(t.Context(), config, os.DirFS(".."), golden.Options{})
	require.NoError(t, err)
	for _, f := range faults {
		assert.Equal(t, string(f.Got), string(f.Want), "%s is %s; make golden writes it anew", f.File, f.State)
	}
}
