package injection

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// candidate makes a namespace and a pod in it from labels as "KEY=VALUE KEY=VALUE".
func candidate(namespaceName, namespaceLabels, podLabels string) (*corev1.Namespace, *corev1.Pod) {
	set := func(text string) map[string]string {
		m := map[string]string{}
		for _, pair := range strings.Fields(text) {
			key, value, _ := strings.Cut(pair, "=")
			m[key] = value
		}
		return m
	}
	ns, pod := &corev1.Namespace{}, &corev1.Pod{}
	ns.Name, ns.Labels, pod.Labels = namespaceName, set(namespaceLabels), set(podLabels)
	ns.Labels["kubernetes.io/metadata.name"] = namespaceName
	return ns, pod
}

// TestWebhookOfPod checks which of the chart's webhooks the API server calls, by the labels of the namespace and of the pod.
func TestWebhookOfPod(t *testing.T) {
	const none = ""
	for _, tc := range []struct {
		reason, setting, namespace, namespaceLabels, podLabels, want string
	}{
		{"nothing is said", "default", "n", "", "", none},
		{"the namespace asks", "default", "n", "istio-injection=enabled", "", "namespace"},
		{"the namespace refuses", "default", "n", "istio-injection=disabled", "", none},
		{"the pod asks", "default", "n", "", "sidecar.istio.io/inject=true", "object"},
		{"the pod refuses", "default", "n", "istio-injection=enabled", "sidecar.istio.io/inject=false", none},
		{"the namespace's refusal is stronger than the pod's wish", "default", "n", "istio-injection=disabled", "sidecar.istio.io/inject=true", none},
		{"the namespace names the revision", "default", "n", "istio.io/rev=default", "", "rev.namespace"},
		{"the pod refuses the namespace's revision", "default", "n", "istio.io/rev=default", "sidecar.istio.io/inject=false", none},
		{"the pod names the revision", "default", "n", "", "istio.io/rev=default", "rev.object"},
		{"another revision's namespace", "default", "n", "istio.io/rev=canary", "", none},
		{"another revision's pod", "default", "n", "", "istio.io/rev=canary", none},
		{"injection is stronger than a revision", "default", "n", "istio-injection=enabled istio.io/rev=canary", "", "namespace"},
		{"the namespace is stronger than the pod", "default", "n", "istio-injection=enabled", "istio.io/rev=canary", "namespace"},
		{"a revision's namespace", "revision", "n", "istio.io/rev=canary", "", "rev.namespace"},
		{"a tag's namespace", "revision", "n", "istio.io/rev=next", "", "rev.namespace"},
		{"a tag's pod", "revision", "n", "", "istio.io/rev=next", "rev.object"},
		{"a revision leaves to the default what names none", "revision", "n", "istio-injection=enabled", "", none},
		{"also where the pod asks", "revision", "n", "", "sidecar.istio.io/inject=true", none},
		{"all namespaces", "all-namespaces", "n", "", "", "auto"},
		{"all namespaces but those that refuse", "all-namespaces", "n", "istio-injection=disabled", "", none},
		{"all namespaces but not all pods", "all-namespaces", "n", "", "sidecar.istio.io/inject=false", none},
		{"all namespaces but those of Kubernetes", "all-namespaces", "kube-system", "", "", none},
		{"all namespaces but those of another revision", "all-namespaces", "n", "istio.io/rev=canary", "", none},
	} {
		t.Run(tc.setting+": "+tc.reason, func(t *testing.T) {
			called, err := planeOf(t, tc.setting).called(candidate(tc.namespace, tc.namespaceLabels, tc.podLabels))
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, w := range called {
				names = append(names, strings.Split(w.Name, ".sidecar-injector")[0])
			}
			if got := strings.Join(names, " "); !strings.HasPrefix(got, tc.want) || (got == none) != (tc.want == none) || len(names) > 1 {
				t.Errorf("called: %q, want %q", got, tc.want)
			}
		})
	}
}

// TestOneWebhookOfPod tries all combinations of labels: no pod is injected twice, also with two control planes side by side.
func TestOneWebhookOfPod(t *testing.T) {
	sides := [][]string{{"default", "revision"}, {"all-namespaces", "revision"}}
	choices := func(key string, values ...string) []string {
		all := []string{""}
		for _, v := range values {
			all = append(all, key+"="+v)
		}
		return all
	}
	for _, side := range sides {
		for _, injection := range choices("istio-injection", "enabled", "disabled") {
			for _, revision := range choices("istio.io/rev", "default", "canary", "next") {
				for _, wish := range choices("sidecar.istio.io/inject", "true", "false") {
					for _, podRevision := range choices("istio.io/rev", "default", "canary", "next") {
						ns, pod := candidate("n", injection+" "+revision, wish+" "+podRevision)
						var names []string
						for _, name := range side {
							called, err := planeOf(t, name).called(ns, pod)
							if err != nil {
								t.Fatal(err)
							}
							for _, w := range called {
								names = append(names, fmt.Sprintf("%s of %s", w.Name, name))
							}
						}
						if len(names) > 1 {
							t.Errorf("namespace %v, pod %v: %v", ns.Labels, pod.Labels, names)
						}
					}
				}
			}
		}
	}
}
