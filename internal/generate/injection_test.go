package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestInjection(t *testing.T) {
	const head = "# What it is for.\n"
	tests := []struct {
		reason  string
		files   map[string]string
		want    string // the assembled t.yaml
		wantErr string
	}{
		{
			reason: "comments of both kinds go, all else stays",
			files: map[string]string{
				"t.yaml": head + "\n{{- /* one\nof two lines */ -}}\na: 1 # kept\n  # gone\nb: '#'\n",
			},
			want: "a: 1 # kept\nb: '#'\n",
		},
		{
			reason: "the directive's indentation goes before every line that is not blank, at every depth",
			files: map[string]string{
				"t.yaml":            head + "a:\n  # include: parts/outer.yaml\nz: 1\n",
				"parts/outer.yaml":  head + "b:\n  # include: parts/inner.yaml\n\nd: 1\n",
				"parts/inner.yaml":  "c: {{ .X }}\n{{- if .Y }}\ne: 1\n{{- end }}\n",
				"second.yaml":       "# include: parts/inner.yaml\n",
				"parts/ignored.txt": "not a part\n",
			},
			want: "a:\n  b:\n    c: {{ .X }}\n    {{- if .Y }}\n    e: 1\n    {{- end }}\n\n  d: 1\nz: 1\n",
		},
		{
			reason:  "a part that does not exist",
			files:   map[string]string{"t.yaml": "# include: parts/missing.yaml\n"},
			wantErr: `manifests/injection/t.yaml: no part "parts/missing.yaml"`,
		},
		{
			reason:  "a template is no part",
			files:   map[string]string{"t.yaml": "# include: u.yaml\n", "u.yaml": "a: 1\n"},
			wantErr: `no part "u.yaml"`,
		},
		{
			reason: "a cycle, with its way",
			files: map[string]string{
				"t.yaml":       "# include: parts/a.yaml\n",
				"parts/a.yaml": "# include: parts/b.yaml\n",
				"parts/b.yaml": "# include: parts/a.yaml\n",
			},
			wantErr: "t.yaml > parts/a.yaml > parts/b.yaml > parts/a.yaml",
		},
		{
			reason: "a part that only an unused part includes is unused too",
			files: map[string]string{
				"t.yaml":       "a: 1\n",
				"parts/a.yaml": "# include: parts/b.yaml\n",
				"parts/b.yaml": "b: 1\n",
			},
			wantErr: "manifests/injection/parts/a.yaml: no template includes this part",
		},
		{
			reason:  "no sources at all",
			wantErr: "no templates in manifests/injection",
		},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			root := t.TempDir()
			for name, text := range test.files {
				if err := write(filepath.Join(root, injectionSources, name), []byte(text)); err != nil {
					t.Fatal(err)
				}
			}
			files, err := injection(root)
			if test.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), test.wantErr) {
					t.Fatalf("error %v, want one with %q", err, test.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := string(files[injectionOutput+"/t.yaml"]); got != test.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, test.want)
			}
		})
	}
}

// TestInjectionSources assembles the repository's own templates: they are there, and nothing of a directive is left.
func TestInjectionSources(t *testing.T) {
	root := filepath.Join("..", "..")
	if _, err := os.Stat(filepath.Join(root, injectionSources)); err != nil {
		t.Fatal(err)
	}
	files, err := injection(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"agentgateway", "agentgateway-waypoint", "gateway", "grpc-agent", "grpc-simple", "kube-gateway", "sidecar", "waypoint",
	} {
		text, ok := files[injectionOutput+"/"+name+".yaml"]
		if !ok {
			t.Errorf("no template %s", name)
		}
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(strings.TrimSpace(line), "#") {
				t.Errorf("%s: a comment is left: %s", name, line)
			}
		}
	}
}
