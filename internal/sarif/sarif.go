// Package sarif holds the schema of SARIF 2.1.0, for tests.
package sarif

import (
	"bytes"
	_ "embed"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

//go:embed sarif-schema-2.1.0.json
var text []byte

// Schema returns the compiled schema, which also checks formats.
func Schema(t require.TestingT) *jsonschema.Schema {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource("sarif.json", document))
	s, err := c.Compile("sarif.json")
	require.NoError(t, err)
	return s
}
