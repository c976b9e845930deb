package manifest

import "strings"

// An ID says which object is meant. The version of the API is no part of it: networking.istio.io/v1 and v1beta1 show the
// same objects. The group is: a Gateway of Istio and one of the Gateway API are two objects.
type ID struct {
	// Group is empty for the core group.
	Group string
	Kind  string
	// Namespace is empty where the manifest names none, as for objects of the whole cluster.
	Namespace string
	Name      string
}

// String returns Kind:namespace:name, with - for no namespace.
func (id ID) String() string {
	namespace := id.Namespace
	if namespace == "" {
		namespace = "-"
	}
	return id.Kind + ":" + namespace + ":" + id.Name
}

// compare orders by kind, group, namespace and name.
func (id ID) compare(other ID) int {
	for _, c := range [...]int{
		strings.Compare(id.Kind, other.Kind), strings.Compare(id.Group, other.Group),
		strings.Compare(id.Namespace, other.Namespace), strings.Compare(id.Name, other.Name),
	} {
		if c != 0 {
			return c
		}
	}
	return 0
}

// An Object is one object of a manifest.
type Object struct {
	ID ID
	// APIVersion is group/version as written.
	APIVersion string
	// Value is the whole object: maps (map[string]any), lists ([]any), strings, booleans, int64, float64 and null. It is
	// only read, and may be shared between objects.
	Value map[string]any
	// Position is where the object begins.
	Position Position

	// parsed is the text that the object came from; the same for two objects of one text.
	parsed *parsed
}

// group returns the API group in an apiVersion.
func group(apiVersion string) string {
	g, _, found := strings.Cut(apiVersion, "/")
	if !found {
		return ""
	}
	return g
}
