package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMeshDescribesFields(t *testing.T) {
	files, err := mesh("../..")
	require.NoError(t, err)
	var schema struct {
		Defs map[string]struct {
			Properties map[string]any `json:"properties"`
		} `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(files[meshSchema], &schema))
	for _, c := range []struct{ message, field, want string }{
		{"MeshConfig", "accessLogFile", `{"type":["string","null"]}`},
		{"MeshConfig", "enablePrometheusMerge", `{"type":["boolean","null"]}`},
		{"MeshConfig", "accessLogEncoding", `{"type":["string","null"],"enum":["TEXT","JSON",null]}`},
		{"MeshConfig", "connectTimeout", `{"type":["string","null"]}`},
		{"MeshConfig", "defaultConfig", `{"$ref":"#/$defs/istio.mesh.v1alpha1.ProxyConfig"}`},
		{"ProxyConfig", "proxyMetadata", `{"type":["object","null"],"additionalProperties":{"type":["string","null"]}}`},
		{"ProxyConfig", "concurrency", `{"type":["integer","string","null"],"pattern":"^[-+0-9.eE]+$"}`},
		{"ProxyConfig", "drain_duration", `{"type":["string","null"]}`},
		{"Network", "endpoints", `{"type":["array","null"],"items":{"$ref":"#/$defs/istio.mesh.v1alpha1.Network.NetworkEndpoints"}}`},
	} {
		got, err := json.Marshal(schema.Defs["istio.mesh.v1alpha1."+c.message].Properties[c.field])
		require.NoError(t, err)
		assert.JSONEq(t, c.want, string(got), c.field)
	}
	assert.NotEmpty(t, schema.Defs["istio.networking.v1alpha3.ClientTLSSettings"], "a message of a file that is imported")
}

func TestDescriptorsMustBeThere(t *testing.T) {
	m := messages{dir: t.TempDir(), files: map[string]bool{}}
	assert.ErrorContains(t, m.read("mesh/v1alpha1/config.proto"), "no such file")
	assert.ErrorContains(t, m.define(object{}, ".istio.Nope"), "no message istio.Nope")
}
