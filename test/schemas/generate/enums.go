package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
)

// enums are the functions that return the definitions, from a Go file that Kubernetes generates. They have the values allowed for a
// field, which the published documents do not: those are made with the feature OpenAPIEnums switched off.
type enums map[string]*ast.CompositeLit

func readEnums(file string) (enums, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	out := enums{}
	for _, declaration := range parsed.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if !ok || !strings.HasPrefix(function.Name.Name, "schema_") || len(function.Body.List) == 0 {
			continue
		}
		result, ok := function.Body.List[len(function.Body.List)-1].(*ast.ReturnStmt)
		if !ok || len(result.Results) != 1 {
			continue
		}
		if literal, ok := result.Results[0].(*ast.CompositeLit); ok {
			out[function.Name.Name] = literal
		}
	}
	return out, nil
}

// function is the name of the function that returns a definition: the last four parts of its Go package, and its own name.
func function(definition string) string {
	parts := strings.Split(strings.ReplaceAll(strings.Replace(definition, "io.k8s.", "k8sio.", 1), "-", ""), ".")
	return "schema_" + strings.Join(parts[max(0, len(parts)-5):], "_")
}

// apply writes the enums of a definition into its normal form.
func (e enums) apply(name string, definition map[string]any) error {
	if len(definition) == 0 {
		return nil
	}
	literal, ok := e[function(name)]
	if !ok {
		if definition["properties"] == nil {
			return nil
		}
		return fmt.Errorf("no function %s, where its enums would stand", function(name))
	}
	schema, ok := field(literal, "Schema").(*ast.CompositeLit)
	if !ok {
		return fmt.Errorf("%s: no Schema", function(name))
	}
	return applyEnums(definition, schema)
}

// applyEnums walks a schema and the Go literal of it side by side.
func applyEnums(schema map[string]any, literal *ast.CompositeLit) error {
	props, ok := field(literal, "SchemaProps").(*ast.CompositeLit)
	if !ok {
		return errors.New("no SchemaProps")
	}
	if values, ok := field(props, "Enum").(*ast.CompositeLit); ok {
		var enum []any
		for _, value := range values.Elts {
			basic, ok := value.(*ast.BasicLit)
			if !ok || basic.Kind != token.STRING {
				return errors.New("an enum of something other than text")
			}
			text, err := strconv.Unquote(basic.Value)
			if err != nil {
				return err
			}
			enum = append(enum, text)
		}
		schema["enum"] = enum
	}
	for key, name := range map[string]string{"items": "Items", "additionalProperties": "AdditionalProperties"} {
		inner, ok := schema[key].(map[string]any)
		if !ok || inner["$ref"] != nil {
			continue
		}
		wrapper, ok := pointed(field(props, name))
		if !ok {
			return fmt.Errorf("no %s", name)
		}
		within, ok := pointed(field(wrapper, "Schema"))
		if !ok {
			return fmt.Errorf("no schema of %s", name)
		}
		if err := applyEnums(inner, within); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	literals, _ := field(props, "Properties").(*ast.CompositeLit)
	for name, property := range properties {
		inner := property.(map[string]any)
		if inner["$ref"] != nil {
			continue
		}
		within, ok := entry(literals, name)
		if !ok {
			return fmt.Errorf("no property %s", name)
		}
		if err := applyEnums(inner, within); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// field returns the value of a field in a literal of a struct, nil where it is not set.
func field(literal *ast.CompositeLit, name string) ast.Expr {
	for _, element := range literal.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			if key, ok := pair.Key.(*ast.Ident); ok && key.Name == name {
				return pair.Value
			}
		}
	}
	return nil
}

// entry returns the value of a key in a literal of a map.
func entry(literal *ast.CompositeLit, name string) (*ast.CompositeLit, bool) {
	if literal == nil {
		return nil, false
	}
	for _, element := range literal.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			if key, ok := pair.Key.(*ast.BasicLit); ok && key.Value == strconv.Quote(name) {
				value, ok := pair.Value.(*ast.CompositeLit)
				return value, ok
			}
		}
	}
	return nil, false
}

// pointed returns the literal that & stands before.
func pointed(e ast.Expr) (*ast.CompositeLit, bool) {
	address, ok := e.(*ast.UnaryExpr)
	if !ok {
		return nil, false
	}
	literal, ok := address.X.(*ast.CompositeLit)
	return literal, ok
}
