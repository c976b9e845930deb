package main

import (
	"fmt"
	"reflect"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// kubernetesTypes are the types of Kubernetes that values may name.
var kubernetesTypes = map[string]reflect.Type{
	"apps/v1.DaemonSetUpdateStrategy":                reflect.TypeFor[appsv1.DaemonSetUpdateStrategy](),
	"apps/v1.DeploymentStrategy":                     reflect.TypeFor[appsv1.DeploymentStrategy](),
	"autoscaling/v2.HorizontalPodAutoscalerBehavior": reflect.TypeFor[autoscalingv2.HorizontalPodAutoscalerBehavior](),
	"core/v1.Affinity":                               reflect.TypeFor[corev1.Affinity](),
	"core/v1.Container":                              reflect.TypeFor[corev1.Container](),
	"core/v1.EnvVar":                                 reflect.TypeFor[corev1.EnvVar](),
	"core/v1.Lifecycle":                              reflect.TypeFor[corev1.Lifecycle](),
	"core/v1.LocalObjectReference":                   reflect.TypeFor[corev1.LocalObjectReference](),
	"core/v1.PodDNSConfig":                           reflect.TypeFor[corev1.PodDNSConfig](),
	"core/v1.PodSecurityContext":                     reflect.TypeFor[corev1.PodSecurityContext](),
	"core/v1.Probe":                                  reflect.TypeFor[corev1.Probe](),
	"core/v1.ResourceRequirements":                   reflect.TypeFor[corev1.ResourceRequirements](),
	"core/v1.SELinuxOptions":                         reflect.TypeFor[corev1.SELinuxOptions](),
	"core/v1.SeccompProfile":                         reflect.TypeFor[corev1.SeccompProfile](),
	"core/v1.SecurityContext":                        reflect.TypeFor[corev1.SecurityContext](),
	"core/v1.ServicePort":                            reflect.TypeFor[corev1.ServicePort](),
	"core/v1.Toleration":                             reflect.TypeFor[corev1.Toleration](),
	"core/v1.TopologySpreadConstraint":               reflect.TypeFor[corev1.TopologySpreadConstraint](),
	"core/v1.Volume":                                 reflect.TypeFor[corev1.Volume](),
	"core/v1.VolumeMount":                            reflect.TypeFor[corev1.VolumeMount](),
	"policy/v1.PodDisruptionBudgetSpec":              reflect.TypeFor[policyv1.PodDisruptionBudgetSpec](),
	"meta/v1.LabelSelector":                          reflect.TypeFor[metav1.LabelSelector](),
	"networking/v1.NetworkPolicyIngressRule":         reflect.TypeFor[networkingv1.NetworkPolicyIngressRule](),
	"core/v1.SessionAffinityConfig":                  reflect.TypeFor[corev1.SessionAffinityConfig](),
	"core/v1.EnvFromSource":                          reflect.TypeFor[corev1.EnvFromSource](),
	"core/v1.TypedLocalObjectReference":              reflect.TypeFor[corev1.TypedLocalObjectReference](),
	"core/v1.PodAffinityTerm":                        reflect.TypeFor[corev1.PodAffinityTerm](),
	"core/v1.NodeAffinity":                           reflect.TypeFor[corev1.NodeAffinity](),
	"core/v1.PodAntiAffinity":                        reflect.TypeFor[corev1.PodAntiAffinity](),
}

// A definitions set collects the schemas of the Kubernetes types that a chart uses, with those they use in turn.
type definitions map[string]any

// ref returns a reference to the schema of a named type.
func (d definitions) ref(name string, whole bool) (any, error) {
	t, ok := kubernetesTypes[name]
	if !ok {
		return nil, fmt.Errorf("unknown Kubernetes type %q: add it to kubernetesTypes", name)
	}
	return d.of(t, whole)
}

// of returns the schema of a Go type. null is allowed everywhere: it takes away what is below.
func (d definitions) of(t reflect.Type, whole bool) (any, error) {
	switch t {
	case reflect.TypeFor[resource.Quantity]():
		return types("string", "number"), nil
	case reflect.TypeFor[intstr.IntOrString]():
		return types("string", "integer"), nil
	case reflect.TypeFor[metav1.Time](), reflect.TypeFor[metav1.Duration](), reflect.TypeFor[[]byte]():
		return types("string"), nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		return d.of(t.Elem(), whole)
	case reflect.String:
		return types("string"), nil
	case reflect.Bool:
		return types("boolean"), nil
	case reflect.Int, reflect.Int32, reflect.Int64:
		return types("integer"), nil
	case reflect.Float64:
		return types("number"), nil
	case reflect.Slice:
		items, err := d.of(t.Elem(), true)
		return object{"type": list("array", "null"), "items": items}, err
	case reflect.Map:
		items, err := d.of(t.Elem(), whole)
		return object{"type": list("object", "null"), "additionalProperties": items}, err
	case reflect.Struct:
		return d.structure(t, whole)
	}
	return nil, fmt.Errorf("no schema for the Go type %s", t)
}

func (d definitions) structure(t reflect.Type, whole bool) (any, error) {
	path := strings.Split(t.PkgPath(), "/")
	name := strings.Join(path[len(path)-2:], ".") + "." + t.Name()
	if !whole {
		name += ".partial"
	}
	ref := object{"$ref": "#/$defs/" + name}
	if _, done := d[name]; done {
		return ref, nil
	}
	properties := object{}
	d[name] = object{"type": list("object", "null"), "properties": properties, "additionalProperties": false}
	required := []any{}
	err := d.fields(t, properties, whole, &required)
	if whole && len(required) > 0 {
		d[name].(object)["required"] = required
	}
	return ref, err
}

func (d definitions) fields(t reflect.Type, into object, whole bool, required *[]any) error {
	for n := range t.NumField() {
		field := t.Field(n)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" && (field.Anonymous || options == "inline") {
			if err := d.fields(field.Type, into, whole, required); err != nil {
				return err
			}
			continue
		}
		schema, err := d.of(field.Type, whole)
		if err != nil {
			return fmt.Errorf("%s.%s: %w", t.Name(), field.Name, err)
		}
		into[name] = schema
		if name != "-" && field.Type.Kind() != reflect.Pointer && !strings.Contains(options, "omit") {
			*required = append(*required, name)
		}
	}
	return nil
}
