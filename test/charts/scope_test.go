package charts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stratamesh/strata/internal/values"
)

// resourceScope parts all objects by their real scope: cluster and namespace have nothing in common, together they are
// all, and the texts are the same.
func TestScopesPartTheObjects(t *testing.T) {
	t.Parallel()
	for _, name := range chartNames {
		for n, base := range bases(t, name) {
			if raceEnabled && n == 0 {
				continue // for the time it takes
			}
			place := [][]string{{"resourceScope"}, {"global", "resourceScope"}}[n]
			// It brings objects of the cluster to charts that have none else.
			platform := []string{"", "openshift"}[n]
			for _, engine := range inTurn(n) {
				t.Run(fmt.Sprintf("%s/%s/%s", name, base.name, engine), func(t *testing.T) {
					t.Parallel()
					scoped := func(scope string) result {
						c := cell{scope, values.Copy(base.values)}
						c.values["platform"] = platform
						if scope != "" {
							values.Set(c.values, place, scope)
						}
						return c.objects(t, name, engine).withoutRecord()
					}
					var wide, narrow result
					for _, d := range scoped("").docs {
						if kinds[d.typeOf()].namespaced {
							narrow.docs = append(narrow.docs, d)
						} else {
							wide.docs = append(wide.docs, d)
						}
					}
					require.NotEmpty(t, narrow.docs)
					wants := map[string]result{"cluster": wide, "namespace": narrow}
					if !raceEnabled {
						wants["all"] = scoped("")
					}
					for scope, want := range wants {
						assert.Empty(t, slices.DeleteFunc(differences(want, scoped(scope)), isScopeOfInjector), scope)
					}
				})
			}
		}
	}
}

// isScopeOfInjector says whether a difference is only that the injector has the scope among its values.
func isScopeOfInjector(difference string) bool {
	return strings.Contains(difference, "ConfigMap mesh/istio-sidecar-injector") && strings.Contains(difference, "resourceScope")
}
