package manifest

import (
	"reflect"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
)

// A ListKind says what tells the items of a list apart.
type ListKind int

// The kinds of lists.
const (
	// Ordered items are told apart by their place: Kubernetes takes the list as a whole, or declares nothing.
	Ordered ListKind = iota
	// Keyed items have fields that tell them apart; their order means nothing.
	Keyed
	// Unique items are scalars that stand once each; their order means nothing.
	Unique
)

// A ListType is what Kubernetes declares about a list.
type ListType struct {
	Kind ListKind
	// Keys are the fields that tell the items of a Keyed list apart, in the order in which Kubernetes declares them.
	Keys []string
	// Defaults are what the items of a Keyed list have in a key that they leave out; a key without a default is not in it.
	Defaults map[string]any
}

// A Schema knows what Kubernetes declares about the values in an object: for built-in kinds what client-go generates for
// server-side apply, for others the CustomResourceDefinition, and about the metadata of every kind. What nobody declares
// is unknown: its lists are Ordered and it holds no quantities.
//
// A Schema looks up a kind when it is first asked about it, and may be used by several goroutines.
type Schema struct {
	custom map[schema.GroupVersionKind]map[string]any

	mu    sync.Mutex
	kinds map[schema.GroupVersionKind]shape
}

// NewSchema makes a schema. The CustomResourceDefinitions among the objects are used, other objects are not; of two for
// one kind and version the first is.
func NewSchema(objects ...Object) *Schema {
	s := &Schema{custom: map[schema.GroupVersionKind]map[string]any{}, kinds: map[schema.GroupVersionKind]shape{}}
	for _, o := range objects {
		if !isCRD(o.ID) {
			continue
		}
		spec, _ := o.Value["spec"].(map[string]any)
		names, _ := spec["names"].(map[string]any)
		group, _ := spec["group"].(string)
		kind, _ := names["kind"].(string)
		versions, _ := spec["versions"].([]any)
		for _, v := range versions {
			version, _ := v.(map[string]any)
			name, _ := version["name"].(string)
			validation, _ := version["schema"].(map[string]any)
			properties, ok := validation["openAPIV3Schema"].(map[string]any)
			gvk := schema.GroupVersionKind{Group: group, Version: name, Kind: kind}
			if _, found := s.custom[gvk]; ok && !found {
				s.custom[gvk] = properties
			}
		}
	}
	return s
}

func isCRD(id ID) bool {
	return id.Kind == "CustomResourceDefinition" && id.Group == "apiextensions.k8s.io"
}

// List returns what is declared about the list at a path in objects of a kind.
func (s *Schema) List(apiVersion, kind string, at Path) ListType {
	if shape := s.at(apiVersion, kind, at); shape != nil {
		return shape.list()
	}
	return ListType{}
}

// IsQuantity says whether the value at a path in objects of a kind is declared to be a quantity, such as 100m or 1Gi.
func (s *Schema) IsQuantity(apiVersion, kind string, at Path) bool {
	shape := s.at(apiVersion, kind, at)
	return shape != nil && shape.isQuantity()
}

// declares says whether anything is known about a kind besides its metadata.
func (s *Schema) declares(apiVersion, kind string) bool {
	at, ok := s.kind(schema.FromAPIVersionAndKind(apiVersion, kind)).(customShape)
	return !ok || at.properties != nil
}

// at returns the shape of the values at a path, nil where nothing is declared about them.
func (s *Schema) at(apiVersion, kind string, path Path) shape {
	at := s.kind(schema.FromAPIVersionAndKind(apiVersion, kind))
	for _, step := range path {
		if at == nil {
			return nil
		}
		if key, ok := step.(Key); ok {
			at = at.field(string(key))
		} else {
			at = at.item()
		}
	}
	return at
}

func (s *Schema) kind(gvk schema.GroupVersionKind) shape {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, found := s.kinds[gvk]
	if !found {
		at = s.lookup(gvk)
		s.kinds[gvk] = at
	}
	return at
}

func (s *Schema) lookup(gvk schema.GroupVersionKind) shape {
	if properties, found := s.custom[gvk]; found {
		return customShape{properties: properties, isObject: true}
	}
	if at := builtin(gvk); at != nil {
		return at
	}
	return customShape{isObject: true}
}

// A shape is what is declared about the values at one place.
type shape interface {
	// field returns the shape of the value of a key of a map, nil where nothing is declared.
	field(key string) shape
	// item returns that of the items of a list.
	item() shape
	list() ListType
	isQuantity() bool
}

// builtin returns the shape of a kind that client-go knows, nil where it does not.
func builtin(gvk schema.GroupVersionKind) shape {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	object.SetGroupVersionKind(gvk)
	// The schema itself is internal to client-go; a typed value of the kind carries it.
	value, err := applyconfigurations.NewTypeConverter(scheme.Scheme).ObjectToTyped(object)
	if err != nil {
		return nil
	}
	return builtinShape{value.Schema(), value.TypeRef()}
}

// objectMeta returns the shape of the metadata of any object.
func objectMeta() shape {
	return builtin(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}).field("metadata")
}

type builtinShape struct {
	schema *smd.Schema
	ref    smd.TypeRef
}

func (s builtinShape) field(key string) shape {
	atom, ok := s.schema.Resolve(s.ref)
	if !ok || atom.Map == nil {
		return nil
	}
	if field, found := atom.FindField(key); found {
		return builtinShape{s.schema, field.Type}
	}
	return builtinShape{s.schema, atom.Map.ElementType}
}

func (s builtinShape) item() shape {
	atom, ok := s.schema.Resolve(s.ref)
	if !ok || atom.List == nil {
		return nil
	}
	return builtinShape{s.schema, atom.List.ElementType}
}

func (s builtinShape) list() ListType {
	atom, ok := s.schema.Resolve(s.ref)
	switch {
	case !ok || atom.List == nil || atom.List.ElementRelationship != smd.Associative:
		return ListType{}
	case len(atom.Keys) == 0:
		return ListType{Kind: Unique}
	}
	t := ListType{Kind: Keyed, Keys: atom.Keys, Defaults: map[string]any{}}
	item, ok := s.schema.Resolve(atom.List.ElementType)
	if !ok || item.Map == nil {
		return t
	}
	for _, key := range t.Keys {
		// Go's zero values stand in the schema as defaults of all fields that are not optional.
		if field, found := item.FindField(key); found && field.Default != nil && !reflect.ValueOf(field.Default).IsZero() {
			t.Defaults[key] = field.Default
		}
	}
	return t
}

func (s builtinShape) isQuantity() bool {
	return s.ref.NamedType != nil && *s.ref.NamedType == "io.k8s.apimachinery.pkg.api.resource.Quantity"
}

// A customShape is a part of the OpenAPI schema in a CustomResourceDefinition.
type customShape struct {
	properties map[string]any
	// isObject is true for whole objects, whose metadata no schema repeats.
	isObject bool
}

func (s customShape) field(key string) shape {
	if embedded, _ := s.properties["x-kubernetes-embedded-resource"].(bool); key == "metadata" && (s.isObject || embedded) {
		return objectMeta()
	}
	fields, _ := s.properties["properties"].(map[string]any)
	if field, ok := fields[key].(map[string]any); ok {
		return customShape{properties: field}
	}
	if field, ok := s.properties["additionalProperties"].(map[string]any); ok {
		return customShape{properties: field}
	}
	return nil
}

func (s customShape) item() shape {
	if item, ok := s.properties["items"].(map[string]any); ok {
		return customShape{properties: item}
	}
	return nil
}

func (s customShape) list() ListType {
	switch s.properties["x-kubernetes-list-type"] {
	case "set":
		return ListType{Kind: Unique}
	case "map":
	default:
		return ListType{}
	}
	t := ListType{Kind: Keyed, Defaults: map[string]any{}}
	keys, _ := s.properties["x-kubernetes-list-map-keys"].([]any)
	items, _ := s.properties["items"].(map[string]any)
	fields, _ := items["properties"].(map[string]any)
	for _, k := range keys {
		key, _ := k.(string)
		t.Keys = append(t.Keys, key)
		field, _ := fields[key].(map[string]any)
		if value := field["default"]; value != nil {
			t.Defaults[key] = value
		}
	}
	return t
}

// quantityPattern is how the pattern begins that controller-gen writes for a quantity, which OpenAPI has no type for.
const quantityPattern = `^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)`

func (s customShape) isQuantity() bool {
	mixed, _ := s.properties["x-kubernetes-int-or-string"].(bool)
	pattern, _ := s.properties["pattern"].(string)
	return mixed && strings.HasPrefix(pattern, quantityPattern)
}
