package schemas_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stratamesh/strata/pkg/manifest"
	"github.com/stratamesh/strata/pkg/render"
	"github.com/stratamesh/strata/test/schemas"
)

// deployment is a Deployment with lines of its own in the place of %s, at the depth of containers.
const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: istiod, namespace: istio-system}
spec:
  selector: {matchLabels: {app: istiod}}
  template:
    metadata: {labels: {app: istiod}}
    spec:
%s`

// container is such a Deployment with one container, which has these fields besides its name.
func container(fields string) string {
	return fmt.Sprintf(deployment, "      containers: [{name: discovery, "+fields+"}]\n")
}

func pod(lines string) string {
	return fmt.Sprintf(deployment, "      containers: [{name: discovery}]\n      "+lines+"\n")
}

const service = `
apiVersion: v1
kind: Service
metadata: {name: edge, namespace: istio-ingress}
spec: %s
`

const autoscaler = `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: edge, namespace: istio-ingress}
spec: %s
`

// check returns what a minor has against a text that the chart istiod would render to under the profile demo.
func check(t testing.TB, minor, text string) []string {
	t.Helper()
	c := schemas.NewChecker()
	for _, m := range minors(t) {
		if m.Name == minor {
			require.NoError(t, c.Check(schemas.Render{Chart: "istiod", Overlay: "demo", Minor: m, Files: []render.File{{Name: "a.yaml", Text: text}}}))
		}
	}
	var out []string
	for _, f := range c.Faults() {
		out = append(out, f.String())
	}
	return out
}

func TestWrongRendersAreRefused(t *testing.T) {
	const d, s, h = "Deployment istio-system/istiod: ", "Service istio-ingress/edge: ", "HorizontalPodAutoscaler istio-ingress/edge: "
	const containers = d + "spec.template.spec.containers[0]."
	for _, test := range []struct {
		name, minor, text string
		want              []string
	}{
		{"unknown field", "1.30", container(`comand: [run]`), []string{containers + "comand: unknown field"}},
		{"unknown field of the object", "1.37", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\nspec: {}\n", []string{"ConfigMap b/a: spec: unknown field"}},
		{"unknown field of metadata", "1.37", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, lables: {}}\n", []string{"ConfigMap a: metadata.lables: unknown field"}},
		{"unknown field, spelt in another case", "1.34", container(`imagepullpolicy: Always`), []string{containers + "imagepullpolicy: unknown field"}},
		{
			"field that only later minors have", "1.33", container(`env: [{name: A, valueFrom: {fileKeyRef: {volumeName: v, path: p, key: k}}}]`),
			[]string{containers + "env[0].valueFrom.fileKeyRef: unknown field"},
		},
		{"field that this minor has", "1.34", container(`env: [{name: A, valueFrom: {fileKeyRef: {volumeName: v, path: p, key: k}}}]`), nil},
		{"number as text", "1.30", container(`ports: [{containerPort: "8080"}]`), []string{containers + "ports[0].containerPort: got string, want integer"}},
		{"number as annotation", "1.30", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {example.com/build: 17}}\n", []string{`ConfigMap a: metadata.annotations["example.com/build"]: got number, want string`}},
		{"boolean as value of a variable", "1.31", container(`env: [{name: A, value: true}]`), []string{containers + "env[0].value: got boolean, want string"}},
		{"null", "1.32", pod(`volumes: null`), []string{d + "spec.template.spec.volumes: got null, want array"}},
		{"map in the place of a list", "1.32", pod(`tolerations: {operator: Exists}`), []string{d + "spec.template.spec.tolerations: got object, want array"}},
		{"fraction", "1.33", fmt.Sprintf(autoscaler, `{maxReplicas: 2.5, scaleTargetRef: {kind: Deployment, name: edge}}`), []string{h + "spec.maxReplicas: got number, want integer"}},
		{"integer of more than 32 bits", "1.33", fmt.Sprintf(autoscaler, `{maxReplicas: 3000000000, scaleTargetRef: {kind: Deployment, name: edge}}`), []string{h + "spec.maxReplicas: 3000000000 is no int32: value out of range"}},
		{"missing field", "1.34", fmt.Sprintf(autoscaler, `{scaleTargetRef: {kind: Deployment}}`), []string{h + "spec.maxReplicas: required", h + "spec.scaleTargetRef.name: required"}},
		{"missing selector", "1.35", "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: a}\nspec: {template: {spec: {containers: []}}}\n", []string{"DaemonSet a: spec.selector: required"}},
		{"volume without a name", "1.36", pod(`volumes: [{emptyDir: {}}]`), []string{d + "spec.template.spec.volumes[0].name: required"}},
		{"variable twice", "1.30", container(`env: [{name: A, value: "1"}, {name: B}, {name: A, value: "2"}]`), []string{containers + `env: items 0 and 2 both have name "A"`}},
		{"volume twice", "1.30", pod(`volumes: [{name: a, emptyDir: {}}, {name: a, emptyDir: {}}]`), []string{d + `spec.template.spec.volumes: items 0 and 1 both have name "a"`}},
		{"mount twice", "1.30", container(`volumeMounts: [{name: a, mountPath: /x}, {name: b, mountPath: /x}]`), []string{containers + `volumeMounts: items 0 and 1 both have mountPath "/x"`}},
		{
			"port twice, with the default protocol", "1.30", container(`ports: [{containerPort: 53, protocol: TCP}, {containerPort: 53, name: dns}]`),
			[]string{containers + `ports: items 0 and 1 both have containerPort 53, protocol "TCP"`},
		},
		{"port of two protocols", "1.30", container(`ports: [{containerPort: 53, protocol: UDP}, {containerPort: 53}]`), nil},
		{"port of a service twice", "1.37", fmt.Sprintf(service, `{ports: [{name: a, port: 443}, {name: b, port: 443}]}`), []string{s + `spec.ports: items 0 and 1 both have port 443, protocol "TCP"`}},
		{
			"value twice in a set", "1.37", "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a, finalizers: [b/c, d/e, b/c]}\n",
			[]string{`ServiceAccount a: metadata.finalizers: items 0 and 2 both have "b/c"`},
		},
		{"wrong value of an enum", "1.37", fmt.Sprintf(service, `{type: Loadbalancer}`), []string{s + `spec.type: "Loadbalancer" is none of "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"`}},
		{"wrong value of an enum in a list", "1.37", fmt.Sprintf(service, `{ipFamilies: [ipv4]}`), []string{s + `spec.ipFamilies[0]: "ipv4" is none of "", "IPv4", "IPv6"`}},
		{
			"value that only later minors have", "1.34", pod(`tolerations: [{key: a, operator: Gt, value: "1"}]`),
			[]string{d + `spec.template.spec.tolerations[0].operator: "Gt" is none of "Equal", "Exists"`},
		},
		{"value that this minor has", "1.35", pod(`tolerations: [{key: a, operator: Gt, value: "1"}]`), nil},
		{"no quantity", "1.30", container(`resources: {limits: {memory: 1GB}}`), []string{containers + `resources.limits.memory: "1GB" is no quantity: those are like 100m, 1.5 and 2Gi`}},
		{"quantities", "1.30", container(`resources: {limits: {memory: 1.5Gi, cpu: 0.5}, requests: {cpu: 1, memory: 1e3}}`), nil},
		{"neither integer nor text", "1.30", fmt.Sprintf(service, `{ports: [{port: 80, targetPort: true}]}`), []string{s + "spec.ports[0].targetPort: got boolean, want integer or string"}},
		{"no base64", "1.30", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nbinaryData: {b: '?'}\n", []string{`ConfigMap a: binaryData.b: "?" is no byte: illegal base64 data at input byte 0`}},
		{"version that is gone", "1.30", "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\n", []string{"PodDisruptionBudget a: there is no policy/v1beta1 PodDisruptionBudget, only policy/v1"}},
		{"version that is gone in this minor", "1.34", "apiVersion: admissionregistration.k8s.io/v1beta1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: a}\n", []string{"ValidatingAdmissionPolicy a: there is no admissionregistration.k8s.io/v1beta1 ValidatingAdmissionPolicy, only admissionregistration.k8s.io/v1"}},
		{
			"version that this minor does not have yet", "1.35", "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicy\nmetadata: {name: a}\n",
			[]string{"MutatingAdmissionPolicy a: there is no admissionregistration.k8s.io/v1 MutatingAdmissionPolicy, only admissionregistration.k8s.io/v1alpha1, admissionregistration.k8s.io/v1beta1"},
		},
		{"group left out", "1.30", "apiVersion: v1\nkind: Deployment\nmetadata: {name: a}\n", []string{"Deployment a: there is no v1 Deployment, only apps/v1"}},
		{"no such kind", "1.30", "apiVersion: v1\nkind: Servise\nmetadata: {name: a}\n", []string{"Servise a: there is no v1 Servise"}},
		{"no kind", "1.30", "apiVersion: v1\nmetadata: {name: a}\n", []string{"<nil> a: there is no v1 "}},
		{
			"kind without a schema here, and deprecated", "1.37", "apiVersion: v1\nkind: Endpoints\nmetadata: {name: a}\n",
			[]string{
				"Endpoints a: v1 Endpoints is deprecated since Kubernetes 1.33",
				"Endpoints a: kubernetes.json has no schema of v1 Endpoints: add it to generate/main.go and run make schemas",
			},
		},
		{"kind before it was deprecated", "1.32", "apiVersion: v1\nkind: Endpoints\nmetadata: {name: a}\n", []string{"Endpoints a: kubernetes.json has no schema of v1 Endpoints: add it to generate/main.go and run make schemas"}},
		{"deprecated field", "1.30", pod(`serviceAccount: istiod`), []string{d + "spec.template.spec.serviceAccount: deprecated field"}},
		{"deprecated field that is a map", "1.30", pod(`volumes: [{name: a, gitRepo: {repository: b}}]`), []string{d + "spec.template.spec.volumes[0].gitRepo: deprecated field"}},
		{"namespace of an object that has none", "1.30", "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: a, namespace: b}\n", []string{"ClusterRole b/a: metadata.namespace: ClusterRole has no namespace"}},
		{
			"schema in a CustomResourceDefinition", "1.30", customResource("properties: {spec: {additionalProperties: {typ: string}, items: {nullable: maybe}}}"),
			[]string{
				`CustomResourceDefinition a.b.c: spec.versions[0].schema.openAPIV3Schema.properties.spec.additionalProperties.typ: unknown field`,
				`CustomResourceDefinition a.b.c: spec.versions[0].schema.openAPIV3Schema.properties.spec.items.nullable: got string, want boolean`,
			},
		},
		{"yes and no in the place of a schema", "1.30", customResource("additionalProperties: true"), nil},
		{
			"rule twice", "1.30", customResource("x-kubernetes-validations: [{rule: a, message: b}, {rule: a}]"),
			[]string{`CustomResourceDefinition a.b.c: spec.versions[0].schema.openAPIV3Schema.x-kubernetes-validations: items 0 and 1 both have rule "a"`},
		},
		{
			"kind that is no part of Kubernetes", "1.30", "apiVersion: k8s.cni.cncf.io/v1\nkind: NetworkAttachmentDefinition\nmetadata: {name: a, namespace: b}\nspec: {conf: c}\n",
			[]string{"NetworkAttachmentDefinition b/a: spec.conf: unknown field"},
		},
		{"several documents", "1.30", "# one\n---\napiVersion: v1\nkind: A\nmetadata: {name: a}\n---\n---\napiVersion: v1\nkind: B\nmetadata: {name: b}\n", []string{"A a: there is no v1 A", "B b: there is no v1 B"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var want []string
			for _, text := range test.want {
				want = append(want, "Kubernetes "+test.minor+": chart istiod under demo: "+text)
			}
			assert.Equal(t, want, check(t, test.minor, test.text))
		})
	}
}

func customResource(schema string) string {
	return `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: a.b.c}
spec:
  group: b.c
  names: {kind: A, plural: a}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, ` + schema + `}}}]
`
}

func TestFilesThatAreNoObjectsAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"a: {":                  "did not find expected node content",
		"- a\n":                 `a document is no object but ["a"]`,
		"kind: A\nkind: B\n":    `key "kind" already set in map`,
		"some words\n":          `a document is no object but "some words"`,
		"kind: A\n---\na: b: c": "mapping values are not allowed in this context",
	} {
		err := schemas.NewChecker().Check(schemas.Render{Chart: "base", Overlay: "demo", Minor: minors(t)[0], Files: []render.File{{Name: "base/templates/a.yaml", Text: text}}})
		assert.ErrorContains(t, err, "chart base under demo for Kubernetes 1.30: base/templates/a.yaml: ", text)
		assert.ErrorContains(t, err, want, text)
	}
}

// A fault that many renders have is one line.
func TestFaultNamesAllRendersThatHaveIt(t *testing.T) {
	c := schemas.NewChecker()
	for _, overlay := range []string{"default", "demo"} {
		for _, m := range minors(t)[:2] {
			text := "apiVersion: v1\nkind: A\nmetadata: {name: a}\n"
			require.NoError(t, c.Check(schemas.Render{Chart: "base", Overlay: overlay, Minor: m, Files: []render.File{{Name: "a.yaml", Text: text}}}))
		}
	}
	require.Len(t, c.Faults(), 1)
	assert.Equal(t, "Kubernetes 1.30, 1.31: chart base under default, demo: A a: there is no v1 A", c.Faults()[0].String())
}

// A slip in a template is found all the way.
func TestSlipInTemplateIsFound(t *testing.T) {
	all, err := charts()
	require.NoError(t, err)
	files := fstest.MapFS{}
	for name, text := range all["gateway"].Files() {
		files[name] = &fstest.MapFile{Data: bytes.ReplaceAll(text, []byte("maxReplicas: {{"), []byte("maxReplica: {{"))}
	}
	broken, err := render.FS(files)
	require.NoError(t, err)
	rendered, err := broken.Render(render.Helm3, render.Options{Release: "edge", Namespace: "istio-ingress"})
	require.NoError(t, err)
	c := schemas.NewChecker()
	require.NoError(t, c.Check(schemas.Render{Chart: "gateway", Overlay: "default", Minor: newest(t), Files: rendered.Files}))
	var got []string
	for _, f := range c.Faults() {
		got = append(got, f.String())
	}
	assert.Equal(t, []string{
		"Kubernetes " + newest(t).Name + ": chart gateway under default: HorizontalPodAutoscaler istio-ingress/edge: spec.maxReplica: unknown field",
		"Kubernetes " + newest(t).Name + ": chart gateway under default: HorizontalPodAutoscaler istio-ingress/edge: spec.maxReplicas: required",
	}, got)
}

// Nothing in what the charts render is out of sight: an unknown field in any map of any object is found.
func TestEveryMapOfEveryObjectIsChecked(t *testing.T) {
	m := newest(t)
	checker := schemas.NewChecker()
	seen := map[string]bool{}
	for _, c := range cases(t) {
		// The values files, as those of testdata, have all that profiles have.
		if c.name != "default" && !strings.HasSuffix(c.name, ".yaml") {
			continue
		}
		renders, err := c.render([]*schemas.Minor{m})
		require.NoError(t, err)
		for _, file := range renders[0].Files {
			if seen[file.Text] {
				continue
			}
			seen[file.Text] = true
			objects, err := checker.Objects(file.Text)
			require.NoError(t, err)
			for _, object := range objects {
				// The other CRDs are like this one, only bigger.
				if object["kind"] == "CustomResourceDefinition" && object["metadata"].(map[string]any)["name"] != "proxyconfigs.networking.istio.io" {
					continue
				}
				eachMap(object, func(within map[string]any) {
					const field = "noSuchField"
					within[field] = true
					problems, err := m.Validate(object)
					delete(within, field)
					require.NoError(t, err)
					found := slices.ContainsFunc(problems, func(p schemas.Problem) bool { return p.Path[len(p.Path)-1] == manifest.Key(field) })
					assert.True(t, found, "%s %v: nothing wrong with a field in %v", c.name, object["metadata"], within)
				})
			}
		}
	}
	assert.Greater(t, len(seen), 50)
}

// eachMap calls f with each map in a value.
func eachMap(value any, f func(map[string]any)) {
	switch value := value.(type) {
	case map[string]any:
		f(value)
		for _, inner := range value {
			eachMap(inner, f)
		}
	case []any:
		for _, inner := range value {
			eachMap(inner, f)
		}
	}
}
