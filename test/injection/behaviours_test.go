package injection

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"istio.io/istio/pkg/kube/inject"
)

// podNamed returns the pod of an input whose name, or whose workload's name, is given.
func podNamed(t *testing.T, input, name string) *corev1.Pod {
	t.Helper()
	for _, pod := range inputNamed(t, input).pods {
		if pod.Name == name || pod.Name == "" && strings.HasPrefix(pod.GenerateName, name+"-") {
			return pod
		}
	}
	t.Fatalf("%s: no pod %s", input, name)
	return nil
}

// proxyOf returns the proxy of an injected pod.
func proxyOf(t *testing.T, pod *corev1.Pod) *corev1.Container {
	t.Helper()
	proxy := inject.FindSidecar(pod)
	if proxy == nil {
		t.Fatalf("no istio-proxy in %s", pod.Name)
	}
	return proxy
}

// variable returns the value of a variable of a container; "-" where it is not set.
func variable(c *corev1.Container, name string) string {
	for _, e := range c.Env {
		if e.Name == name {
			return e.Value
		}
	}
	return "-"
}

func initNames(pod *corev1.Pod) string {
	var names []string
	for _, c := range pod.Spec.InitContainers {
		names = append(names, c.Name)
	}
	return strings.Join(names, " ")
}

func names(pod *corev1.Pod) string {
	var names []string
	for _, c := range pod.Spec.Containers {
		names = append(names, c.Name)
	}
	return strings.Join(names, " ")
}

// TestInjected checks what a user relies on, one pod a row.
func TestInjected(t *testing.T) {
	type check func(t *testing.T, pod *corev1.Pod)
	equal := func(what string, got func(*testing.T, *corev1.Pod) string, want string) check {
		return func(t *testing.T, pod *corev1.Pod) {
			t.Helper()
			if g := got(t, pod); g != want {
				t.Errorf("%s: %q, want %q", what, g, want)
			}
		}
	}
	env := func(name, want string) check {
		return equal(name, func(t *testing.T, pod *corev1.Pod) string { return variable(proxyOf(t, pod), name) }, want)
	}
	label := func(name, want string) check {
		return equal(name, func(_ *testing.T, pod *corev1.Pod) string { return pod.Labels[name] }, want)
	}
	note := func(name, want string) check {
		return equal(name, func(_ *testing.T, pod *corev1.Pod) string { return pod.Annotations[name] }, want)
	}
	image := func(want string) check {
		return equal("image", func(t *testing.T, pod *corev1.Pod) string { return proxyOf(t, pod).Image }, want)
	}
	inits := func(want string) check {
		return equal("init containers", func(_ *testing.T, pod *corev1.Pod) string { return initNames(pod) }, want)
	}
	containers := func(want string) check {
		return equal("containers", func(_ *testing.T, pod *corev1.Pod) string { return names(pod) }, want)
	}
	resources := func(want string) check {
		return equal("resources", func(t *testing.T, pod *corev1.Pod) string {
			text, err := json.Marshal(proxyOf(t, pod).Resources)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}, want)
	}
	arguments := func(container string, want ...string) check {
		return func(t *testing.T, pod *corev1.Pod) {
			t.Helper()
			c := inject.FindContainerFromPod(container, pod)
			if c == nil {
				t.Fatalf("no container %s", container)
			}
			if !strings.Contains(" "+strings.Join(c.Args, " ")+" ", " "+strings.Join(want, " ")+" ") {
				t.Errorf("%s: %v in %v", container, want, c.Args)
			}
		}
	}
	secrets := func(want ...string) check {
		return func(t *testing.T, pod *corev1.Pod) {
			t.Helper()
			var got []string
			for _, s := range pod.Spec.ImagePullSecrets {
				got = append(got, s.Name)
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("pull secrets %v, want %v", got, want)
			}
		}
	}
	user := func(container string, want int64) check {
		return func(t *testing.T, pod *corev1.Pod) {
			t.Helper()
			c := inject.FindContainerFromPod(container, pod)
			if c == nil || c.SecurityContext == nil || c.SecurityContext.RunAsUser == nil || *c.SecurityContext.RunAsUser != want {
				t.Errorf("%s does not run as %d: %+v", container, want, c)
			}
		}
	}
	volume := func(name string, right func(v corev1.Volume) bool) check {
		return func(t *testing.T, pod *corev1.Pod) {
			t.Helper()
			n := slices.IndexFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == name })
			if n < 0 {
				t.Fatalf("no volume %s", name)
			}
			if !right(pod.Spec.Volumes[n]) {
				text, err := json.Marshal(pod.Spec.Volumes[n])
				t.Errorf("volume %s: %s %v", name, text, err)
			}
		}
	}

	for _, tc := range []struct {
		reason, setting, input, pod string
		checks                      []check
	}{
		{"the sidecar is a native one that starts before the application's init containers", "default", "init-containers", "search", []check{
			inits("istio-init istio-proxy migrate index-cache"), containers("search"),
		}},
		{"old kubelets get a usual container, and the traffic is redirected last", "old-nodes", "init-containers", "search", []check{
			inits("migrate index-cache istio-init"), containers("search istio-proxy"),
		}},
		{"the pod may ask for a native sidecar", "old-nodes", "native-sidecar", "courier-native", []check{inits("istio-init istio-proxy wait")}},
		{"the pod may refuse a native sidecar", "default", "native-sidecar", "courier-container", []check{containers("courier istio-proxy")}},
		{"with CNI the check comes first", "old-nodes-cni", "init-containers", "search", []check{inits("istio-validation migrate index-cache")}},
		{"applications wait: the proxy is the first container", "hold", "deployment", "cart", []check{containers("istio-proxy web")}},
		{"the pod alone waits", "old-nodes", "proxy-config", "loyalty", []check{containers("istio-proxy loyalty")}},

		{"ambient mode turns on HBONE", "ambient", "deployment", "cart", []check{
			env("ISTIO_META_ENABLE_HBONE", "true"), label("networking.istio.io/tunnel", "http"), image("example.org/istio/proxyv2:test-distroless"),
		}},
		{"no HBONE otherwise", "default", "deployment", "cart", []check{env("ISTIO_META_ENABLE_HBONE", "-"), label("networking.istio.io/tunnel", "")}},
		{"the pod's labels about the mesh are kept", "ambient", "labels", "legacy", []check{
			label("networking.istio.io/tunnel", "none"), label("security.istio.io/tlsMode", "disabled"), env("ISTIO_META_NETWORK", "basement"),
			label("service.istio.io/canonical-name", "old-things"), label("service.istio.io/canonical-revision", "last"),
		}},

		{"OpenShift: Multus attaches the pod to the plugin's network", "openshift", "deployment", "cart", []check{
			note("k8s.v1.cni.cncf.io/networks", "default/istio-cni"), inits("istio-validation istio-proxy"),
		}},
		{"OpenShift: the namespace gives the user id", "openshift", "deployment", "cart", []check{
			user("istio-proxy", 1000689999), user("istio-validation", 1000689999), arguments("istio-validation", "-u", "1000689999"),
		}},
		{"OpenShift: networks of the pod stay, as a list", "openshift", "multus", "camera", []check{note("k8s.v1.cni.cncf.io/networks", "storage-net, default/istio-cni")}},
		{"OpenShift: networks of the pod stay, as JSON", "openshift", "multus", "camera-json", []check{
			note("k8s.v1.cni.cncf.io/networks", `[{"name":"storage-net","interface":"net1"}, {"name": "istio-cni", "namespace": "default"}]`),
		}},
		{"OpenShift: Istio's network stands there once", "openshift", "multus", "camera-done", []check{note("k8s.v1.cni.cncf.io/networks", "default/istio-cni")}},
		{"CNI without Multus leaves the networks alone", "cni", "multus", "camera", []check{note("k8s.v1.cni.cncf.io/networks", "storage-net")}},
		{"OpenShift: the owner is a DeploymentConfig", "openshift", "deploymentconfig", "counter", []check{
			env("ISTIO_META_OWNER", "kubernetes://apis/v1/namespaces/shop/deploymentconfigs/counter"), env("ISTIO_META_WORKLOAD_NAME", "counter"),
		}},

		{"CNI: the plugin reads the interception from annotations", "cni", "traffic", "pricing", []check{
			note("sidecar.istio.io/interceptionMode", "REDIRECT"),
			note("traffic.sidecar.istio.io/includeOutboundIPRanges", "10.96.0.0/12,fd00:96::/112"),
			note("traffic.sidecar.istio.io/excludeInboundPorts", "9100,15020"),
		}},
		{"the init container gets the same as arguments", "default", "traffic", "pricing", []check{
			arguments("istio-init", "-i", "10.96.0.0/12,fd00:96::/112"), arguments("istio-init", "-x", "10.96.7.0/24"),
			arguments("istio-init", "-b", "8080,8443"), arguments("istio-init", "-d", "15090,15021,9100,15020"),
			arguments("istio-init", "-q", "5432"), arguments("istio-init", "-o", "6379,9042"),
			arguments("istio-init", "-k", "k6t-eth0"), arguments("istio-init", "-c", "eth1,net1"),
		}},
		{"an empty annotation is not an absent one", "default", "traffic", "pricing-none", []check{
			arguments("istio-init", "-i", "", "-x", "", "-b", "", "-d"), arguments("istio-init", "-k", "k6t-net1"),
		}},
		{"no interception, no init container, and the user's stay", "default", "interception", "audit-explicit", []check{
			inits("istio-proxy keys"), env("ISTIO_META_INTERCEPTION_MODE", "NONE"),
		}},
		{"no interception on an old node", "old-nodes", "interception", "audit-explicit", []check{inits("keys"), containers("audit istio-proxy")}},
		{"TPROXY needs root", "default", "interception", "audit", []check{user("istio-proxy", 0), arguments("istio-init", "-m", "TPROXY")}},
		{"nftables", "nftables", "deployment", "cart", []check{arguments("istio-init", "--native-nftables")}},

		{"resources by annotations replace those of the values", "default", "resources", "stock", []check{
			resources(`{"limits":{"cpu":"1500m","memory":"192Mi"},"requests":{"cpu":"150m","memory":"96Mi"}}`),
		}},
		{"one annotation replaces them all", "default", "resources", "stock-small", []check{resources(`{"requests":{"cpu":"20m"}}`)}},
		{"resources of the values", "default", "deployment", "cart", []check{
			resources(`{"limits":{"cpu":"2","memory":"1Gi"},"requests":{"cpu":"100m","memory":"128Mi"}}`),
		}},
		{"the pod's own proxy container wins", "default", "own-proxy", "video", []check{
			user("istio-proxy", 4711), arguments("istio-init", "-u", "4711"), env("ISTIO_META_MESH_ID", "video-mesh"), env("EXTRA", "1"),
			image("example.org/istio/proxyv2:test"), resources(`{"limits":{"cpu":"2","memory":"1Gi"},"requests":{"cpu":"333m","memory":"128Mi"}}`),
		}},
		{"with CNI the check runs as the pod's own proxy does", "cni", "own-proxy", "video", []check{user("istio-validation", 4711)}},

		{"a proxy image of the pod's own", "distroless", "proxy-image", "chat", []check{
			image("registry.example.org/own/proxy@sha256:8d9c1a"), arguments("istio-proxy", "--proxyLogLevel=debug"),
			arguments("istio-proxy", "--proxyComponentLogLevel=http:trace,rbac:debug"), arguments("istio-proxy", "--log_output_level=xds:debug,default:warn"),
		}},
		{"an image type of the pod's own", "distroless", "proxy-image", "chat-debug", []check{image("example.org/istio/proxyv2:test-debug")}},
		{"the variant of the values", "distroless", "deployment", "cart", []check{image("example.org/istio/proxyv2:test-distroless")}},
		{"the pod's configuration of the proxy", "default", "proxy-config", "loyalty", []check{
			image("example.org/istio/proxyv2:test-debug"), env("ISTIO_META_DNS_CAPTURE", "true"),
			env("GREETING", `say "hello": {{ world }} # no comment`), env("TRUST_DOMAIN", "loyalty.example.org"),
		}},

		{"pull secrets as objects become names, beside the pod's", "pull-secrets", "pull-secrets", "vault", []check{secrets("42", "mirror", "own-registry")}},
		{"pull secrets of a gateway", "pull-secrets", "gateway", "shop-entrance", []check{secrets("42", "mirror")}},
		{"pull secrets with a proxyless workload", "pull-secrets", "grpc", "quotes", []check{secrets("42", "mirror")}},
		{"no pull secrets", "default", "deployment", "cart", []check{secrets()}},

		{"a gateway is a router with the pod's own resources", "default", "gateway", "shop-entrance", []check{
			arguments("istio-proxy", "proxy", "router"), image("example.org/istio/proxyv2:test"),
			resources(`{"requests":{"cpu":"100m","memory":"128Mi"}}`), env("ISTIO_META_REQUESTED_NETWORK_VIEW", "north"), inits(""),
		}},
		{"a gateway is not captured, so nobody needs the network interface", "cni", "gateway", "shop-entrance", []check{inits(""), note("k8s.v1.cni.cncf.io/networks", "")}},
		{"proxyless gRPC: what makes it so is not the pod's to choose", "default", "grpc", "quotes", []check{
			env("ISTIO_META_GENERATOR", "grpc"), env("OUTPUT_CERTS", "/var/lib/istio/data"), env("DISABLE_ENVOY", "true"),
			env("ISTIO_META_DNS_CAPTURE", "false"), env("MORE", "1"), containers("istio-proxy quotes rates"), inits(""),
		}},
		{"proxyless gRPC without an agent", "default", "grpc", "quotes-plain", []check{containers("quotes"), inits("grpc-bootstrap-init")}},

		{"a Deployment owns the pods of its ReplicaSet", "default", "deployment", "cart", []check{
			env("ISTIO_META_OWNER", "kubernetes://apis/apps/v1/namespaces/shop/deployments/cart"), env("ISTIO_META_WORKLOAD_NAME", "cart"),
			label("service.istio.io/canonical-name", "cart"), label("service.istio.io/canonical-revision", "v3"),
			note("kubectl.kubernetes.io/default-container", "web"),
		}},
		{"a CronJob owns the pods of its Jobs", "default", "jobs", "nightly-report", []check{
			env("ISTIO_META_OWNER", "kubernetes://apis/batch/v1/namespaces/shop/cronjobs/nightly-report"), env("ISTIO_META_WORKLOAD_NAME", "nightly-report"),
		}},
		{"a StatefulSet", "default", "statefulset", "ledger-0", []check{
			env("ISTIO_META_OWNER", "kubernetes://apis/apps/v1/namespaces/shop/statefulsets/ledger"), label("service.istio.io/canonical-revision", "16.2"),
		}},
		{"the pod says which container is the main one", "default", "several-containers", "catalogue", []check{
			note("kubectl.kubernetes.io/default-container", "images"), env("ISTIO_META_APP_CONTAINERS", "texts,images"),
		}},
		{"a name that is too long for a label is cut", "default", "names", "the-department-of-very-long-names-and-of-even-longer-descriptions-2", []check{
			label("service.istio.io/canonical-name", "the-department-of-very-long-names-and-of-even-longer-descriptio"),
			label("service.istio.io/canonical-revision", "1e3"), note("kubectl.kubernetes.io/default-container", "1234"),
		}},
		{"values that look like others stay strings", "default", "names", "on", []check{
			label("service.istio.io/canonical-name", "true"), label("service.istio.io/canonical-revision", "007"), env("ISTIO_META_WORKLOAD_NAME", "0x10"),
		}},

		{"a revision is known to the pod and its control plane", "revision", "deployment", "cart", []check{
			note("istio.io/rev", "canary"), env("CA_ADDR", "istiod-canary.istio-system.svc:15012"),
		}},
		{"the webhook's path names cluster and network", "multi-cluster", "deployment", "cart", []check{
			env("ISTIO_META_CLUSTER_ID", "east"), env("ISTIO_META_NETWORK", "north"), env("ISTIO_META_MESH_ID", "7"), env("TRUST_DOMAIN", "shop.example.org"),
			label("topology.istio.io/network", "north"), arguments("istio-proxy", "--domain", "$(POD_NAMESPACE).svc.west.example.org"),
		}},
		{"what the mesh configuration says of all proxies", "mesh", "deployment", "cart", []check{
			env("ISTIO_META_INTERCEPTION_MODE", "TPROXY"), user("istio-proxy", 0), arguments("istio-init", "-m", "TPROXY"), image("example.org/istio/proxyv2:test-debug"),
			env("SHOP", "north: #1"), env("GOMEMLIMIT", "100MiB"), env("HOST_IP", "192.0.2.1"), env("REWRITE_PROBE_LEGACY_LOCALHOST_DESTINATION", "true"),
		}},
		{"the pod is stronger than the mesh configuration", "mesh", "interception", "audit-explicit", []check{env("ISTIO_META_INTERCEPTION_MODE", "NONE"), user("istio-proxy", 1337)}},
		{"templates and annotations of the installation's own", "templates", "deployment", "cart", []check{
			note("example.org/shop", "cart"), note("example.org/injected-by", "istio"), note("example.org/number", "1"),
			volume("workload-socket", func(v corev1.Volume) bool { return v.CSI != nil && v.EmptyDir == nil }),
		}},
		{"a selector lets a pod in where others have to ask", "templates", "custom", "lamp-let-in", []check{note("example.org/shop", "lamp")}},
		{"the root certificate from a bundle of the cluster", "trust-bundle", "deployment", "cart", []check{
			volume("istiod-ca-cert", func(v corev1.Volume) bool {
				return v.Projected != nil && v.Projected.Sources[0].ClusterTrustBundle != nil
			}),
		}},
		{"a certificate authority elsewhere", "certificates", "deployment", "cart", []check{
			env("CA_ADDR", "ca.example.org:443"), env("PILOT_CERT_PROVIDER", "k8s.io/signers.example.org/shop"), arguments("istio-proxy", "--stsPort=15463"),
			volume("istio-certs", func(v corev1.Volume) bool { return v.Secret != nil && v.Secret.SecretName == "istio.cart-runner" }),
			volume("gke-workload-certificate", func(v corev1.Volume) bool { return v.CSI != nil }),
		}},
		{"a tracer's variables from an annotation, as strings", "datadog", "datadog", "telescope", []check{
			env("DD_ENV", "north"), env("DD_VERSION", "7"), env("DD_TRACE_ENABLED", "true"),
		}},
		{"no such variables without the tracer", "default", "datadog", "telescope", []check{env("DD_ENV", "-")}},
		{"volumes by annotation", "default", "volumes", "partners", []check{
			volume("partner-ca", func(v corev1.Volume) bool {
				return v.Secret != nil && v.Secret.SecretName == "partner-ca" && *v.Secret.Optional
			}),
			volume("custom-bootstrap-volume", func(v corev1.Volume) bool { return v.ConfigMap != nil && v.ConfigMap.Name == "partners-bootstrap" }),
		}},
		{"annotations that are no JSON change nothing", "datadog", "refused", "typo-volume", []check{containers("typo"), inits("istio-init istio-proxy")}},
		{"no status port, no probe", "default", "status-port", "queue-quiet", []check{
			func(t *testing.T, pod *corev1.Pod) {
				t.Helper()
				if c := proxyOf(t, pod); c.ReadinessProbe != nil || c.StartupProbe != nil {
					t.Errorf("probes: %v %v", c.ReadinessProbe, c.StartupProbe)
				}
			},
		}},
		{"readiness by annotations", "default", "status-port", "queue", []check{
			func(t *testing.T, pod *corev1.Pod) {
				t.Helper()
				if r := proxyOf(t, pod).ReadinessProbe; r == nil || r.InitialDelaySeconds != 5 || r.PeriodSeconds != 7 || r.FailureThreshold != 9 {
					t.Errorf("readiness probe %v", r)
				}
			},
		}},
	} {
		t.Run(tc.setting+": "+tc.reason, func(t *testing.T) {
			o, err := planeOf(t, tc.setting).admit(podNamed(t, tc.input, tc.pod))
			if err != nil {
				t.Fatal(err)
			}
			if !o.patched {
				t.Fatalf("not injected: webhook %q, refusal %q", o.webhook, o.refusal)
			}
			for _, check := range tc.checks {
				check(t, o.after)
			}
		})
	}
}

// TestLeftAlone checks that pods which are not to be injected stay as they are.
func TestLeftAlone(t *testing.T) {
	for _, tc := range []struct{ reason, setting, input, pod string }{
		{"a label of the pod refuses", "default", "left-alone", "backup"},
		{"an annotation of the pod refuses", "default", "left-alone", "backup-old"},
		{"the pod uses the network of the node", "default", "left-alone", "backup-host"},
		{"also where all namespaces are injected", "all-namespaces", "left-alone", "backup"},
		{"also where all namespaces are injected, by annotation", "all-namespaces", "left-alone", "backup-old"},
		{"the namespace says nothing", "default", "namespaces", "said-nothing"},
		{"the namespace refuses", "default", "namespaces", "asked-in-vain"},
		{"the namespace is another revision's", "default", "namespaces", "by-canary"},
		{"the pod is another revision's", "default", "namespaces", "asked-for-canary"},
		{"the namespace is the default revision's", "revision", "namespaces", "by-revision"},
		{"the namespace is one of Kubernetes'", "default", "namespaces", "of-the-system"},
		{"pods have to ask, and this one does not", "on-request", "pod", "till"},
		{"a selector of the installation keeps it out", "templates", "custom", "lamp-kept-out"},
	} {
		t.Run(tc.setting+": "+tc.reason, func(t *testing.T) {
			o, err := planeOf(t, tc.setting).admit(podNamed(t, tc.input, tc.pod))
			if err != nil {
				t.Fatal(err)
			}
			if o.patched || o.refusal != "" || o.after != o.before {
				t.Errorf("patched by %q, refusal %q", o.webhook, o.refusal)
			}
		})
	}
	if o, err := planeOf(t, "default").admit(podNamed(t, "refused", "typo-port")); err != nil || !strings.Contains(o.refusal, "excludeInboundPorts") {
		t.Errorf("a typing error in an annotation is refused by name: %v, %v", o, err)
	}
}

// TestUnprivileged checks that with CNI no container that injection adds has any privilege.
func TestUnprivileged(t *testing.T) {
	for _, setting := range []string{"cni", "old-nodes-cni", "openshift"} {
		p := planeOf(t, setting)
		for _, in := range inputs(t) {
			for _, pod := range in.pods {
				if pod.Annotations["sidecar.istio.io/interceptionMode"] == "TPROXY" || strings.HasPrefix(pod.Annotations["inject.istio.io/templates"], "grpc") {
					// TPROXY needs root and NET_ADMIN in the proxy itself; without a proxy the container runs as its image says.
					continue
				}
				o, err := p.admit(pod)
				if err != nil {
					t.Fatal(err)
				}
				if !o.patched {
					continue
				}
				for _, c := range slices.Concat(o.after.Spec.InitContainers, o.after.Spec.Containers) {
					if c.Name == "istio-init" {
						t.Errorf("%s, %s%s: istio-init", setting, pod.Name, pod.GenerateName)
					}
					if c.Name != "istio-proxy" && c.Name != "istio-validation" {
						continue
					}
					// The capabilities of a gateway are for the pod to say.
					ownCapabilities := pod.Annotations["inject.istio.io/templates"] == "gateway"
					s := c.SecurityContext
					switch {
					case s == nil, s.RunAsUser == nil, *s.RunAsUser == 0, s.Privileged != nil && *s.Privileged,
						s.AllowPrivilegeEscalation != nil && *s.AllowPrivilegeEscalation,
						s.Capabilities != nil && len(s.Capabilities.Add) > 0,
						!ownCapabilities && (s.Capabilities == nil || !slices.Contains(s.Capabilities.Drop, "ALL")):
						t.Errorf("%s, %s%s: %s: %+v", setting, pod.Name, pod.GenerateName, c.Name, s)
					}
				}
			}
		}
	}
}

// TestInjectedAgain checks that the webhook does not change its own result: the API server calls it twice where
// reinvocationPolicy says so.
func TestInjectedAgain(t *testing.T) {
	for _, setting := range []string{"default", "old-nodes", "openshift", "cni", "templates", "multi-cluster"} {
		t.Run(setting, func(t *testing.T) {
			p := planeOf(t, setting)
			p.parallel(t)
			for _, in := range inputs(t) {
				for _, pod := range in.pods {
					if slices.ContainsFunc(pod.Spec.Containers, func(c corev1.Container) bool { return c.Name == inject.ProxyContainerName }) {
						// Istio lets the template win over the pod's own proxy container the second time.
						continue
					}
					once, err := p.admit(pod)
					if err != nil {
						t.Fatal(err)
					}
					if !once.patched {
						continue
					}
					twice, err := p.admit(once.after)
					if err != nil {
						t.Fatal(err)
					}
					first, second := once.after.DeepCopy(), twice.after.DeepCopy()
					sortVariables(first)
					sortVariables(second)
					if d := difference(first, second); d != "" {
						t.Errorf("%s, pod %s%s:\n%s", in.name, pod.Name, pod.GenerateName, d)
					}
				}
			}
		})
	}
}

// sortVariables sorts those of the proxy: Istio puts some at the end each time.
func sortVariables(pod *corev1.Pod) {
	if c := inject.FindSidecar(pod); c != nil {
		slices.SortFunc(c.Env, func(a, b corev1.EnvVar) int { return strings.Compare(a.Name, b.Name) })
	}
}

// TestDeployed checks what a user relies on in what istiod deploys for a Gateway.
func TestDeployed(t *testing.T) {
	type objects map[string]*unstructured.Unstructured
	at := func(kind string, want any, path ...string) func(*testing.T, objects) {
		return func(t *testing.T, all objects) {
			t.Helper()
			if all[kind] == nil {
				t.Fatalf("no %s", kind)
			}
			got, _, err := unstructured.NestedFieldNoCopy(all[kind].Object, path...)
			if err != nil {
				t.Fatal(err)
			}
			a, errA := json.Marshal(got)
			b, errB := json.Marshal(want)
			if errA != nil || errB != nil || string(a) != string(b) {
				t.Errorf("%s: %s: %s, want %s", kind, strings.Join(path, "."), a, b)
			}
		}
	}
	only := func(kinds ...string) func(*testing.T, objects) {
		return func(t *testing.T, all objects) {
			t.Helper()
			if got := slices.Sorted(maps.Keys(all)); !slices.Equal(got, kinds) {
				t.Errorf("kinds %v, want %v", got, kinds)
			}
		}
	}
	container := func(check func(t *testing.T, c corev1.Container)) func(*testing.T, objects) {
		return func(t *testing.T, all objects) {
			t.Helper()
			pod, err := podOf(slices.Collect(maps.Values(all)))
			if err != nil {
				t.Fatal(err)
			}
			check(t, pod.Spec.Containers[0])
		}
	}
	env := func(name, want string) func(*testing.T, objects) {
		return container(func(t *testing.T, c corev1.Container) {
			t.Helper()
			if got := variable(&c, name); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		})
	}
	image := func(want string) func(*testing.T, objects) {
		return container(func(t *testing.T, c corev1.Container) {
			t.Helper()
			if c.Image != want {
				t.Errorf("image %q, want %q", c.Image, want)
			}
		})
	}
	type list = []any
	type object = map[string]any

	for _, tc := range []struct {
		reason, setting, input, gateway string
		checks                          []func(*testing.T, objects)
	}{
		{"a Deployment, its Service and its account; the number of replicas is nobody's yet", "default", "kube-gateway", "entrance", []func(*testing.T, objects){
			only("Deployment", "Service", "ServiceAccount"), at("Deployment", nil, "spec", "replicas"),
			at("Service", "LoadBalancer", "spec", "type"), at("Service", "PreferDualStack", "spec", "ipFamilyPolicy"),
			at("Deployment", "entrance-istio", "metadata", "name"), image("example.org/istio/proxyv2:test"),
		}},
		{"parameters of the Gateway", "default", "kube-gateway-options", "side-door", []func(*testing.T, objects){
			only("Deployment", "HorizontalPodAutoscaler", "PodDisruptionBudget", "Service", "ServiceAccount"),
			at("Deployment", 2, "spec", "replicas"), at("HorizontalPodAutoscaler", 6, "spec", "maxReplicas"),
			at("Deployment", "door", "metadata", "name"), at("ServiceAccount", "doorman", "metadata", "name"),
			at("Service", "192.0.2.7", "spec", "loadBalancerIP"), at("Service", "Local", "spec", "externalTrafficPolicy"),
			at("Deployment", "123", "spec", "template", "metadata", "labels", "like-a-number"),
			at("Deployment", "false", "spec", "template", "metadata", "annotations", "prometheus.io/scrape"),
			env("ISTIO_META_NETWORK", "south"),
			container(func(t *testing.T, c corev1.Container) {
				t.Helper()
				if cpu := c.Resources.Requests.Cpu().String(); cpu != "75m" {
					t.Errorf("requests %s of CPU: parameters win over annotations, and those over values", cpu)
				}
			}),
		}},
		{"defaults of a class", "classes", "kube-gateway", "entrance", []func(*testing.T, objects){
			only("Deployment", "PodDisruptionBudget", "Service", "ServiceAccount"),
			at("Deployment", "shop", "spec", "template", "spec", "priorityClassName"),
		}},
		{"defaults of waypoints", "classes", "waypoint", "waypoint", []func(*testing.T, objects){
			only("Deployment", "HorizontalPodAutoscaler", "Service", "ServiceAccount"),
			at("Deployment", object{"pool": "mesh"}, "spec", "template", "spec", "nodeSelector"),
			at("Deployment", list{object{"key": "mesh", "operator": "Exists"}}, "spec", "template", "spec", "tolerations"),
		}},
		{"a waypoint speaks HBONE also where sidecars do not", "default", "waypoint", "waypoint", []func(*testing.T, objects){
			env("ISTIO_META_ENABLE_HBONE", "true"), at("Service", "ClusterIP", "spec", "type"),
			at("Deployment", "none", "spec", "template", "metadata", "labels", "istio.io/dataplane-mode"),
			at("Service", "PreferClose", "metadata", "annotations", "networking.istio.io/traffic-distribution"),
		}},
		{"a waypoint's own annotations and labels win", "default", "waypoint", "waypoint-workloads", []func(*testing.T, objects){
			at("Deployment", "ambient", "spec", "template", "metadata", "labels", "istio.io/dataplane-mode"),
			at("Service", "PreferSameNode", "metadata", "annotations", "networking.istio.io/traffic-distribution"),
			container(func(t *testing.T, c corev1.Container) {
				t.Helper()
				if memory := c.Resources.Requests.Memory().String(); memory != "77Mi" {
					t.Errorf("requests %s of memory", memory)
				}
			}),
		}},
		{"an east-west gateway has its clients elsewhere", "default", "east-west", "east-west", []func(*testing.T, objects){
			at("Service", "LoadBalancer", "spec", "type"), env("ISTIO_META_NETWORK", "north"), env("ISTIO_META_ENABLE_HBONE", "true"),
			at("Service", nil, "metadata", "annotations", "networking.istio.io/traffic-distribution"),
		}},
		{"agentgateway", "default", "agentgateway", "agents", []func(*testing.T, objects){
			image("example.org/istio/agentgateway:test"), env("RUST_LOG", "trace"), env("GATEWAY", "agents"),
			env("XDS_ADDRESS", "https://istiod.istio-system.svc:15012"),
		}},
		{"pull secrets and policy", "pull-secrets", "waypoint", "waypoint", []func(*testing.T, objects){
			at("Deployment", list{object{"name": "mirror"}, object{"name": "42"}}, "spec", "template", "spec", "imagePullSecrets"),
			container(func(t *testing.T, c corev1.Container) {
				t.Helper()
				if c.ImagePullPolicy != corev1.PullAlways {
					t.Errorf("policy %q", c.ImagePullPolicy)
				}
			}),
		}},
		{"OpenShift: the namespace gives the user id", "openshift", "kube-gateway", "entrance", []func(*testing.T, objects){
			container(func(t *testing.T, c corev1.Container) {
				t.Helper()
				if *c.SecurityContext.RunAsUser != 1000689999 {
					t.Errorf("user %d", *c.SecurityContext.RunAsUser)
				}
			}),
		}},
		{"a revision", "revision", "kube-gateway", "entrance", []func(*testing.T, objects){
			at("Deployment", "canary", "spec", "template", "metadata", "annotations", "istio.io/rev"), env("CA_ADDR", "istiod-canary.istio-system.svc:15012"),
		}},
		{"IP families, cluster and discovery address", "multi-cluster", "agentgateway", "agents", []func(*testing.T, objects){
			at("Service", "RequireDualStack", "spec", "ipFamilyPolicy"), at("Service", list{"IPv6", "IPv4"}, "spec", "ipFamilies"),
			env("XDS_ADDRESS", "https://istiod.west.example.org:15012"), env("CLUSTER_ID", "west"), env("NETWORK", "south"),
		}},
	} {
		t.Run(tc.setting+": "+tc.reason, func(t *testing.T) {
			p := planeOf(t, tc.setting)
			in := inputNamed(t, tc.input)
			d, err := p.newDeployer([]*input{in}, p.values)
			if err != nil {
				t.Fatal(err)
			}
			for _, gw := range in.gateways {
				if gw.Name != tc.gateway {
					continue
				}
				applied, err := d.deploy(gw)
				if err != nil {
					t.Fatal(err)
				}
				all := objects{}
				for _, o := range applied {
					all[o.GetKind()] = o
				}
				for _, check := range tc.checks {
					check(t, all)
				}
				return
			}
			t.Fatalf("no Gateway %s", tc.gateway)
		})
	}
}
