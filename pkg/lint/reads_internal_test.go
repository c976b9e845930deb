package lint

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stratamesh/strata/pkg/profiles"
)

func TestReads(t *testing.T) {
	for _, c := range []struct {
		name, template string
		used, unused   []string
	}{
		{"a field", `{{ .Values.a.b }}`, []string{"a", "a.b", "a.b.c"}, []string{"a.c", "b"}},
		{"the root of the template", `{{ range list 1 }}{{ $.Values.a }}{{ end }}`, []string{"a"}, []string{"b"}},
		{"a variable", `{{ $x := .Values.a }}{{ $x.b }}`, []string{"a.b"}, []string{"a.c"}},
		{"assigned in a branch", `{{ $x := .Values.a }}{{ if .Values.i }}{{ $x = .Values.b }}{{ end }}{{ $x.c }}`, []string{"a.c", "b.c", "i"}, []string{"a.d"}},
		{"a condition looks at the value, not into it", `{{ if .Values.a }}yes{{ end }}`, []string{"a"}, []string{"a.b"}},
		{"with", `{{ with .Values.a }}{{ .b }}{{ else }}{{ .Values.c }}{{ end }}`, []string{"a.b", "c"}, []string{"a.c"}},
		{"else with", `{{ with .Values.a }}{{ else with .Values.b }}{{ .c }}{{ end }}`, []string{"b.c"}, []string{"b.d"}},
		{"range over a map", `{{ range $k, $v := .Values.a }}{{ $v.b }}{{ end }}`, []string{"a.x", "a.x.b"}, []string{"a.x.c"}},
		{"range over keys only", `{{ range $k, $_ := .Values.a }}{{ $k }}{{ end }}`, []string{"a.x"}, []string{"a.x.b", "b"}},
		{"what a loop assigns is seen in its next round", `{{ $x := dict }}{{ range list 1 2 }}{{ $x.b }}{{ $x = $.Values.a }}{{ end }}`, []string{"a.b"}, []string{"a.c"}},
		{"default", `{{ (.Values.a | default dict).b }}`, []string{"a.b"}, []string{"a.c"}},
		{"a fallback", `{{ .Values.a | default .Values.g.a }}`, []string{"a", "g.a"}, []string{"g.b"}},
		{"dig", `{{ dig "b" "c" "" .Values.a }}`, []string{"a.b.c"}, []string{"a.b.d", "a.c"}},
		{"dig by a variable", `{{ range $n := list "b" "c" }}{{ dig $n "d" "" $.Values.a }}{{ end }}`, []string{"a.b.d", "a.c.d"}, []string{"a.e.d", "a.b.e"}},
		{"dig by a value", `{{ dig .Values.n "d" "" .Values.a }}`, []string{"n", "a.x.d"}, []string{"a.x.e"}},
		{"get and index", `{{ get .Values.a "b" }}{{ index .Values "c" "d" }}`, []string{"a.b", "c.d"}, []string{"a.c", "c.e"}},
		{"pick", `{{ pick .Values.a "b" | toYaml }}`, []string{"a.b"}, []string{"a.c"}},
		{"omit", `{{ omit .Values.a "b" | toYaml }}`, []string{"a.c"}, nil},
		{"hasKey", `{{ if hasKey .Values.a "b" }}yes{{ end }}`, []string{"a.b"}, []string{"a.c", "a.b.c"}},
		{"toYaml", `{{ toYaml .Values.a }}`, []string{"a.b.c"}, []string{"b"}},
		{"an unknown function", `{{ frobnicate .Values.a 1 }}`, []string{"a.b.c"}, []string{"b"}},
		{"a method", `{{ .Files.Get .Values.file }}`, []string{"file"}, []string{"b"}},
		{"include", `{{ include "x" . }}{{ define "x" }}{{ .Values.a }}{{ end }}`, []string{"a"}, []string{"b"}},
		{"the keyword template", `{{ template "x" .Values.a }}{{ define "x" }}{{ .b }}{{ end }}`, []string{"a.b"}, []string{"a.c"}},
		{"a list of arguments", `{{ include "x" (list . "b" .Values.a) }}{{ define "x" }}{{ get (index . 2) (index . 1) }}{{ end }}`, []string{"a.b"}, []string{"a.c", "c"}},
		{"the rest of a list", `{{ include "x" (list . .Values.a .Values.b) }}{{ define "x" }}{{ range slice . 1 }}{{ .c }}{{ end }}{{ end }}`, []string{"a.c", "b.c"}, []string{"a.d", "c"}},
		{"a list made longer", `{{ include "x" (concat (list .) (list .Values.a)) }}{{ define "x" }}{{ (index . 1).b }}{{ end }}`, []string{"a.b"}, []string{"a.c", "b"}},
		{"a dictionary of arguments", `{{ include "x" (dict "root" . "v" .Values.a) }}{{ define "x" }}{{ .v.b }}{{ .root.Values.c }}{{ end }}`, []string{"a.b", "c"}, []string{"a.c", "b"}},
		{"a result in a dictionary", `{{ $d := dict }}{{ include "x" (dict "root" . "into" $d) }}{{ $d.r.b }}{{ define "x" }}{{ $_ := set .into "r" .root.Values.a }}{{ end }}`, []string{"a.b"}, []string{"a.c"}},
		{"set by a value", `{{ $d := dict }}{{ range $k, $v := .Values.a }}{{ $_ := set $d $k $v }}{{ end }}{{ $d.x.y }}`, []string{"a.x.y"}, []string{"a.x.z"}},
		{"merged", `{{ $d := merge (dict) .Values.a .Values.b }}{{ $d.c }}`, []string{"a.c", "b.c"}, []string{"a.d"}},
		{"a template by a name that is not known", `{{ include (print .Values.t) .Values.a }}`, []string{"t", "a.b"}, []string{"b"}},
		{"recursion", `{{ include "x" .Values.a }}{{ define "x" }}{{ .b }}{{ with .next }}{{ include "x" . }}{{ end }}{{ end }}`, []string{"a.b", "a.next.b", "a.next.next.next.b"}, []string{"a.c"}},
		{"only handed on", `{{ $x := .Values.a }}{{ $y := dict "a" $x }}`, nil, []string{"a", "a.b"}},
		{"a comment", `{{/* .Values.a */}}`, nil, []string{"a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			reads, err := findReads(map[string][]byte{"templates/a.yaml": []byte(c.template)}, "")
			require.NoError(t, err)
			for want, paths := range map[bool][]string{true: c.used, false: c.unused} {
				for _, text := range paths {
					path, err := profiles.ParsePath(text)
					require.NoError(t, err)
					assert.Equal(t, want, reads.uses(path), text)
				}
			}
		})
	}
}

// The engine moves values and the notes are for people: neither counts as reading. Injection templates see the section.
func TestReadsOfSpecialFiles(t *testing.T) {
	reads, err := findReads(map[string][]byte{
		"templates/_overlay.tpl":     []byte(`{{ define "x.overlay" }}{{ toYaml .Values }}{{ end }}`),
		"templates/NOTES.txt":        []byte(`{{ .Values.notes }}`),
		"templates/_lib.tpl":         []byte(`{{ define "x.never" }}{{ .Values.never }}{{ end }}`),
		"templates/a.yaml":           []byte(`{{ include "x.overlay" . }}{{ .Values.a }}`),
		"files/injection/b.yaml":     []byte(`{{ $values := omitNil .Values }}{{ $values.pilot.b }}{{ .Values.global.c }}`),
		"files/profiles/ambient.yml": []byte(`{{`),
	}, "pilot")
	require.NoError(t, err)
	for path, want := range map[string]bool{"a": true, "b": true, "global.c": true, "global.hub": true, "notes": false, "never": false, "d": false, "global.d": false} {
		p, err := profiles.ParsePath(path)
		require.NoError(t, err)
		assert.Equal(t, want, reads.uses(p), path)
	}
}
