package main

import "github.com/stratamesh/strata/test/schemas/internal/data"

// addForeign adds the kinds that the charts render and that are no part of Kubernetes. There is one, of Multus, written down here
// from its description: its module is on no proxy that builds can count on, and it is one field.
func addForeign(p *published) {
	const name = "io.cncf.cni.k8s.v1.NetworkAttachmentDefinition"
	text := map[string]any{"type": "string"}
	p.kinds = append(p.kinds, data.Kind{APIVersion: "k8s.cni.cncf.io/v1", Kind: "NetworkAttachmentDefinition", Namespaced: true, Definition: name})
	exact[name] = map[string]any{
		"type": "object",
		"properties": map[string]any{
			"apiVersion": text,
			"kind":       text,
			"metadata":   map[string]any{"$ref": kube + "apis.meta.v1.ObjectMeta"},
			"spec":       map[string]any{"type": "object", "properties": map[string]any{"config": text}},
		},
	}
}
