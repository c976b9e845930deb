package charts_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stratamesh/strata/internal/values"
)

// validators are the validation webhooks, by chart.
var validators = map[string]string{"base": "istiod-default-validator", "istiod": "istio-validator"}

// An upgrade differs from an installation in nothing but the failure policy of validation, which istiod has set by then;
// and with profile gitops, where every render may be either, in nothing at all.
func TestUpgradeDiffersOnlyInTheFailurePolicy(t *testing.T) {
	t.Parallel()
	for n, name := range chartNames {
		for m, base := range bases(t, name) {
			for _, profile := range []string{"", "gitops"} {
				if validators[name] == "" && (m == 0 || profile == "gitops") {
					continue // no template of these charts asks which of the two it is
				}
				for _, engine := range inTurn(n + m) {
					t.Run(fmt.Sprintf("%s/%s/%s/%s", name, base.name, profile, engine), func(t *testing.T) {
						t.Parallel()
						c := cell{profile, values.Copy(base.values)}
						if profile != "" {
							c.values["profile"] = profile
						}
						// What the user says about it is no default.
						values.Delete(c.values, []string{"base", "validationFailurePolicy"})
						values.Delete(c.values, []string{"base", "validationCABundle"})
						r := c.rendering(name, engine)
						r.IsUpgrade = true
						upgrade, err := r.objects(t)
						require.NoError(t, err)
						found := differences(c.objects(t, name, engine), upgrade)
						if profile == "gitops" || validators[name] == "" {
							assert.Empty(t, found)
							return
						}
						require.Len(t, found, 1)
						assert.True(t, strings.HasPrefix(found[0], "admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration /"+validators[name]), found[0])
						assert.Contains(t, found[0], `"  failurePolicy: Ignore"`)
						for _, d := range upgrade.all("ValidatingWebhookConfiguration") {
							assert.NotContains(t, d.text, "failurePolicy")
						}
					})
				}
			}
		}
	}
}

// What the user says about the failure policy holds at installation and upgrade alike.
func TestUsersFailurePolicyIsRendered(t *testing.T) {
	t.Parallel()
	for n, name := range []string{"base", "istiod"} {
		for m, policy := range []string{"Fail", "Ignore"} {
			for _, upgrade := range []bool{false, true} {
				for _, engine := range inTurn(n + m) {
					t.Run(fmt.Sprintf("%s/%s/%t/%s", name, policy, upgrade, engine), func(t *testing.T) {
						t.Parallel()
						r := cell{policy, parse(t, "base: {validationFailurePolicy: "+policy+"}")}.rendering(name, engine)
						r.IsUpgrade = upgrade
						got, err := r.objects(t)
						require.NoError(t, err)
						assert.Equal(t, policy, string(failurePolicy(t, got)))
					})
				}
			}
		}
	}
}
