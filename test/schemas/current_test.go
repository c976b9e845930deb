package schemas_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stratamesh/strata/pkg/render"
	"github.com/stratamesh/strata/test/schemas/internal/data"
)

// kubernetes.json is what the generator, as it is now, wrote. (That the generator would write it again needs a network:
// go run ./generate -check.)
func TestPublishedSchemasAreCurrent(t *testing.T) {
	generator, err := data.Generator(".")
	require.NoError(t, err)
	text, err := os.ReadFile("kubernetes.json")
	require.NoError(t, err)
	file, err := data.Decode(text)
	require.NoError(t, err)
	fingerprint, err := data.FingerprintOf(*file, generator...)
	require.NoError(t, err)
	assert.Equal(t, fingerprint, file.Fingerprint, "kubernetes.json was edited, or its generator changed since: run make schemas")
	encoded, err := file.Encode()
	require.NoError(t, err)
	assert.True(t, bytes.Equal(encoded, text), "kubernetes.json was edited: run make schemas")
}

// The newest minor is the one that renders are for where nobody says otherwise.
func TestNewestMinorIsTheDefaultOne(t *testing.T) {
	assert.Equal(t, render.DefaultKubeVersion, "v"+newest(t).Name+".0")
}
