package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stratamesh/strata/pkg/lint"
)

func TestRuleListShowsTheFirstCaseThatApplies(t *testing.T) {
	rules := []lint.Rule{{ID: "a-rule", Severity: lint.Warning, Summary: "A | b.", Help: "Help."}}
	got, err := ruleList(rules, []object{
		{"rule": "a-rule", "name": "silent", "values": "a: 1\n"},
		{"rule": "other", "want": "x [a-rule]\n", "values": "b: 1\n"},
		{"rule": "a-rule", "want": "x [a-rule]\n", "profiles": object{"p.yaml": "c: 1\n"}, "installed": []any{"base", "istiod"}, "select": object{"platform": "gke"}},
	})
	require.NoError(t, err)
	assert.Equal(t, "| rule | severity | |\n|---|---|---|\n| [a-rule](#a-rule) | warning | A \\| b. |\n\n### a-rule\n\nA | b. Help.\n"+
		"\n```yaml\n# p.yaml\nc: 1\n```\n\n```\n$ strata lint p.yaml --platform gke --chart base,istiod\nx [a-rule]\n```\n", got)
	_, err = ruleList(rules, nil)
	assert.ErrorContains(t, err, "no case shows the rule a-rule")
}
