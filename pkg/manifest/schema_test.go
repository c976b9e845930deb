package manifest_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stratamesh/strata/pkg/manifest"
)

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.acme.io}
spec:
  group: acme.io
  names: {kind: Thing}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          spec:
            properties:
              byID: {x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [id, zone], items: {properties: {zone: {default: main}}}}
              set: {x-kubernetes-list-type: set}
              atomic: {x-kubernetes-list-type: atomic}
              plain: {items: {properties: {inner: {x-kubernetes-list-type: set}}}}
              any: {additionalProperties: {x-kubernetes-list-type: set}}
              amount: {x-kubernetes-int-or-string: true, pattern: '^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$'}
              port: {x-kubernetes-int-or-string: true}
              template: {x-kubernetes-embedded-resource: true}
  - name: v2
`

func TestSchema(t *testing.T) {
	crds, err := manifest.Parse("crd", []byte(definition))
	require.NoError(t, err)
	other, err := manifest.Parse("other", []byte("{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}"))
	require.NoError(t, err)
	s := manifest.NewSchema(append(other, crds...)...)
	keyed := func(keys ...string) manifest.ListType {
		return manifest.ListType{Kind: manifest.Keyed, Keys: keys, Defaults: map[string]any{}}
	}
	tcp := func(keys ...string) manifest.ListType {
		return manifest.ListType{Kind: manifest.Keyed, Keys: keys, Defaults: map[string]any{"protocol": "TCP"}}
	}
	ordered, unique := manifest.ListType{}, manifest.ListType{Kind: manifest.Unique}
	for _, c := range []struct {
		apiVersion, kind, path string
		want                   manifest.ListType
	}{
		{"apps/v1", "Deployment", "spec.template.spec.containers", keyed("name")},
		{"apps/v1", "Deployment", "spec.template.spec.initContainers", keyed("name")},
		{"apps/v1", "Deployment", "spec.template.spec.containers[name=a].env", keyed("name")},
		{"apps/v1", "Deployment", "spec.template.spec.containers[0].env", keyed("name")},
		{"apps/v1", "Deployment", "spec.template.spec.containers[name=a].ports", tcp("containerPort", "protocol")},
		{"apps/v1", "Deployment", "spec.template.spec.containers[name=a].args", ordered},
		{"apps/v1", "Deployment", "spec.template.spec.tolerations", ordered},
		{"apps/v1", "Deployment", "spec.template.metadata.finalizers", unique},
		{"batch/v1", "CronJob", "spec.jobTemplate.spec.template.spec.volumes", keyed("name")},
		{"v1", "Service", "spec.ports", tcp("port", "protocol")},
		{"v1", "ServiceAccount", "imagePullSecrets", ordered},
		{"v1", "ServiceAccount", "secrets", keyed("name")},
		{"rbac.authorization.k8s.io/v1", "ClusterRole", "rules", ordered},
		{"admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "webhooks", keyed("name")},
		{"autoscaling/v2", "HorizontalPodAutoscaler", "spec.metrics", ordered},
		{"v1", "Service", "no.such.path", ordered},
		{"v1", "Service", "spec[0]", ordered},
		{"v9", "Service", "spec.ports", ordered},
		{"v9", "Service", "metadata.finalizers", unique},
		{"acme.io/v1", "Thing", "metadata.ownerReferences", keyed("uid")},
		{"acme.io/v1", "Thing", "spec.byID", manifest.ListType{Kind: manifest.Keyed, Keys: []string{"id", "zone"}, Defaults: map[string]any{"zone": "main"}}},
		{"acme.io/v1", "Thing", "spec.set", unique},
		{"acme.io/v1", "Thing", "spec.atomic", ordered},
		{"acme.io/v1", "Thing", "spec.plain", ordered},
		{"acme.io/v1", "Thing", "spec.plain[0].inner", unique},
		{"acme.io/v1", "Thing", "spec.any.x", unique},
		{"acme.io/v1", "Thing", "spec.template.metadata.finalizers", unique},
		{"acme.io/v2", "Thing", "spec.set", ordered},
	} {
		path, err := manifest.ParsePath(c.path)
		require.NoError(t, err)
		assert.Equal(t, c.want, s.List(c.apiVersion, c.kind, path), "%s %s %s", c.apiVersion, c.kind, c.path)
	}
	for _, c := range []struct {
		apiVersion, kind, path string
		want                   bool
	}{
		{"v1", "Pod", "spec.containers[name=a].resources.limits.cpu", true},
		{"v1", "Pod", "spec.containers[name=a].image", false},
		{"v1", "ResourceQuota", "spec.hard.pods", true},
		{"v1", "Pod", "metadata.annotations.cpu", false},
		{"acme.io/v1", "Thing", "spec.amount", true},
		{"acme.io/v1", "Thing", "spec.port", false},
		{"acme.io/v2", "Thing", "spec.amount", false},
	} {
		path, err := manifest.ParsePath(c.path)
		require.NoError(t, err)
		assert.Equal(t, c.want, s.IsQuantity(c.apiVersion, c.kind, path), "%s %s %s", c.apiVersion, c.kind, c.path)
	}
}

func TestSchemaIsForManyGoroutines(t *testing.T) {
	s := manifest.NewSchema()
	path, err := manifest.ParsePath("spec.ports")
	require.NoError(t, err)
	var group sync.WaitGroup
	for n := range 20 {
		group.Go(func() {
			kind := []string{"Service", "Pod", "Thing"}[n%3]
			s.IsQuantity("v1", kind, path)
			assert.Equal(t, kind == "Service", s.List("v1", kind, path).Kind == manifest.Keyed)
		})
	}
	group.Wait()
}
