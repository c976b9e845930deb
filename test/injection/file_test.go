package injection

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"istio.io/istio/pkg/kube/inject"
)

// TestFile injects workloads in files, as `istioctl kube-inject` does: same templates, another way through the library.
func TestFile(t *testing.T) {
	for _, setting := range []string{"default", "ambient", "openshift", "cni"} {
		t.Run(setting, func(t *testing.T) {
			p := planeOf(t, setting)
			p.platform()
			for _, in := range inputs(t) {
				if len(in.gateways) > 0 || in.name == "refused" {
					continue
				}
				var out bytes.Buffer
				err := inject.IntoResourceFile(nil, p.config.Templates, p.values, p.variables["REVISION"], p.mesh,
					bytes.NewReader(in.text), &out, func(string) {})
				if err != nil {
					t.Errorf("%s: %v", in.name, err)
					continue
				}
				before, after := separator.Split(string(in.text), -1), separator.Split(out.String(), -1)
				if len(after) > 0 && strings.TrimSpace(after[len(after)-1]) == "" {
					after = after[:len(after)-1]
				}
				if len(before) != len(after) {
					t.Errorf("%s: %d objects of %d", in.name, len(after), len(before))
					continue
				}
				for n, text := range after {
					sent, got := templateIn(t, before[n]), templateIn(t, text)
					if sent == nil || got == nil || got.Annotations["sidecar.istio.io/status"] == "" {
						continue
					}
					for _, fault := range podFaults(sent, got) {
						t.Errorf("%s, object %d: %s", in.name, n, fault)
					}
				}
			}
		})
	}
}

// templateIn returns the pod, or the pod template, of an object; nil where it has none.
func templateIn(t *testing.T, text string) *corev1.Pod {
	t.Helper()
	tree := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &tree); err != nil {
		t.Fatal(err)
	}
	for _, path := range [][]string{{"spec", "jobTemplate", "spec", "template"}, {"spec", "template"}, nil} {
		at := tree
		for _, key := range path {
			at, _ = at[key].(map[string]any)
		}
		if spec, ok := at["spec"].(map[string]any); ok && spec["containers"] != nil {
			at = maps.Clone(at)
			maps.DeleteFunc(at, func(key string, _ any) bool {
				return !slices.Contains([]string{"apiVersion", "kind", "metadata", "spec"}, key)
			})
			if len(path) > 2 {
				// Istio writes what it adds to a CronJob's pods into the metadata of the Job template.
				at["metadata"] = tree["spec"].(map[string]any)["jobTemplate"].(map[string]any)["metadata"]
			}
			b, err := yaml.Marshal(at)
			if err != nil {
				t.Fatal(err)
			}
			pod := &corev1.Pod{}
			if err := strictYAML(b, pod); err != nil {
				t.Fatal(err)
			}
			// The volumes of a StatefulSet's claims come with its pods.
			claims, _ := tree["spec"].(map[string]any)["volumeClaimTemplates"].([]any)
			for _, claim := range claims {
				name, _ := claim.(map[string]any)["metadata"].(map[string]any)["name"].(string)
				pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: name})
			}
			return pod
		}
	}
	return nil
}
