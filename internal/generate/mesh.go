package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

const meshSchema = "pkg/lint/mesh.schema.json"

// meshRoots are the messages that the charts take as values.
var meshRoots = []string{".istio.mesh.v1alpha1.MeshConfig", ".istio.mesh.v1alpha1.Network"}

// mesh describes the mesh configuration for strata lint, as $defs of a JSON schema. The source is what the compiler of protocol
// buffers has left in the Go files of Istio's API, which are read and not linked: strata would become bigger by all of them.
func mesh(root string) (map[string][]byte, error) {
	version, dir, err := module(root, crdModule)
	if err != nil {
		return nil, err
	}
	m := messages{dir: dir, files: map[string]bool{}, messages: map[string]*descriptorpb.DescriptorProto{}, enums: map[string]*descriptorpb.EnumDescriptorProto{}}
	for _, file := range []string{"mesh/v1alpha1/config.proto", "mesh/v1alpha1/network.proto"} {
		if err := m.read(file); err != nil {
			return nil, err
		}
	}
	defs := object{}
	for _, name := range meshRoots {
		if err := m.define(defs, name); err != nil {
			return nil, err
		}
	}
	text, err := json.MarshalIndent(object{
		"$comment": fmt.Sprintf(header, crdModule+"@"+version),
		"$defs":    defs,
	}, "", " ")
	if err != nil {
		return nil, err
	}
	return map[string][]byte{meshSchema: append(text, '\n')}, nil
}

// messages are those of .proto files, by their full names with a dot in front.
type messages struct {
	dir      string
	files    map[string]bool
	messages map[string]*descriptorpb.DescriptorProto
	enums    map[string]*descriptorpb.EnumDescriptorProto
}

// read reads a .proto file of the module, and those that it imports from it.
func (m messages) read(name string) error {
	if m.files[name] {
		return nil
	}
	m.files[name] = true
	source := filepath.Join(m.dir, strings.TrimSuffix(name, ".proto")+".pb.go")
	raw, err := rawDescriptor(source)
	if err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	var file descriptorpb.FileDescriptorProto
	if err := proto.Unmarshal(raw, &file); err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	for _, e := range file.EnumType {
		m.enums["."+file.GetPackage()+"."+e.GetName()] = e
	}
	for _, d := range file.MessageType {
		m.add("."+file.GetPackage(), d)
	}
	for _, imported := range file.Dependency {
		if _, err := os.Stat(filepath.Join(m.dir, imported)); err != nil {
			continue // of another module
		}
		if err := m.read(imported); err != nil {
			return err
		}
	}
	return nil
}

func (m messages) add(prefix string, d *descriptorpb.DescriptorProto) {
	name := prefix + "." + d.GetName()
	m.messages[name] = d
	for _, e := range d.EnumType {
		m.enums[name+"."+e.GetName()] = e
	}
	for _, inner := range d.NestedType {
		m.add(name, inner)
	}
}

// rawDescriptor returns the one string constant of a Go file that holds a file descriptor.
func rawDescriptor(file string) ([]byte, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		return nil, err
	}
	for name, o := range parsed.Scope.Objects {
		spec, ok := o.Decl.(*ast.ValueSpec)
		if !ok || !strings.HasSuffix(name, "_rawDesc") || len(spec.Values) != 1 {
			continue
		}
		text, err := stringConstant(spec.Values[0])
		return []byte(text), err
	}
	return nil, fmt.Errorf("no descriptor")
}

// stringConstant evaluates a sum of string literals.
func stringConstant(e ast.Expr) (string, error) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return strconv.Unquote(e.Value)
	case *ast.BinaryExpr:
		left, err := stringConstant(e.X)
		if err != nil {
			return "", err
		}
		right, err := stringConstant(e.Y)
		return left + right, err
	}
	return "", fmt.Errorf("a %T where a string belongs", e)
}

// define adds the schema of a message, and of those in it. Keys that it does not list are allowed: another istiod may know them.
func (m messages) define(defs object, name string) error {
	key := strings.TrimPrefix(name, ".")
	if defs[key] != nil {
		return nil
	}
	d := m.messages[name]
	if d == nil {
		return fmt.Errorf("%s: no message %s", crdModule, key)
	}
	properties := object{}
	defs[key] = object{"type": list("object", "null"), "properties": properties}
	for _, field := range d.Field {
		schema, err := m.field(defs, field)
		if err != nil {
			return err
		}
		// Both names are read.
		properties[field.GetJsonName()] = schema
		properties[field.GetName()] = schema
	}
	return nil
}

func (m messages) field(defs object, f *descriptorpb.FieldDescriptorProto) (object, error) {
	if entry := m.messages[f.GetTypeName()]; entry.GetOptions().GetMapEntry() {
		value, err := m.value(defs, entry.Field[1])
		return object{"type": list("object", "null"), "additionalProperties": value}, err
	}
	value, err := m.value(defs, f)
	if f.GetLabel() == descriptorpb.FieldDescriptorProto_LABEL_REPEATED {
		return object{"type": list("array", "null"), "items": value}, err
	}
	return value, err
}

// value is the schema of one value, in the JSON form of protocol buffers.
func (m messages) value(defs object, f *descriptorpb.FieldDescriptorProto) (object, error) {
	switch f.GetType() {
	case descriptorpb.FieldDescriptorProto_TYPE_MESSAGE:
		if known, ok := wellKnown[f.GetTypeName()]; ok {
			return known, nil
		}
		return object{"$ref": "#/$defs/" + strings.TrimPrefix(f.GetTypeName(), ".")}, m.define(defs, f.GetTypeName())
	case descriptorpb.FieldDescriptorProto_TYPE_ENUM:
		e := m.enums[f.GetTypeName()]
		if e == nil {
			return nil, fmt.Errorf("%s: no enumeration %s", crdModule, f.GetTypeName())
		}
		names := []any{}
		for _, value := range e.Value {
			names = append(names, value.GetName())
		}
		return object{"type": list("string", "null"), "enum": append(names, nil)}, nil
	case descriptorpb.FieldDescriptorProto_TYPE_BOOL:
		return types("boolean"), nil
	case descriptorpb.FieldDescriptorProto_TYPE_STRING, descriptorpb.FieldDescriptorProto_TYPE_BYTES:
		return types("string"), nil
	case descriptorpb.FieldDescriptorProto_TYPE_DOUBLE, descriptorpb.FieldDescriptorProto_TYPE_FLOAT:
		return numeric("number"), nil
	}
	return numeric("integer"), nil
}

// numeric is a number, or text that is one.
func numeric(name string) object {
	schema := types(name, "string")
	schema["pattern"] = "^[-+0-9.eE]+$"
	return schema
}

// wellKnown are the messages with a JSON form of their own.
var wellKnown = map[string]object{
	".google.protobuf.Any":         types("object"),
	".google.protobuf.BoolValue":   types("boolean"),
	".google.protobuf.DoubleValue": numeric("number"),
	".google.protobuf.Duration":    types("string"),
	".google.protobuf.FloatValue":  numeric("number"),
	".google.protobuf.Int32Value":  numeric("integer"),
	".google.protobuf.Int64Value":  numeric("integer"),
	".google.protobuf.ListValue":   types("array"),
	".google.protobuf.StringValue": types("string"),
	".google.protobuf.Struct":      types("object"),
	".google.protobuf.Timestamp":   types("string"),
	".google.protobuf.UInt32Value": numeric("integer"),
	".google.protobuf.UInt64Value": numeric("integer"),
	".google.protobuf.Value":       {},
}
