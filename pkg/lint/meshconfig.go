package lint

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

// The charts hand the mesh configuration to istiod as it is, and istiod drops the fields that it does not know. So its shape is
// taken from Istio's API.
//
//go:embed mesh.schema.json
var meshSchema []byte

// describeMesh adds that shape to the schema of the chart, wherever it takes any map.
func describeMesh(schema map[string]any) error {
	var shapes struct {
		Defs map[string]any `json:"$defs"`
	}
	if err := json.Unmarshal(meshSchema, &shapes); err != nil {
		return fmt.Errorf("mesh.schema.json: %w", err)
	}
	properties, _ := schema["properties"].(map[string]any)
	defaults, _ := properties["defaults"].(map[string]any)
	found := false
	for _, root := range []map[string]any{schema, defaults} {
		if leaf := freeMap(root, "meshConfig"); leaf != nil {
			leaf["$ref"] = "#/$defs/istio.mesh.v1alpha1.MeshConfig"
			found = true
		}
		if leaf := freeMap(root, "global", "meshNetworks"); leaf != nil {
			leaf["additionalProperties"] = map[string]any{"$ref": "#/$defs/istio.mesh.v1alpha1.Network"}
			found = true
		}
	}
	if !found {
		return nil
	}
	defs, ok := schema["$defs"].(map[string]any)
	if !ok {
		defs = map[string]any{}
		schema["$defs"] = defs
	}
	for name, shape := range shapes.Defs {
		defs[name] = shape
	}
	return nil
}

// freeMap returns the schema of a value that may be any map; nil where it is another one.
func freeMap(schema map[string]any, path ...string) map[string]any {
	for _, key := range path {
		properties, _ := schema["properties"].(map[string]any)
		schema, _ = properties[key].(map[string]any)
	}
	if schema["type"] == nil || schema["properties"] != nil || schema["additionalProperties"] != nil {
		return nil
	}
	return schema
}
