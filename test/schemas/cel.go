package schemas

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/google/cel-go/cel"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// Expressions compiles the CEL of admission webhooks, admission policies and CustomResourceDefinitions with the code of the API
// server, and says what is wrong with them and with the structure of the latter. The functions at hand are those that a minor takes
// in new objects: what the minor before it knows, to which one may have to go back.
//
// The code is that of the newest API server, which knows since when there is each function. Costs are not looked at.
func (m *Minor) Expressions(object map[string]any) ([]string, error) {
	before, err := version.ParseGeneric(m.Name)
	if err != nil {
		return nil, err
	}
	functions := environment.MustBaseEnvSet(before.SubtractMinor(1))
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	if object["kind"] == "CustomResourceDefinition" {
		return definitionExpressions(functions, text)
	}
	return admissionExpressions(functions, text)
}

// definitionExpressions compiles the rules in a CustomResourceDefinition.
func definitionExpressions(functions *environment.EnvSet, text []byte) ([]string, error) {
	var definition apiextensionsv1.CustomResourceDefinition
	if err := json.Unmarshal(text, &definition); err != nil {
		return nil, err
	}
	var out []string
	seen := map[string]bool{}
	for n, v := range definition.Spec.Versions {
		schema, err := json.Marshal(v.Schema)
		if err != nil {
			return nil, err
		}
		// Versions are mostly alike.
		if v.Schema == nil || seen[string(schema)] {
			continue
		}
		seen[string(schema)] = true
		var internal apiextensions.JSONSchemaProps
		if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v.Schema.OpenAPIV3Schema, &internal, nil); err != nil {
			return nil, err
		}
		at := field.NewPath("spec", "versions").Index(n).Child("schema", "openAPIV3Schema")
		s, err := structural.NewStructural(&internal)
		if err != nil {
			out = append(out, fmt.Sprintf("%s: %v", at, err))
			continue
		}
		for _, e := range structural.ValidateStructural(at, s) {
			out = append(out, e.Error())
		}
		found, err := schemaExpressions(functions, at, s, true)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

func schemaExpressions(functions *environment.EnvSet, at *field.Path, s *structural.Structural, root bool) ([]string, error) {
	if s == nil {
		return nil, nil
	}
	var out []string
	if len(s.XValidations) > 0 {
		results, err := schemacel.Compile(s, model.SchemaDeclType(s, root), celconfig.PerCallLimit, functions, schemacel.NewExpressionsEnvLoader())
		if err != nil {
			return nil, err
		}
		for n, r := range results {
			rule := at.Child("x-kubernetes-validations").Index(n)
			if r.Error != nil {
				out = append(out, fmt.Sprintf("%s.rule: %s", rule, r.Error.Detail))
			}
			if r.MessageExpressionError != nil {
				out = append(out, fmt.Sprintf("%s.messageExpression: %s", rule, r.MessageExpressionError.Detail))
			}
		}
	}
	type child struct {
		at     *field.Path
		schema *structural.Structural
	}
	children := []child{{at.Child("items"), s.Items}}
	if s.AdditionalProperties != nil {
		children = append(children, child{at.Child("additionalProperties"), s.AdditionalProperties.Structural})
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		property := s.Properties[name]
		children = append(children, child{at.Child("properties").Key(name), &property})
	}
	for _, c := range children {
		found, err := schemaExpressions(functions, c.at, c.schema, false)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// An expression is one of an admission policy or webhook.
type expression struct {
	Name              string `json:"name"`
	Expression        string `json:"expression"`
	MessageExpression string `json:"messageExpression"`
	ValueExpression   string `json:"valueExpression"`
}

// admission is what policies and webhooks have in the way of expressions.
type admission struct {
	Webhooks []struct {
		MatchConditions []expression `json:"matchConditions"`
	} `json:"webhooks"`
	Spec struct {
		ParamKind        any          `json:"paramKind"`
		Variables        []expression `json:"variables"`
		MatchConditions  []expression `json:"matchConditions"`
		Validations      []expression `json:"validations"`
		AuditAnnotations []expression `json:"auditAnnotations"`
	} `json:"spec"`
}

// accessor is an expression as the API server's compiler wants it.
type accessor struct {
	name, text string
	types      []*cel.Type
}

func (a accessor) GetName() string          { return a.name }
func (a accessor) GetExpression() string    { return a.text }
func (a accessor) ReturnTypes() []*cel.Type { return a.types }

func admissionExpressions(functions *environment.EnvSet, text []byte) ([]string, error) {
	var object admission
	if err := json.Unmarshal(text, &object); err != nil {
		return nil, err
	}
	compiler, err := plugincel.NewCompositedCompiler(functions)
	if err != nil {
		return nil, err
	}
	options := plugincel.OptionalVariableDeclarations{HasParams: object.Spec.ParamKind != nil, HasAuthorizer: true}
	var out []string
	add := func(at *field.Path, r plugincel.CompilationResult) {
		if r.Error != nil {
			out = append(out, fmt.Sprintf("%s: %s", at, r.Error.Detail))
		}
	}
	compile := func(at *field.Path, text string, types ...*cel.Type) {
		if text != "" {
			add(at, compiler.CompileCELExpression(accessor{text: text, types: types}, options, environment.NewExpressions))
		}
	}
	conditions := func(at *field.Path, all []expression) {
		for n, e := range all {
			compile(at.Child("matchConditions").Index(n).Child("expression"), e.Expression, cel.BoolType)
		}
	}
	for n, w := range object.Webhooks {
		conditions(field.NewPath("webhooks").Index(n), w.MatchConditions)
	}
	spec := field.NewPath("spec")
	conditions(spec, object.Spec.MatchConditions)
	for n, v := range object.Spec.Variables {
		at := spec.Child("variables").Index(n).Child("expression")
		add(at, compiler.CompileAndStoreVariable(accessor{v.Name, v.Expression, []*cel.Type{cel.AnyType}}, options, environment.NewExpressions))
	}
	for n, v := range object.Spec.Validations {
		at := spec.Child("validations").Index(n)
		compile(at.Child("expression"), v.Expression, cel.BoolType)
		compile(at.Child("messageExpression"), v.MessageExpression, cel.StringType)
	}
	for n, a := range object.Spec.AuditAnnotations {
		compile(spec.Child("auditAnnotations").Index(n).Child("valueExpression"), a.ValueExpression, cel.StringType, cel.NullType)
	}
	return out, nil
}
