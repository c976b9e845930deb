package manifest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stratamesh/strata/pkg/manifest"
)

func TestPaths(t *testing.T) {
	for _, c := range []struct {
		text string
		path manifest.Path
		// canonical is what String returns, where it is not text.
		canonical string
	}{
		{"spec.replicas", manifest.Path{manifest.Key("spec"), manifest.Key("replicas")}, ""},
		{`data["values.json"].a`, manifest.Path{manifest.Key("data"), manifest.Key("values.json"), manifest.Key("a")}, ""},
		{`["a/b"]`, manifest.Path{manifest.Key("a/b")}, ""},
		{`["a"]["b"]`, manifest.Path{manifest.Key("a"), manifest.Key("b")}, "a.b"},
		{`a[""]`, manifest.Path{manifest.Key("a"), manifest.Key("")}, ""},
		{"a.b/c", manifest.Path{manifest.Key("a"), manifest.Key("b/c")}, `a["b/c"]`},
		{"a.*", manifest.Path{manifest.Key("a"), manifest.Key("*")}, `a["*"]`},
		{"spec.ports[port=53,protocol=UDP].targetPort", manifest.Path{
			manifest.Key("spec"), manifest.Key("ports"), manifest.Item{{Name: "port", Value: "53"}, {Name: "protocol", Value: "UDP"}}, manifest.Key("targetPort"),
		}, ""},
		{`a[name="x, y"][0]`, manifest.Path{manifest.Key("a"), manifest.Item{{Name: "name", Value: "x, y"}}, manifest.Index(0)}, ""},
		{`a[name=""]`, manifest.Path{manifest.Key("a"), manifest.Item{{Name: "name", Value: ""}}}, ""},
		{`a[mountPath=/etc/x.y:z]`, manifest.Path{manifest.Key("a"), manifest.Item{{Name: "mountPath", Value: "/etc/x.y:z"}}}, ""},
		{`metadata.finalizers[=istio.io/x]`, manifest.Path{manifest.Key("metadata"), manifest.Key("finalizers"), manifest.Member("istio.io/x")}, ""},
		{`a[="]"][=""]`, manifest.Path{manifest.Key("a"), manifest.Member("]"), manifest.Member("")}, ""},
		{"[12][0].é", manifest.Path{manifest.Index(12), manifest.Index(0), manifest.Key("é")}, ""},
	} {
		t.Run(c.text, func(t *testing.T) {
			got, err := manifest.ParsePath(c.text)
			require.NoError(t, err)
			assert.Equal(t, c.path, got)
			want := c.canonical
			if want == "" {
				want = c.text
			}
			assert.Equal(t, want, got.String())
		})
	}
}

func TestBrokenPaths(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "is empty",
		".a":                      "an empty key",
		"a..b":                    "an empty key",
		"a.":                      "an empty key",
		"a[":                      "a bracket is not closed",
		"a[0":                     "a bracket is not closed",
		"a[]":                     "in brackets stands",
		"a[x]":                    "in brackets stands",
		"a[-1]":                   "in brackets stands",
		"a[01]":                   "[01] is no place in a list",
		"a[*]":                    "[*] stands for many items",
		"a[0]b":                   "after ] comes a dot or [",
		"a]":                      `the key "a]" holds one of`,
		`a["b]`:                   "lacks its closing quote",
		`a["b" ]`:                 "in brackets stands",
		`a["b"=c]`:                "",
		"a[=]":                    "an item of a set is written",
		"a[b=c":                   "a bracket is not closed",
		`a[b="c`:                  "in brackets",
		`a[b=]`:                   "after a field",
		"a[b=c,]":                 "in brackets stands",
		"a[99999999999999999999]": "is no place in a list",
	} {
		_, err := manifest.ParsePath(text)
		if want == "" {
			require.NoError(t, err, text)
			continue
		}
		require.ErrorIs(t, err, manifest.ErrSyntax, text)
		require.ErrorContains(t, err, want, text)
	}
}

func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern string
		path    string
		want    bool
	}{
		{"spec", "spec", true},
		{"spec", "spec.replicas", true},
		{"spec", "spec.containers[name=a].image", true},
		{"spec.replicas", "spec", false},
		{"spec", "specs", false},
		{"spe*", "specs.x", true},
		{"*.replicas", "spec.replicas", true},
		{"*", "spec[0]", true},
		{`metadata.labels["helm.sh/*"]`, `metadata.labels["helm.sh/chart"]`, true},
		{`metadata.labels["helm.sh/*"]`, `metadata.labels.app`, false},
		{"a[*].b", "a[0].b", true},
		{"a[*].b", "a[name=x].b.c", true},
		{"a[*]", "a[=x]", true},
		{"a[*]", "a.b", false},
		{"a[0]", "a[0].x", true},
		{"a[0]", "a[1]", false},
		{"a[0]", "a[name=x]", false},
		{"a[name=x*]", "a[name=xyz]", true},
		{"a[name=x*]", "a[name=yx]", false},
		{"a[port=53]", "a[port=53,protocol=UDP]", true},
		{"a[protocol=UDP,port=5*]", "a[port=53,protocol=UDP]", true},
		{"a[port=53,name=x]", "a[port=53,protocol=UDP]", false},
		{"a[=x*]", "a[=xy]", true},
		{"a[=x]", "a[=xy]", false},
	} {
		p, err := manifest.ParsePattern(c.pattern)
		require.NoError(t, err, c.pattern)
		path, err := manifest.ParsePath(c.path)
		require.NoError(t, err, c.path)
		assert.Equal(t, c.want, p.Matches(path), "%s and %s", c.pattern, c.path)
	}
}

func TestLookup(t *testing.T) {
	objects, err := manifest.Parse("x", []byte(`
apiVersion: v1
kind: Service
metadata: {name: s, finalizers: [a, b]}
data: {f: "a: [{b: 1}]", g: text}
spec:
  ports:
  - {port: 53, protocol: UDP, name: dns}
  - {port: 53, name: dns-tcp}
  - {port: 53, protocol: TCP, name: exact}
  - {port: 80, name: http}
`))
	require.NoError(t, err)
	for path, want := range map[string]any{
		"kind":                                  "Service",
		"spec.ports[0].name":                    "dns",
		"spec.ports[port=53,protocol=UDP].name": "dns",
		"spec.ports[port=53,protocol=TCP].name": "exact",
		"spec.ports[port=80,protocol=TCP].name": "http",
		"metadata.finalizers[=b]":               "b",
		"data.f.a[0].b":                         int64(1),
		"spec.ports[9]":                         nil,
		"spec.ports[port=81]":                   nil,
		"spec.ports.name":                       nil,
		"spec[0]":                               nil,
		"metadata.finalizers[=c]":               nil,
		"data.g.x":                              nil,
		"absent.x":                              nil,
	} {
		p, err := manifest.ParsePath(path)
		require.NoError(t, err)
		got, found := p.Lookup(objects[0].Value)
		assert.Equal(t, want, got, path)
		assert.Equal(t, want != nil, found, path)
	}
}

// steps draws steps with any text in them.
func steps() *rapid.Generator[manifest.Step] {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"name", "a.b", "", "*", "x,y", "=", "]", `"`, "a b", "\\", "é", "0"}))
	return rapid.OneOf(
		rapid.Map(text, func(s string) manifest.Step { return manifest.Key(s) }),
		rapid.Map(rapid.IntRange(0, 1000), func(n int) manifest.Step { return manifest.Index(n) }),
		rapid.Map(text, func(s string) manifest.Step { return manifest.Member(s) }),
		rapid.Map(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) manifest.Field {
			return manifest.Field{Name: text.Draw(t, "name"), Value: text.Draw(t, "value")}
		}), 1, 3), func(f []manifest.Field) manifest.Step { return manifest.Item(f) }),
	)
}

func TestPathsCanBeReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := manifest.Path(rapid.SliceOfN(steps(), 1, 5).Draw(t, "path"))
		again, err := manifest.ParsePath(path.String())
		require.NoError(t, err, path.String())
		assert.Equal(t, path, again)
		assert.Zero(t, path.Compare(again))
	})
}

func TestPathsAreOrdered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		paths := rapid.SliceOfN(rapid.Map(rapid.SliceOfN(steps(), 0, 3), func(s []manifest.Step) manifest.Path { return s }), 3, 3).Draw(t, "paths")
		a, b, c := paths[0], paths[1], paths[2]
		assert.Equal(t, a.Compare(b), -b.Compare(a))
		if a.Compare(b) <= 0 && b.Compare(c) <= 0 {
			assert.LessOrEqual(t, a.Compare(c), 0)
		}
		if len(a) > 0 {
			assert.Positive(t, a.Compare(a[:len(a)-1]), "a path stands before those below it")
		}
	})
}

func FuzzParsePath(f *testing.F) {
	for _, s := range []string{"spec.replicas", `data["values.json"].a`, "a[b=c,d=e].f[0][*]", `a[="x y"]`, `["\u00e9\x00"]`, "a[", "a..b", `a["b"=c]`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		path, err := manifest.ParsePath(s)
		if err != nil {
			require.ErrorIs(t, err, manifest.ErrSyntax)
		} else {
			again, err := manifest.ParsePath(path.String())
			require.NoError(t, err, "%q written as %q", s, path)
			require.Equal(t, path, again)
			require.Equal(t, path.String(), again.String())
		}
		pattern, err := manifest.ParsePattern(s)
		if err != nil {
			return
		}
		again, err := manifest.ParsePattern(pattern.String())
		require.NoError(t, err, "%q written as %q", s, pattern)
		require.Equal(t, pattern, again)
		if path != nil {
			require.True(t, pattern.Matches(path), "%q matches itself", s)
		}
	})
}
