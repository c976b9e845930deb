package manifest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stratamesh/strata/pkg/manifest"
)

func TestRules(t *testing.T) {
	service := manifest.ID{Kind: "Service", Namespace: "istio-system", Name: "istio-pilot"}
	role := manifest.ID{Kind: "ClusterRole", Group: "rbac.authorization.k8s.io", Name: "system:node"}
	for _, c := range []struct {
		rule string
		id   manifest.ID
		want bool
	}{
		{"::", service, true},
		{"*:*:*", role, true},
		{"Service:istio-system:istio-pilot", service, true},
		{"Service:istio-system:istio", service, false},
		{"Service:istio-*:*-pilot", service, true},
		{"service::", service, false},
		{"Serv::", service, false},
		{"Service:-:", service, false},
		{":-:", role, true},
		{"ClusterRole.rbac.authorization.k8s.io::", role, true},
		{"ClusterRole.rbac.*::", role, true},
		{"ClusterRole.::", role, false},
		{"Service.::", service, true},
		{"*.apps::", service, false},
		{`::"system:node"`, role, true},
		{"::system*node", role, true},
		{"Service::istio-pilot:spec.ports", service, true},
	} {
		r, err := manifest.ParseRule(c.rule)
		require.NoError(t, err, c.rule)
		assert.Equal(t, c.want, r.Matches(c.id), "%s and %s", c.rule, c.id)
		assert.Equal(t, c.rule, r.String())
	}
}

func TestRulesAreSeparatedByCommas(t *testing.T) {
	rules, err := manifest.ParseRules(`Service::,ConfigMap::a:data["x,y"] , Pod:::spec.containers[name=a,image="b,c"].env`, `::"a,b"`)
	require.NoError(t, err)
	var texts []string
	for _, r := range rules {
		texts = append(texts, r.String())
	}
	assert.Equal(t, []string{"Service::", `ConfigMap::a:data["x,y"]`, `Pod:::spec.containers[name=a,image="b,c"].env`, `::"a,b"`}, texts)
}

func TestEveryBrokenRuleIsReported(t *testing.T) {
	_, err := manifest.ParseRules("Service,ConfigMap::a:data[", "", `::"a`)
	require.ErrorIs(t, err, manifest.ErrSyntax)
	require.EqualError(t, err, `rule "Service": is not of the form Kind:namespace:name or Kind:namespace:name:path, each of which may be empty or hold *
rule "ConfigMap::a:data[": path "data[": a bracket is not closed; a name that holds a colon stands in quotes
rule "": is not of the form Kind:namespace:name or Kind:namespace:name:path, each of which may be empty or hold *
rule "::\"a": a quote is not closed`)
	_, err = manifest.ParseRule("A:b:c:")
	require.ErrorContains(t, err, "is empty")
	_, err = manifest.ParseRule(`A:b:"c"d`)
	require.ErrorContains(t, err, "after the name comes : and a path")
}

func TestRenames(t *testing.T) {
	id := manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "istio-system", Name: "istio-pilot-v1"}
	for _, c := range []struct {
		rename string
		want   string
		group  string
	}{
		{"::->::", "Deployment:istio-system:istio-pilot-v1", "apps"},
		{"::istio-pilot-v1->::pilot", "Deployment:istio-system:pilot", "apps"},
		{"::istio-*-v1->::*", "Deployment:istio-system:pilot", "apps"},
		{"::*-v1->::*-v2", "Deployment:istio-system:istio-pilot-v2", "apps"},
		{"::*-*-v1->::*_*", "Deployment:istio-system:istio_pilot", "apps"},
		{":*:->:*-new:", "Deployment:istio-system-new:istio-pilot-v1", "apps"},
		{"::->:*:*", "Deployment:istio-system:istio-pilot-v1", "apps"},
		{"::->:-:", "Deployment:-:istio-pilot-v1", "apps"},
		{"Deployment.apps::->Deployment.apps.k8s.io::", "Deployment:istio-system:istio-pilot-v1", "apps.k8s.io"},
		{"Deployment::->DaemonSet::", "DaemonSet:istio-system:istio-pilot-v1", "apps"},
		{"::other->::x", "", ""},
	} {
		r, err := manifest.ParseRename(c.rename)
		require.NoError(t, err, c.rename)
		assert.Equal(t, c.rename, r.String())
		to, ok := r.Target(id)
		if c.want == "" {
			assert.False(t, ok)
			continue
		}
		assert.True(t, ok, c.rename)
		assert.Equal(t, c.want, to.String(), c.rename)
		assert.Equal(t, c.group, to.Group, c.rename)
	}
	renames, err := manifest.ParseRenames("::a->::b, ::c->::d", `::"x->y"->::z`)
	require.NoError(t, err)
	assert.Len(t, renames, 3)
	assert.Equal(t, "x->y", renames[2].From.Name)
	_, err = manifest.ParseRenames("::a->::b,::c", "x->y")
	require.ErrorIs(t, err, manifest.ErrSyntax)
}

func TestRulesCanBeReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "*", "a:b", "a,b", "-", "->", ` " `, "\\", "A.b"}))
		r := manifest.Rule{Kind: part.Draw(t, "kind"), Namespace: part.Draw(t, "namespace"), Name: part.Draw(t, "name")}
		if rapid.Bool().Draw(t, "has a path") {
			var err error
			r.Path, err = manifest.ParsePattern(manifest.Path(rapid.SliceOfN(steps(), 1, 3).Draw(t, "path")).String())
			require.NoError(t, err)
		}
		again, err := manifest.ParseRules(r.String() + ", " + r.String())
		require.NoError(t, err, r.String())
		assert.Equal(t, []manifest.Rule{r, r}, again)
	})
}

func FuzzParseRule(f *testing.F) {
	for _, s := range []string{"Service:istio-system:istio-pilot", `::"system:node":rules[0]`, `*:::metadata.labels["helm.sh/*"]`, "a:b", "::a->::b", "A.b:-:c*"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if r, err := manifest.ParseRule(s); err != nil {
			require.ErrorIs(t, err, manifest.ErrSyntax)
		} else {
			again, err := manifest.ParseRules(r.String())
			require.NoError(t, err, "%q written as %q", s, r)
			require.Equal(t, []manifest.Rule{r}, again, "%q written as %q", s, r)
		}
		if r, err := manifest.ParseRename(s); err != nil {
			require.ErrorIs(t, err, manifest.ErrSyntax)
		} else {
			again, err := manifest.ParseRenames(r.String())
			require.NoError(t, err, "%q written as %q", s, r)
			require.Equal(t, []manifest.Rename{r}, again, "%q written as %q", s, r)
			r.Target(manifest.ID{Kind: "A", Group: "b", Namespace: "c", Name: "d-e"})
		}
	})
}
