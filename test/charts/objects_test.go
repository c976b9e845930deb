package charts_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/util/validation"
	sigs "sigs.k8s.io/yaml"

	"github.com/stratamesh/strata/pkg/render"
)

// A kind is what the tests know of a kind of objects.
type kind struct {
	namespaced bool
	// decode converts an object to its Go type, strictly; nil where k8s.io/api has no type.
	decode func(object map[string]any) error
	// name says what is wrong with a name.
	name func(string) []string
}

func into[T any](object map[string]any) error {
	_, err := strict[T](object)
	return err
}

func pathSegment(name string) []string { return content.IsPathSegmentName(name) }

var (
	subdomain = func(name string) []string { return validation.IsDNS1123Subdomain(name) }
	label     = func(name string) []string { return validation.IsDNS1035Label(name) }
)

// kinds are all that the charts render.
var kinds = map[string]kind{
	"admissionregistration.k8s.io/v1/MutatingWebhookConfiguration":     {false, into[admissionv1.MutatingWebhookConfiguration], subdomain},
	"admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy":        {false, into[admissionv1.ValidatingAdmissionPolicy], subdomain},
	"admissionregistration.k8s.io/v1/ValidatingAdmissionPolicyBinding": {false, into[admissionv1.ValidatingAdmissionPolicyBinding], subdomain},
	"admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration":   {false, into[admissionv1.ValidatingWebhookConfiguration], subdomain},
	"apiextensions.k8s.io/v1/CustomResourceDefinition":                 {false, nil, subdomain},
	"apps/v1/DaemonSet":                               {true, into[appsv1.DaemonSet], subdomain},
	"apps/v1/Deployment":                              {true, into[appsv1.Deployment], subdomain},
	"autoscaling/v2/HorizontalPodAutoscaler":          {true, into[autoscalingv2.HorizontalPodAutoscaler], subdomain},
	"discovery.k8s.io/v1/EndpointSlice":               {true, into[discoveryv1.EndpointSlice], subdomain},
	"k8s.cni.cncf.io/v1/NetworkAttachmentDefinition":  {true, nil, subdomain},
	"networking.k8s.io/v1/NetworkPolicy":              {true, into[networkingv1.NetworkPolicy], subdomain},
	"policy/v1/PodDisruptionBudget":                   {true, into[policyv1.PodDisruptionBudget], subdomain},
	"rbac.authorization.k8s.io/v1/ClusterRole":        {false, into[rbacv1.ClusterRole], pathSegment},
	"rbac.authorization.k8s.io/v1/ClusterRoleBinding": {false, into[rbacv1.ClusterRoleBinding], pathSegment},
	"rbac.authorization.k8s.io/v1/Role":               {true, into[rbacv1.Role], pathSegment},
	"rbac.authorization.k8s.io/v1/RoleBinding":        {true, into[rbacv1.RoleBinding], pathSegment},
	"v1/ConfigMap":                                    {true, into[corev1.ConfigMap], subdomain},
	"v1/ResourceQuota":                                {true, into[corev1.ResourceQuota], subdomain},
	"v1/Service":                                      {true, into[corev1.Service], label},
	"v1/ServiceAccount":                               {true, into[corev1.ServiceAccount], subdomain},
}

func (d *document) typeOf() string { return text(d.object, "apiVersion") + "/" + d.kind() }

// elsewhere are the namespaces, other than the release's, that objects stand in or point to, and why.
var elsewhere = map[string]string{
	"default":      "pods name the NetworkAttachmentDefinition as default/istio-cni, whatever namespace the chart is in",
	"mesh-control": "global.istioNamespace of the values that switch everything on: where the reader account is",
}

var checked sync.Map // by text: the same document need not be looked at twice

// faults lists what is wrong with an object.
func (d *document) faults() []string {
	once, _ := checked.LoadOrStore(d.template+d.text, sync.OnceValue(func() []string {
		var out []string
		for _, fault := range slices.Concat(d.typeFaults(), d.placeFaults(), d.textFaults(), walk(d.object), entryFaults(d.object)) {
			out = append(out, d.id()+": "+fault)
		}
		return out
	}))
	return once.(func() []string)()
}

// typeFaults decodes strictly into the type and looks at the name.
func (d *document) typeFaults() []string {
	k, found := kinds[d.typeOf()]
	if !found {
		return []string{"a kind unknown to the tests: " + d.typeOf()}
	}
	var out []string
	if k.decode != nil {
		if err := k.decode(d.object); err != nil {
			out = append(out, err.Error())
		}
	}
	for _, message := range k.name(d.name()) {
		out = append(out, "name: "+message)
	}
	return out
}

// placeFaults looks at the object's own namespace, and at those it points to.
func (d *document) placeFaults() []string {
	var out []string
	if namespaced := kinds[d.typeOf()].namespaced; namespaced != (d.namespace() != "") {
		out = append(out, fmt.Sprintf("namespaced: %t, namespace: %q", namespaced, d.namespace()))
	}
	if d.kind() == "CustomResourceDefinition" {
		return out
	}
	each(d.object, func(at []string, value any) {
		if at[len(at)-1] == "namespace" && value != matrixNamespace {
			if name, ok := value.(string); ok && elsewhere[name] == "" {
				out = append(out, fmt.Sprintf("%s: %s", strings.Join(at, "."), name))
			}
		}
	})
	return out
}

var exponent = regexp.MustCompile(`(^|[^\w.-])[0-9]+(\.[0-9]+)?[eE][+-]?[0-9]+($|[^\w.-])`)

// textFaults looks at what only the text shows: comments, also inside of text, and numbers as computers write them.
func (d *document) textFaults() []string {
	var out []string
	prose := d.kind() == "CustomResourceDefinition" // in which both may stand
	mark := false
	for line := range strings.Lines(d.text) {
		line = strings.TrimSpace(line)
		mark = mark || strings.HasPrefix(line, "#") || strings.Contains(line, " #")
		if prose {
			continue
		}
		if strings.HasPrefix(line, "#") {
			out = append(out, "a comment: "+line)
		}
		if strings.ContainsAny(line, "eE") && strings.ContainsAny(line, "0123456789") && exponent.MatchString(line) {
			out = append(out, "a number with an exponent: "+line)
		}
	}
	if !mark {
		return out
	}
	var node yaml.Node
	if err := yaml.Unmarshal([]byte(d.text), &node); err != nil {
		return []string{err.Error()}
	}
	var visit func(n *yaml.Node)
	visit = func(n *yaml.Node) {
		if c := n.HeadComment + n.LineComment + n.FootComment; c != "" {
			out = append(out, "a comment: "+c)
		}
		for _, inner := range n.Content {
			visit(inner)
		}
	}
	visit(&node)
	return out
}

// each calls f for every key of every map in value, with the path to it.
func each(value any, f func(at []string, value any)) {
	var visit func(at []string, value any)
	visit = func(at []string, value any) {
		switch value := value.(type) {
		case map[string]any:
			for _, key := range sortedKeys(value) {
				path := append(slices.Clone(at), key)
				f(path, value[key])
				visit(path, value[key])
			}
		case []any:
			for n, item := range value {
				visit(append(slices.Clone(at), fmt.Sprint(n)), item)
			}
		}
	}
	visit(nil, value)
}

// walk looks at every value of an object: null, empty metadata, labels.
func walk(object map[string]any) []string {
	var out []string
	custom := text(object, "kind") == "CustomResourceDefinition"
	each(object, func(at []string, value any) {
		if custom && at[0] != "metadata" {
			return // a schema, in which labels are a property
		}
		path := strings.Join(at, ".")
		if value == nil {
			out = append(out, path+": null")
		}
		m, isMap := value.(map[string]any)
		if list, ok := value.([]any); ok && slices.Contains(list, nil) {
			out = append(out, path+": null in a list")
		}
		switch key := at[len(at)-1]; {
		case !isMap:
		case key == "annotations" || key == "labels":
			if len(m) == 0 {
				out = append(out, path+": empty")
			}
			fallthrough
		case key == "matchLabels" || key == "nodeSelector" || path == "spec.selector" && text(object, "kind") == "Service":
			for name, value := range m {
				for _, message := range validation.IsQualifiedName(name) {
					out = append(out, fmt.Sprintf("%s: %s: %s", path, name, message))
				}
				s, ok := value.(string)
				if !ok {
					out = append(out, fmt.Sprintf("%s: %s: %v is no text", path, name, value))
				}
				if key == "annotations" {
					continue
				}
				for _, message := range validation.IsValidLabelValue(s) {
					out = append(out, fmt.Sprintf("%s: %s: %s", path, name, message))
				}
			}
		}
	})
	return out
}

// entryFaults looks at lists whose items Kubernetes tells apart by a key: each key may stand once.
func entryFaults(object map[string]any) []string {
	if text(object, "kind") == "CustomResourceDefinition" {
		return nil
	}
	keys := map[string][][]string{
		"containers":       {{"name"}},
		"initContainers":   {{"name"}},
		"env":              {{"name"}},
		"volumes":          {{"name"}},
		"volumeMounts":     {{"mountPath"}},
		"imagePullSecrets": {{"name"}},
		"ports":            {{"name"}, {"port", "containerPort", "protocol"}},
		"webhooks":         {{"name"}},
		"variables":        {{"name"}},
		"metrics":          {{"type", "resource"}},
	}
	var out []string
	each(object, func(at []string, value any) {
		list, ok := value.([]any)
		if !ok {
			return
		}
		for _, names := range keys[at[len(at)-1]] {
			seen := map[string]bool{}
			for _, item := range list {
				m, _ := item.(map[string]any)
				var id []string
				for _, name := range names {
					if m[name] != nil {
						id = append(id, fmt.Sprint(m[name]))
					}
				}
				if len(id) == 0 {
					continue
				}
				if key := strings.Join(id, " "); seen[key] {
					out = append(out, fmt.Sprintf("%s: %s twice", strings.Join(at, "."), key))
				} else {
					seen[key] = true
				}
			}
		}
	})
	return out
}

// The checks of objects see what they are for.
func TestChecksSeeFaults(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, text, want string }{
		{"unknown field", "{apiVersion: v1, kind: Service, metadata: {name: a, namespace: mesh}, spec: {sessionAffinty: x}}", "unknown field"},
		{"case of a field", "{apiVersion: v1, kind: Service, metadata: {name: a, namespace: mesh}, spec: {loadbalancerIP: x}}", "unknown field"},
		{"number as label", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: mesh, labels: {a: 1}}}", "is no text"},
		{"illegal label", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: mesh, labels: {a: 1.0+1}}}", "a valid label"},
		{"illegal label in a selector", "{apiVersion: v1, kind: Service, metadata: {name: a, namespace: mesh}, spec: {selector: {a: b.}}}", "a valid label"},
		{"empty labels", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: mesh, labels: {}}}", "metadata.labels: empty"},
		{"null", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: mesh}, data: {a: null}}", "data.a: null"},
		{"null in a list", "{apiVersion: v1, kind: ServiceAccount, metadata: {name: a, namespace: mesh}, imagePullSecrets: [null]}", "null in a list"},
		{"name", "{apiVersion: v1, kind: ConfigMap, metadata: {name: A_b, namespace: mesh}}", "name: "},
		{"no namespace", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}", "namespaced: true"},
		{"namespace of a cluster object", "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: a, namespace: mesh}}", "namespaced: false"},
		{"another namespace", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: istio-system}}", "metadata.namespace: istio-system"},
		{"another namespace deep down", "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: a, namespace: mesh}, subjects: [{kind: ServiceAccount, name: a, namespace: istio-system}]}", "subjects.0.namespace: istio-system"},
		{"comment", "# one\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: mesh}", "a comment"},
		{"comment at the end of a line", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: mesh} # one", "a comment"},
		{"comment in text", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: mesh}\ndata:\n  a: |\n    # one", "a comment"},
		{"exponent", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: mesh}, data: {a: \"1e+06\"}}", "exponent"},
		{"exponent in JSON", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: mesh}\ndata:\n  a: |\n    {\"a\": 1.5e-07}", "exponent"},
		{"two variables", "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: a, namespace: mesh}, spec: {template: {spec: {containers: [{name: a, env: [{name: A}, {name: A}]}]}}}}", "env: A twice"},
		{"two ports", "{apiVersion: v1, kind: Service, metadata: {name: a, namespace: mesh}, spec: {ports: [{name: a, port: 1, protocol: TCP}, {name: b, port: 1, protocol: TCP}]}}", "1 TCP twice"},
		{"unknown kind", "{apiVersion: v1, kind: Secret, metadata: {name: a, namespace: mesh}}", "a kind unknown"},
	} {
		object := map[string]any{}
		require.NoError(t, sigs.UnmarshalStrict([]byte(tc.text), &object))
		faults := (&document{text: tc.text, object: object}).faults()
		assert.Contains(t, strings.Join(faults, "\n"), tc.want, tc.name)
	}
	_, err := read(&render.Output{Files: []render.File{{Text: "kind: A\nmetadata: {name: a}\nkind: B\n"}}})
	assert.ErrorContains(t, err, `key "kind" already set in map`)
}
