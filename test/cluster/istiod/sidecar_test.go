package istiod_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "github.com/envoyproxy/go-control-plane/envoy/config/cluster/v3"                   // the type of clusters
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/transport_sockets/tls/v3" // and of secrets
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/stratamesh/strata/test/cluster/api"
	"github.com/stratamesh/strata/test/cluster/istiod"
)

const namespaces = `
{apiVersion: v1, kind: Namespace, metadata: {name: plain}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: enabled, labels: {istio-injection: enabled}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: disabled, labels: {istio-injection: disabled}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: rev-default, labels: {istio.io/rev: default}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: rev-canary, labels: {istio.io/rev: canary}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: tag-prod, labels: {istio.io/rev: prod}}}
`

// TestSidecarMesh runs the default revision beside one that has a tag, as during an upgrade by canary.
func TestSidecarMesh(t *testing.T) {
	t.Parallel()
	begin := time.Now()
	m := newMesh(t)
	m.apply(t, crds(t, "sigs.k8s.io/mcs-api", "config/crd"))
	m.install(t, "istio-base", system, "base")
	m.install(t, "istiod", system, "istiod", "--set-string", "env.ENABLE_MCS_AUTO_EXPORT=true", "--set-string", "env.ENABLE_MCS_SERVICE_DISCOVERY=true")
	m.install(t, "istiod-canary", system, "istiod", "--set", "revision=canary", "--set", "revisionTags={prod}",
		"--set", "global.hub=example.com/mesh", "--set", "global.tag=1.2.3", "--set", "meshConfig.accessLogFile=/dev/stdout",
		"--set", "global.istiod.enableAnalysis=true")
	stable, canary := m.start(t, "istiod"), m.start(t, "istiod-canary")
	m.apply(t, namespaces)
	started(t, begin)

	part(t, "validators reject once istiod answers", func(t *testing.T) { m.testValidatorsReject(t) })
	part(t, "injection follows labels", func(t *testing.T) { m.testInjection(t) })
	part(t, "gateway pod gets its image", func(t *testing.T) { m.testGatewayImage(t) })
	part(t, "gateway may read the certificates of its namespace", func(t *testing.T) { m.testGatewayCertificate(t) })
	part(t, "bad configuration is denied", func(t *testing.T) { m.testDenial(t) })
	part(t, "field that istiod owns is a conflict", func(t *testing.T) { m.testConflict(t) })
	part(t, "default validator follows the default revision", func(t *testing.T) { m.testDefaultRevision(t, canary) })
	part(t, "analysis writes its findings", func(t *testing.T) { m.testAnalysis(t) })
	part(t, "mesh configuration is that of the chart", func(t *testing.T) {
		m.testMeshConfig(t, stable, "istio")
		m.testMeshConfig(t, canary, "istio-canary")
	})
	part(t, "sidecar gets configuration and a certificate", func(t *testing.T) { m.testSidecar(t) })
	part(t, "service is exported to other clusters", func(t *testing.T) {
		m.exists(t, "multicluster.x-k8s.io/v1alpha1", "ServiceExport", "enabled", "shop")
	})
	part(t, "stable channel refuses what is not stable", func(t *testing.T) { m.testStable(t) })
	part(t, "each revision validates its own", func(t *testing.T) { m.testOwnValidation(t, canary) })
}

// testValidatorsReject: an install says Ignore, and istiod is allowed to change that.
func (m *mesh) testValidatorsReject(t *testing.T) {
	for _, name := range []string{"istiod-default-validator", "istio-validator-istio-system", "istio-validator-canary-istio-system"} {
		ref := api.Ref{APIVersion: "admissionregistration.k8s.io/v1", Kind: "ValidatingWebhookConfiguration", Name: name}
		require.NoError(t, m.client.Wait(soon(t), ref, func(o *api.Object) error {
			if o == nil {
				return fmt.Errorf("%s is missing", name)
			}
			for _, w := range o.Object["webhooks"].([]any) {
				webhook := w.(map[string]any)
				if config := webhook["clientConfig"].(map[string]any); webhook["failurePolicy"] != "Fail" || config["caBundle"] == nil {
					return fmt.Errorf("%s: %v, %v", name, webhook["failurePolicy"], config["caBundle"])
				}
			}
			return nil
		}))
	}
}

func (m *mesh) testInjection(t *testing.T) {
	for _, test := range []struct {
		namespace, name, labels string
		// revision that injects, or empty
		revision string
	}{
		{"plain", "none", "{}", ""},
		{"plain", "asks", `{sidecar.istio.io/inject: "true"}`, "default"},
		{"plain", "asks-canary", `{sidecar.istio.io/inject: "true", istio.io/rev: canary}`, "canary"},
		{"plain", "rev-canary", `{istio.io/rev: canary}`, "canary"},
		{"plain", "tag-prod", `{istio.io/rev: prod}`, "canary"},
		{"enabled", "all", "{}", "default"},
		{"enabled", "refuses", `{sidecar.istio.io/inject: "false"}`, ""},
		{"disabled", "all", "{}", ""},
		{"rev-default", "all", "{}", "default"},
		{"rev-canary", "all", "{}", "canary"},
		{"rev-canary", "refuses", `{sidecar.istio.io/inject: "false"}`, ""},
		{"tag-prod", "all", "{}", "canary"},
		// Pods of the system never are in the mesh.
		{"kube-system", "asks", `{sidecar.istio.io/inject: "true"}`, ""},
	} {
		t.Run(test.namespace+"/"+test.name, func(t *testing.T) {
			pod := m.pod(t, test.namespace, test.name, test.labels)
			p := proxy(pod)
			if test.revision == "" {
				require.Nil(t, p)
				require.NotContains(t, pod.Annotations, "sidecar.istio.io/status")
				return
			}
			require.NotNil(t, p)
			require.Equal(t, corev1.ContainerRestartPolicyAlways, *p.RestartPolicy, "a native sidecar, as on nodes of today")
			var status struct{ Revision string }
			require.NoError(t, json.Unmarshal([]byte(pod.Annotations["sidecar.istio.io/status"]), &status))
			require.Equal(t, test.revision, status.Revision)
			if test.revision == "canary" {
				require.Equal(t, "example.com/mesh/proxyv2:1.2.3", p.Image)
				require.Contains(t, variable(p, "PROXY_CONFIG")+variable(p, "CA_ADDR"), "istiod-canary.istio-system.svc:15012")
			}
		})
	}
}

func variable(container *corev1.Container, name string) string {
	for _, e := range container.Env {
		if e.Name == name {
			return e.Value
		}
	}
	return ""
}

// testGatewayImage: the gateway chart says "auto", and the injector of the gateway's revision puts its own image there.
func (m *mesh) testGatewayImage(t *testing.T) {
	m.install(t, "gateway", "gateways", "gateway", "--set", "service.type=ClusterIP")
	m.install(t, "gateway-canary", "gateways", "gateway", "--set", "service.type=ClusterIP", "--set", "revision=canary")
	m.install(t, "gateway-prod", "gateways", "gateway", "--set", "service.type=ClusterIP", "--set", "revision=prod")
	for release, image := range map[string]string{
		"gateway":        "registry.istio.io/release/proxyv2:" + appVersion(t),
		"gateway-canary": "example.com/mesh/proxyv2:1.2.3",
		"gateway-prod":   "example.com/mesh/proxyv2:1.2.3",
	} {
		require.NoError(t, api.Poll(soon(t), func(ctx context.Context) error {
			pods, err := istiod.Pods(ctx, m.client, "gateways", "app="+release)
			if err != nil {
				return err
			}
			if len(pods) != 1 {
				return fmt.Errorf("%s has %d pods", release, len(pods))
			}
			if p := proxy(pods[0]); p == nil || p.Image != image || pods[0].Status.Phase != corev1.PodRunning {
				return fmt.Errorf("%s: proxy %v in phase %s, image %s is wanted", release, p, pods[0].Status.Phase, image)
			}
			return nil
		}))
	}
}

// testGatewayCertificate: istiod asks the API server whether the gateway's account may read Secrets, before it sends one.
func (m *mesh) testGatewayCertificate(t *testing.T) {
	certificate, key := selfSigned(t)
	m.apply(t, fmt.Sprintf(`
apiVersion: v1
kind: Secret
type: kubernetes.io/tls
metadata: {name: front, namespace: gateways}
stringData: {tls.crt: %q, tls.key: %q}
`, certificate, key))
	pods, err := istiod.Pods(t.Context(), m.client, "gateways", "app=gateway")
	require.NoError(t, err)
	require.Len(t, pods, 1)
	client := m.connect(t, "istiod", "router", pods[0], nil)
	const secrets = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret"
	require.NoError(t, client.Subscribe(secrets, "kubernetes://front"))
	require.NoError(t, client.Await(soon(t), secrets, has("kubernetes://front")))
}

// bad is a VirtualService that only istiod knows to be wrong: no schema does.
func bad(name, labels string) string {
	return `
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: ` + name + `, namespace: plain, labels: ` + labels + `}
spec: {hosts: ["*"], http: [{route: [{destination: {host: shop}}]}]}
`
}

func (m *mesh) create(t *testing.T, text string) error {
	t.Helper()
	objects, err := api.Parse(text)
	require.NoError(t, err)
	require.Len(t, objects, 1)
	_, err = m.client.Create(t.Context(), objects[0])
	return err
}

func (m *mesh) testDenial(t *testing.T) {
	for _, test := range []struct{ name, labels, webhook string }{
		{"no-revision", "{}", "validation.istio.io"},
		{"default", "{istio.io/rev: default}", "validation.istio.io"},
		{"canary", "{istio.io/rev: canary}", "validation.istio.io"},
	} {
		err := m.create(t, bad(test.name, test.labels))
		require.ErrorContains(t, err, `admission webhook`)
		require.ErrorContains(t, err, test.webhook+`" denied the request: configuration is invalid: wildcard host`)
	}
	require.NoError(t, m.create(t, `
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: good, namespace: plain}
spec: {hosts: [shop], http: [{route: [{destination: {host: shop}}]}]}
`))
	good := api.Ref{APIVersion: "networking.istio.io/v1", Kind: "VirtualService", Namespace: "plain", Name: "good"}
	_, err := m.client.Patch(t.Context(), good, types.MergePatchType, `{"spec": {"hosts": ["*"]}}`)
	require.ErrorContains(t, err, "wildcard host", "an update is validated too")
}

// testOwnValidation: without the default validator, a revision's own still stands.
func (m *mesh) testOwnValidation(t *testing.T, canary *istiod.Istiod) {
	ref := api.Ref{APIVersion: "admissionregistration.k8s.io/v1", Kind: "ValidatingWebhookConfiguration", Name: "istiod-default-validator"}
	require.NoError(t, m.client.Delete(t.Context(), ref))
	// The API server forgets a webhook a moment later.
	require.NoError(t, api.Poll(soon(t), func(context.Context) error {
		if err := m.create(t, bad("unclaimed", "{}")); err != nil {
			return fmt.Errorf("nobody is to validate what names no revision: %w", err)
		}
		return nil
	}))
	for _, revision := range []string{"default", "canary"} {
		before := failed(t, canary)
		err := m.create(t, bad(revision, "{istio.io/rev: "+revision+"}"))
		require.ErrorContains(t, err, `"rev.validation.istio.io" denied the request`)
		want := before
		if revision == "canary" {
			want++
		}
		require.Equal(t, want, failed(t, canary), "refusals of canary")
	}
}

// testDefaultRevision: the chart base of another default revision sends configuration that names none to that one's istiod.
func (m *mesh) testDefaultRevision(t *testing.T, canary *istiod.Istiod) {
	m.upgrade(t, "istio-base", system, "base", "--set", "defaultRevision=canary")
	require.NoError(t, api.Poll(soon(t), func(context.Context) error {
		before := failed(t, canary)
		require.ErrorContains(t, m.create(t, bad("other", "{}")), `"validation.istio.io" denied the request`)
		if failed(t, canary) == before {
			return errors.New("another istiod than canary was asked")
		}
		return nil
	}))
}

// testConflict is why the profile gitops sets validationFailurePolicy: istiod owns the field that an install sets otherwise. The
// manager is the one that Helm left.
func (m *mesh) testConflict(t *testing.T) {
	apply := func(profile string) error {
		base := m.render(t, profile, []release{{name: "istio-base", namespace: system, chart: "base"}})
		i := slices.IndexFunc(base, func(o *api.Object) bool { return o.GetKind() == "ValidatingWebhookConfiguration" })
		require.GreaterOrEqual(t, i, 0)
		_, err := m.client.Apply(t.Context(), api.ApplyOptions{Manager: "helm", DryRun: true}, base[i])
		return err
	}
	require.NoError(t, apply("gitops"))
	err := apply("default")
	require.ErrorContains(t, err, `conflict with "pilot-discovery"`)
	require.ErrorContains(t, err, "failurePolicy")
}

// testAnalysis: with enableAnalysis, istiod may write the status of any kind of Istio.
func (m *mesh) testAnalysis(t *testing.T) {
	m.apply(t, `
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: lost, namespace: plain}
spec: {hosts: [lost.example.com], gateways: [nowhere], http: [{route: [{destination: {host: shop}}]}]}
`)
	ref := api.Ref{APIVersion: "networking.istio.io/v1", Kind: "VirtualService", Namespace: "plain", Name: "lost"}
	require.NoError(t, m.client.Wait(soon(t), ref, func(o *api.Object) error {
		if status, _ := o.Object["status"].(map[string]any); status["validationMessages"] == nil {
			return fmt.Errorf("its status is %v", status)
		}
		return nil
	}))
}

// testStable: the policy is the API server's, and so is the judgement whether its expressions are right.
func (m *mesh) testStable(t *testing.T) {
	m.upgrade(t, "istio-base", system, "base", "--set", "defaultRevision=canary", "--set", "experimental.stableValidationPolicy=true")
	unstable := `
apiVersion: networking.istio.io/v1beta1
kind: ProxyConfig
metadata: {name: NAME, namespace: plain}
spec: {concurrency: 1}
`
	// A policy counts a moment after it was made.
	n := 0
	require.NoError(t, api.Poll(soon(t), func(context.Context) error {
		n++
		err := m.create(t, strings.ReplaceAll(unstable, "NAME", fmt.Sprintf("p%d", n)))
		if err == nil {
			return errors.New("an unstable kind was accepted")
		}
		require.ErrorContains(t, err, "ProxyConfig v1beta1 is not a stable API version")
		return nil
	}))
	require.ErrorContains(t, m.create(t, `
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: domains, namespace: plain}
spec: {rules: [{from: [{source: {trustDomains: [other]}}]}]}
`), "source.trustDomains")
	require.NoError(t, m.create(t, `
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: principals, namespace: plain}
spec: {rules: [{from: [{source: {principals: [shop]}}]}, {to: [{operation: {methods: [GET]}}]}]}
`))
}

var failures = regexp.MustCompile(`(?m)^galley_validation_failed\{.*\} (\d+)$`)

// failed returns how often an istiod has refused configuration.
func failed(t *testing.T, i *istiod.Istiod) int {
	t.Helper()
	text, err := i.Metrics(t.Context())
	require.NoError(t, err)
	sum := 0
	for _, match := range failures.FindAllSubmatch(text, -1) {
		n, err := strconv.Atoi(string(match[1]))
		require.NoError(t, err)
		sum += n
	}
	return sum
}

func (m *mesh) testMeshConfig(t *testing.T, i *istiod.Istiod, configMap string) {
	o, err := m.client.Get(t.Context(), api.Ref{APIVersion: "v1", Kind: "ConfigMap", Namespace: system, Name: configMap})
	require.NoError(t, err)
	var rendered, used map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(o.Object["data"].(map[string]any)["mesh"].(string)), &rendered))
	text, err := i.Debug(t.Context(), "/debug/mesh")
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &used))
	require.Equal(t, rendered, within(used, rendered))
}

// within returns what an object has at the keys of a smaller one, so that defaults that only the larger one names are left out.
func within(object, keys any) any {
	large, ok := object.(map[string]any)
	small, also := keys.(map[string]any)
	if !ok || !also {
		return object
	}
	common := map[string]any{}
	for key, value := range small {
		if found, ok := large[key]; ok {
			common[key] = within(found, value)
		}
	}
	return common
}

func (m *mesh) testSidecar(t *testing.T) {
	m.apply(t, `{apiVersion: v1, kind: Service, metadata: {name: shop, namespace: enabled}, spec: {selector: {app: shop}, ports: [{name: http, port: 80}]}}`)
	pod := m.pod(t, "enabled", "client", "{}")
	client := m.connect(t, "istiod", "sidecar", pod, nil)
	const clusters = "type.googleapis.com/envoy.config.cluster.v3.Cluster"
	require.NoError(t, client.Subscribe(clusters, "*"))
	require.NoError(t, client.Await(soon(t), clusters, has("outbound|80||shop.enabled.svc.cluster.local")))

	certificate, err := client.Certificate(t.Context(), "")
	require.NoError(t, err)
	require.Equal(t, "spiffe://cluster.local/ns/enabled/sa/default", certificate.URIs[0].String())
	_, err = client.Certificate(t.Context(), "spiffe://cluster.local/ns/plain/sa/default")
	require.ErrorContains(t, err, "impersonation", "no workload gets the certificate of another one")
}

// has wants a resource of a name.
func has(name string) func(map[string]proto.Message) error {
	return func(resources map[string]proto.Message) error {
		if _, ok := resources[name]; ok {
			return nil
		}
		return fmt.Errorf("%s is not among %d resources", name, len(resources))
	}
}
