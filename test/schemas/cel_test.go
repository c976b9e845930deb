package schemas_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stratamesh/strata/test/schemas"
)

// withExpressions are the kinds in which Kubernetes compiles CEL.
var withExpressions = map[string]bool{
	"CustomResourceDefinition": true, "ValidatingAdmissionPolicy": true, "MutatingWebhookConfiguration": true, "ValidatingWebhookConfiguration": true,
}

// The API server compiles all CEL in what the charts render. Functions are added from minor to minor and stay, so the oldest minor
// and the newest tell about those between.
func TestExpressionsCompile(t *testing.T) {
	checker := schemas.NewChecker()
	seen := map[string]bool{}
	compiled := map[string]bool{}
	for _, m := range []*schemas.Minor{minors(t)[0], newest(t)} {
		for _, c := range cases(t) {
			if c.name != "default" && c.name != "stable" && c.name != "charts/testdata/rich/istiod.yaml" {
				continue
			}
			renders, err := c.render([]*schemas.Minor{m})
			require.NoError(t, err)
			for _, file := range renders[0].Files {
				if seen[m.Name+file.Text] {
					continue
				}
				seen[m.Name+file.Text] = true
				objects, err := checker.Objects(file.Text)
				require.NoError(t, err)
				for _, object := range objects {
					kind := object["kind"].(string)
					if !withExpressions[kind] {
						continue
					}
					faults, err := m.Expressions(object)
					require.NoError(t, err)
					assert.Empty(t, faults, "Kubernetes %s: chart %s under %s: %s %v", m.Name, renders[0].Chart, c.name, kind, object["metadata"])
					compiled[kind] = true
				}
			}
		}
	}
	assert.Equal(t, withExpressions, compiled)
}

func TestWrongExpressionsAreRefused(t *testing.T) {
	const same = "the same"
	policy := func(spec string) string {
		return "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: a}\nspec: {" + spec + "}\n"
	}
	for _, test := range []struct {
		name, text string
		// want is what is wrong, "" for nothing; newest differs where functions came later.
		want, newest string
	}{
		{
			"syntax", policy(`validations: [{expression: "object.spec =="}]`),
			"spec.validations[0].expression: compilation failed: ERROR: <input>:1:15: Syntax error: mismatched input", same,
		},
		{"type of the result", policy(`validations: [{expression: "1"}]`), "spec.validations[0].expression: must evaluate to bool but got int", same},
		{
			"unknown variable", policy(`variables: [{name: a, expression: "object.a"}], validations: [{expression: variables.a && variables.b}]`),
			"spec.validations[0].expression: compilation failed: ERROR: <input>:1:25: undefined field 'b'", same,
		},
		{
			"function that only later minors have", policy(`matchConditions: [{name: a, expression: "format.named('uuid').hasValue()"}]`),
			"spec.matchConditions[0].expression: compilation failed: ERROR: <input>:1:1: undeclared reference to 'format'", "",
		},
		{
			"condition of a webhook",
			"apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingWebhookConfiguration\nmetadata: {name: a}\nwebhooks: [{matchConditions: [{name: a, expression: request.nme == 'b'}]}]\n",
			"webhooks[0].matchConditions[0].expression: compilation failed: ERROR: <input>:1:8: undefined field 'nme'", same,
		},
		{
			"rule of a CustomResourceDefinition", customResource("properties: {spec: {type: object, additionalProperties: {type: integer, x-kubernetes-validations: [{rule: self.size() > 0}]}}}"),
			"spec.versions[0].schema.openAPIV3Schema.properties[spec].additionalProperties.x-kubernetes-validations[0].rule: compilation failed: ERROR: <input>:1:10: found no matching overload for 'size'", same,
		},
		{
			"field without a type", customResource("properties: {spec: {properties: {a: {type: string}}}}"),
			"spec.versions[0].schema.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields", same,
		},
		{"all well", customResource("properties: {spec: {type: array, items: {type: string, x-kubernetes-validations: [{rule: 'self.size() > 0', messageExpression: '\"not \" + self'}]}}}"), "", same},
	} {
		t.Run(test.name, func(t *testing.T) {
			objects, err := schemas.NewChecker().Objects(test.text)
			require.NoError(t, err)
			if test.newest == same {
				test.newest = test.want
			}
			for m, want := range map[*schemas.Minor]string{minors(t)[0]: test.want, newest(t): test.newest} {
				got, err := m.Expressions(objects[0])
				require.NoError(t, err)
				if want == "" {
					assert.Empty(t, got)
					continue
				}
				require.Len(t, got, 1)
				assert.Contains(t, got[0], want)
			}
		})
	}
}
