package injection

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pmezard/go-difflib/difflib"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

const goldenDir = "testdata/golden"

// TestGolden compares what becomes of each input under each setting with testdata/golden/SETTING/INPUT.yaml.
func TestGolden(t *testing.T) {
	all := inputs(t)
	want := map[string]bool{}
	for _, s := range settings(t) {
		guarded := 0
		for _, in := range all {
			if s.guards(in.name) {
				want[goldenFile(s.Name, in.name)] = true
				guarded++
			}
		}
		if guarded < len(s.Inputs) {
			t.Errorf("setting %s: inputs name files that are not there: %v", s.Name, s.Inputs)
		}
		t.Run(s.Name, func(t *testing.T) {
			p := planeOf(t, s.Name)
			p.parallel(t)
			d, err := p.newDeployer(all, p.values)
			if err != nil {
				t.Fatal(err)
			}
			for _, in := range all {
				if !s.guards(in.name) {
					continue
				}
				t.Run(in.name, func(t *testing.T) {
					text, err := report(p, d, in)
					if err != nil {
						t.Fatal(err)
					}
					compare(t, goldenFile(s.Name, in.name), text)
				})
			}
		})
	}
	t.Run("orphans", func(t *testing.T) { orphans(t, want) })
}

func goldenFile(setting, input string) string {
	return filepath.Join(goldenDir, setting, input+".yaml")
}

// compare checks a golden file, or writes it.
func compare(t *testing.T, file string, text []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	golden, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%s is missing: %s writes it", file, updateCommand)
	}
	golden = bytes.ReplaceAll(golden, []byte("\r\n"), []byte("\n"))
	if bytes.Equal(golden, text) {
		return
	}
	diff, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: difflib.SplitLines(string(golden)), B: difflib.SplitLines(string(text)),
		FromFile: file, ToFile: "now", Context: 3,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Errorf("%s is stale: read the difference, then %s writes it anew\n%s", file, updateCommand, diff)
}

// orphans finds files that no setting and input make, or removes them.
func orphans(t *testing.T, want map[string]bool) {
	t.Helper()
	err := filepath.WalkDir(goldenDir, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || entry.IsDir() || want[file]:
			return err
		case *update:
			return os.Remove(file)
		}
		t.Errorf("%s is an orphan: no setting and input make it; %s removes it", file, updateCommand)
		return nil
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
}

// report is the text of a golden file: all that the cluster makes of an input.
func report(p *plane, d *deployer, in *input) ([]byte, error) {
	var out bytes.Buffer
	for _, pod := range in.pods {
		name := pod.Name
		if name == "" {
			name = pod.GenerateName
		}
		fmt.Fprintf(&out, "---\n# Pod %s/%s: ", pod.Namespace, name)
		o, err := p.admit(pod)
		switch {
		case err != nil:
			return nil, fmt.Errorf("pod %s: %w", name, err)
		case o.webhook == "":
			out.WriteString("no webhook is called.\n")
		case o.refusal != "":
			fmt.Fprintf(&out, "refused. %s\n", strings.Join(strings.Fields(o.refusal), " "))
		case !o.patched:
			fmt.Fprintf(&out, "left alone by %s.\n", o.webhook)
		default:
			fmt.Fprintf(&out, "injected by %s.\n", o.webhook)
			if err := write(&out, o.after); err != nil {
				return nil, err
			}
		}
	}
	for _, gw := range in.gateways {
		objects, err := d.deploy(gw)
		if err != nil {
			return nil, fmt.Errorf("Gateway %s: %w", gw.Name, err)
		}
		fmt.Fprintf(&out, "---\n# Gateway %s/%s: %d objects.\n", gw.Namespace, gw.Name, len(objects))
		for n, o := range objects {
			if n > 0 {
				out.WriteString("---\n")
			}
			if err := write(&out, o); err != nil {
				return nil, err
			}
		}
	}
	return bytes.TrimPrefix(out.Bytes(), []byte("---\n")), nil
}

// write appends an object as YAML, without what Go adds to each.
func write(out *bytes.Buffer, object any) error {
	text, err := json.Marshal(object)
	if err != nil {
		return err
	}
	u := &unstructured.Unstructured{}
	if err := json.Unmarshal(text, &u.Object); err != nil {
		return err
	}
	prune(u.Object)
	text, err = yaml.Marshal(u.Object)
	out.Write(text)
	return err
}

// prune removes nulls, and the structs that Go writes also where they are empty.
func prune(value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			prune(inner)
			m, isMap := inner.(map[string]any)
			if inner == nil || isMap && len(m) == 0 && (key == "resources" || key == "status") {
				delete(v, key)
			}
		}
	case []any:
		for _, inner := range v {
			prune(inner)
		}
	}
}
