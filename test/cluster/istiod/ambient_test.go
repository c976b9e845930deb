package istiod_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"istio.io/istio/pkg/workloadapi"
	"istio.io/istio/pkg/workloadapi/security"

	"github.com/stratamesh/strata/test/cluster/api"
	"github.com/stratamesh/strata/test/cluster/istiod"
	"github.com/stratamesh/strata/test/cluster/xds"
)

const (
	addresses      = "type.googleapis.com/istio.workload.Address"
	authorizations = "type.googleapis.com/istio.security.Authorization"
)

// ambientValues turn on all that lets istiod watch and write more: each needs rights.
const ambientValues = `
env:
  PILOT_ENABLE_ALPHA_GATEWAY_API: "true"
  ENABLE_GATEWAY_API_INFERENCE_EXTENSION: "true"
  AMBIENT_ENABLE_MULTI_NETWORK: "true"
  PILOT_ENABLE_IP_AUTOALLOCATE: "true"
taint: {enabled: true, namespace: kube-system}
gatewayClasses:
  istio:
    podDisruptionBudget: {spec: {maxUnavailable: 1}}
  istio-waypoint:
    horizontalPodAutoscaler: {spec: {minReplicas: 2, maxReplicas: 4}}
`

const shop = `
{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {istio.io/dataplane-mode: ambient}}}
---
{apiVersion: v1, kind: Service, metadata: {name: cart, namespace: shop}, spec: {selector: {app: cart}, ports: [{name: http, port: 80, targetPort: 8080}]}}
`

// TestAmbientMesh is under GitOps too: what all of its parts do is no drift.
func TestAmbientMesh(t *testing.T) {
	t.Parallel()
	begin := time.Now()
	m := newGitOps(t, "ambient+gitops", "argocd-controller")
	m.apply(t, crds(t, "sigs.k8s.io/gateway-api", "config/crd/experimental"))
	m.apply(t, crds(t, "sigs.k8s.io/gateway-api-inference-extension", "config/crd/bases"))
	m.deploy(t,
		release{"istio-base", system, "base", nil},
		release{"istio-cni", "kube-system", "istio-cni", nil},
		release{"istiod", system, "istiod", []string{"-f", write(t, ambientValues)}},
		release{"ztunnel", system, "ztunnel", nil},
	)
	i := m.start(t, "istiod")
	m.testTrusted(t)
	m.deploy(t, release{"gateway", "gateways", "gateway", nil})
	m.deployment(t, "gateways", "gateway")
	started(t, begin)
	part(t, "a second apply changes nothing", func(t *testing.T) { m.testSecondApply(t) })
	m.apply(t, shop)
	cart := m.pod(t, "shop", "cart", "{app: cart}")
	require.Nil(t, proxy(cart), "ambient pods have no sidecar")
	// What the node agent does once it redirects a pod's traffic.
	_, err := m.client.Patch(t.Context(), api.Ref{APIVersion: "v1", Kind: "Pod", Namespace: "shop", Name: "cart"},
		types.MergePatchType, `{"metadata": {"annotations": {"ambient.istio.io/redirection": "enabled"}}}`)
	require.NoError(t, err)

	ztunnel := m.ztunnel(t, "cart")
	part(t, "workloads reach ztunnel", func(t *testing.T) { m.testWorkloads(t, ztunnel) })
	part(t, "policies reach ztunnel", func(t *testing.T) { m.testPolicies(t, ztunnel) })
	part(t, "ztunnel gets certificates for the pods of its node", func(t *testing.T) { m.testCertificates(t, ztunnel) })
	part(t, "gateway becomes a Deployment", func(t *testing.T) { m.testKubeGateway(t) })
	part(t, "waypoint becomes a Deployment", func(t *testing.T) { m.testWaypoint(t, ztunnel) })
	part(t, "taint goes once the node agent is there", func(t *testing.T) { m.testUntaint(t) })
	part(t, "service entry gets an address", func(t *testing.T) { m.testServiceEntry(t) })
	part(t, "virtual machine registers itself", func(t *testing.T) { m.testRegistration(t, cart) })
	part(t, "other cluster is read with the reader account", func(t *testing.T) { m.testReader(t, i) })
	part(t, "nothing has drifted", func(t *testing.T) {
		m.scale(t, "istiod")
		m.testNoDrift(t)
	})
}

// ztunnel connects as the ztunnel of the node of a pod of the namespace shop.
func (m *mesh) ztunnel(t *testing.T, name string) *xds.Client {
	t.Helper()
	var pod *corev1.Pod
	require.NoError(t, api.Poll(soon(t), func(ctx context.Context) error {
		o, err := m.client.Get(ctx, api.Ref{APIVersion: "v1", Kind: "Pod", Namespace: "shop", Name: name})
		if err != nil {
			return err
		}
		node, _ := o.Object["spec"].(map[string]any)["nodeName"].(string)
		pods, err := istiod.Pods(ctx, m.client, system, "app=ztunnel")
		if err != nil {
			return err
		}
		for _, p := range pods {
			if node != "" && p.Spec.NodeName == node && p.Status.Phase == corev1.PodRunning {
				pod = p
				return nil
			}
		}
		return fmt.Errorf("no ztunnel on node %q among %d", node, len(pods))
	}))
	client := m.connect(t, "istiod", "ztunnel", pod, nil)
	require.NoError(t, client.Subscribe(addresses, "*"))
	require.NoError(t, client.Subscribe(authorizations, "*"))
	return client
}

func (m *mesh) testWorkloads(t *testing.T, ztunnel *xds.Client) {
	require.NoError(t, ztunnel.Await(soon(t), addresses, func(found map[string]proto.Message) error {
		w := workload(found, "Kubernetes//Pod/shop/cart")
		if w == nil {
			return fmt.Errorf("no workload cart among %d addresses", len(found))
		}
		if w.GetTunnelProtocol() != workloadapi.TunnelProtocol_HBONE || w.GetServiceAccount() != "default" || w.GetNode() == "" ||
			w.GetStatus() != workloadapi.WorkloadStatus_HEALTHY || w.GetServices()["shop/cart.shop.svc.cluster.local"] == nil {
			return fmt.Errorf("workload cart: %v", w)
		}
		return has("shop/cart.shop.svc.cluster.local")(found)
	}))
	require.NoError(t, m.client.Delete(t.Context(), m.ref(m.pod(t, "shop", "short", "{}"))))
	require.NoError(t, ztunnel.Await(soon(t), addresses, func(found map[string]proto.Message) error {
		if w := workload(found, "Kubernetes//Pod/shop/short"); w != nil {
			return fmt.Errorf("a pod that is gone is still there: %v", w)
		}
		return nil
	}))
}

func (*mesh) ref(pod *corev1.Pod) api.Ref {
	return api.Ref{APIVersion: "v1", Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name}
}

func workload(found map[string]proto.Message, name string) *workloadapi.Workload {
	address, _ := found[name].(*workloadapi.Address)
	return address.GetWorkload()
}

func (m *mesh) testPolicies(t *testing.T, ztunnel *xds.Client) {
	m.apply(t, `
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: front, namespace: shop}
spec:
  selector: {matchLabels: {app: cart}}
  rules: [{from: [{source: {namespaces: [web]}}]}]
`)
	require.NoError(t, ztunnel.Await(soon(t), authorizations, func(found map[string]proto.Message) error {
		policy, _ := found["shop/front"].(*security.Authorization)
		if policy.GetAction() != security.Action_ALLOW || len(policy.GetGroups()) != 1 {
			return fmt.Errorf("no such policy: %v", policy)
		}
		return nil
	}))
	require.NoError(t, ztunnel.Await(soon(t), addresses, func(found map[string]proto.Message) error {
		if w := workload(found, "Kubernetes//Pod/shop/cart"); !slices.Contains(w.GetAuthorizationPolicies(), "shop/front") {
			return fmt.Errorf("the policy does not hold for the workload: %v", w)
		}
		return nil
	}))
	m.condition(t, api.Ref{APIVersion: "security.istio.io/v1", Kind: "AuthorizationPolicy", Namespace: "shop", Name: "front"}, "ZtunnelAccepted")
}

// condition waits until the status of an object has a condition that is true.
func (m *mesh) condition(t *testing.T, ref api.Ref, kind string) {
	t.Helper()
	require.NoError(t, m.client.Wait(soon(t), ref, func(o *api.Object) error {
		if o == nil {
			return fmt.Errorf("%s is missing", ref)
		}
		status, _ := o.Object["status"].(map[string]any)
		// Those of a route stand under each of its parents.
		holders := []any{status}
		if parents, ok := status["parents"].([]any); ok {
			holders = parents
		}
		for _, holder := range holders {
			conditions, _ := holder.(map[string]any)["conditions"].([]any)
			for _, c := range conditions {
				if c := c.(map[string]any); c["type"] == kind && c["status"] == "True" {
					return nil
				}
			}
		}
		return fmt.Errorf("%s: %s is not true: %v", ref, kind, status)
	}))
}

func (m *mesh) testCertificates(t *testing.T, ztunnel *xds.Client) {
	certificate, err := ztunnel.Certificate(t.Context(), "spiffe://cluster.local/ns/shop/sa/default")
	require.NoError(t, err)
	require.Equal(t, "spiffe://cluster.local/ns/shop/sa/default", certificate.URIs[0].String())
	_, err = ztunnel.Certificate(t.Context(), "spiffe://cluster.local/ns/shop/sa/not-on-this-node")
	require.Error(t, err)
}

func (m *mesh) testKubeGateway(t *testing.T) {
	m.apply(t, `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: front, namespace: shop, annotations: {networking.istio.io/service-type: ClusterIP}}
spec: {gatewayClassName: istio, listeners: [{name: http, port: 80, protocol: HTTP}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: cart, namespace: shop}
spec: {parentRefs: [{name: front}], rules: [{backendRefs: [{name: cart, port: 80}]}]}
`)
	deployment := m.deployment(t, "shop", "front-istio")
	p := proxy(&corev1.Pod{Spec: deployment.Spec.Template.Spec})
	require.NotNil(t, p)
	require.Equal(t, "registry.istio.io/release/proxyv2:"+appVersion(t)+"-distroless", p.Image)
	require.Contains(t, p.Args, "router")
	m.exists(t, "v1", "Service", "shop", "front-istio")
	m.exists(t, "v1", "ServiceAccount", "shop", "front-istio")
	m.exists(t, "policy/v1", "PodDisruptionBudget", "shop", "front-istio")
	m.condition(t, api.Ref{APIVersion: "gateway.networking.k8s.io/v1", Kind: "Gateway", Namespace: "shop", Name: "front"}, "Programmed")
	m.condition(t, api.Ref{APIVersion: "gateway.networking.k8s.io/v1", Kind: "HTTPRoute", Namespace: "shop", Name: "cart"}, "Accepted")
	m.condition(t, api.Ref{APIVersion: "gateway.networking.k8s.io/v1", Kind: "GatewayClass", Name: "istio"}, "Accepted")
}

func (m *mesh) testWaypoint(t *testing.T, ztunnel *xds.Client) {
	m.apply(t, `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: waypoint, namespace: shop, labels: {istio.io/waypoint-for: service}}
spec: {gatewayClassName: istio-waypoint, listeners: [{name: mesh, port: 15008, protocol: HBONE}]}
---
{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {istio.io/dataplane-mode: ambient, istio.io/use-waypoint: waypoint}}}
`)
	deployment := m.deployment(t, "shop", "waypoint")
	p := proxy(&corev1.Pod{Spec: deployment.Spec.Template.Spec})
	require.NotNil(t, p)
	require.Equal(t, "registry.istio.io/release/proxyv2:"+appVersion(t)+"-distroless", p.Image)
	require.Contains(t, p.Args, "waypoint")
	m.exists(t, "autoscaling/v2", "HorizontalPodAutoscaler", "shop", "waypoint")
	m.condition(t, api.Ref{APIVersion: "gateway.networking.k8s.io/v1", Kind: "Gateway", Namespace: "shop", Name: "waypoint"}, "Programmed")
	require.NoError(t, ztunnel.Await(soon(t), addresses, func(found map[string]proto.Message) error {
		address, _ := found["shop/cart.shop.svc.cluster.local"].(*workloadapi.Address)
		if to := address.GetService().GetWaypoint(); to == nil {
			return fmt.Errorf("the service has no waypoint: %v", address)
		}
		return nil
	}))
}

// deployment waits until a Deployment has all its pods.
func (m *mesh) deployment(t *testing.T, namespace, name string) *appsv1.Deployment {
	t.Helper()
	deployment := &appsv1.Deployment{}
	require.NoError(t, m.client.Wait(soon(t), api.Ref{APIVersion: "apps/v1", Kind: "Deployment", Namespace: namespace, Name: name},
		func(o *api.Object) error {
			if o == nil {
				return fmt.Errorf("Deployment %s/%s is missing", namespace, name)
			}
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, deployment); err != nil {
				return err
			}
			if s := deployment.Status; s.ReadyReplicas == 0 || s.ReadyReplicas != s.Replicas {
				return fmt.Errorf("Deployment %s/%s: %d of %d pods are ready", namespace, name, s.ReadyReplicas, s.Replicas)
			}
			return nil
		}))
	return deployment
}

func (m *mesh) exists(t *testing.T, version, kind, namespace, name string) {
	t.Helper()
	ref := api.Ref{APIVersion: version, Kind: kind, Namespace: namespace, Name: name}
	require.NoError(t, m.client.Wait(soon(t), ref, func(o *api.Object) error {
		if o == nil {
			return fmt.Errorf("%s is missing", ref)
		}
		return nil
	}))
}

func (m *mesh) testUntaint(t *testing.T) {
	node := api.Ref{APIVersion: "v1", Kind: "Node", Name: "node-1"}
	_, err := m.client.Patch(t.Context(), node, types.MergePatchType,
		`{"spec": {"taints": [{"key": "cni.istio.io/not-ready", "effect": "NoSchedule"}]}}`)
	require.NoError(t, err)
	require.NoError(t, m.client.Wait(soon(t), node, func(o *api.Object) error {
		if taints := o.Object["spec"].(map[string]any)["taints"]; taints != nil {
			return fmt.Errorf("the node has %v", taints)
		}
		return nil
	}))
}

func (m *mesh) testServiceEntry(t *testing.T) {
	m.apply(t, `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: bank, namespace: shop}
spec: {hosts: [bank.example.com], ports: [{number: 443, name: tls, protocol: TLS}], resolution: DNS}
`)
	ref := api.Ref{APIVersion: "networking.istio.io/v1", Kind: "ServiceEntry", Namespace: "shop", Name: "bank"}
	require.NoError(t, m.client.Wait(soon(t), ref, func(o *api.Object) error {
		if status, _ := o.Object["status"].(map[string]any); status["addresses"] == nil {
			return fmt.Errorf("its status is %v", status)
		}
		return nil
	}))
}

// testRegistration: istiod makes the WorkloadEntry of a proxy outside the cluster that connects, and takes it away later.
func (m *mesh) testRegistration(t *testing.T, account *corev1.Pod) {
	m.apply(t, `
apiVersion: networking.istio.io/v1
kind: WorkloadGroup
metadata: {name: vm, namespace: shop}
spec: {template: {serviceAccount: default}}
`)
	client := m.connect(t, "istiod", "sidecar", account, map[string]any{"AUTO_REGISTER_GROUP": "vm"})
	require.NoError(t, client.Subscribe("type.googleapis.com/envoy.config.cluster.v3.Cluster", "*"))
	m.exists(t, "networking.istio.io/v1", "WorkloadEntry", "shop", "vm-10.0.0.9")
}

// testReader: istiod reads another cluster, here its own once more, with the account that the charts make for this.
func (m *mesh) testReader(t *testing.T, i *istiod.Istiod) {
	token, err := istiod.AccountToken(t.Context(), m.cluster, system, "istio-reader-service-account")
	require.NoError(t, err)
	path, err := m.cluster.WriteTokenKubeconfig("reader", token)
	require.NoError(t, err)
	config, err := json.Marshal(read(t, path))
	require.NoError(t, err)
	m.apply(t, `
apiVersion: v1
kind: Secret
metadata: {name: istio-remote-secret-other, namespace: istio-system, labels: {istio/multiCluster: "true"}}
stringData: {other: `+string(config)+`}
`)
	require.NoError(t, api.Poll(soon(t), func(ctx context.Context) error {
		page, err := i.Debug(ctx, "/debug/clusterz")
		if err != nil {
			return err
		}
		var clusters []struct{ ID, SyncStatus string }
		if err := json.Unmarshal(page, &clusters); err != nil {
			return fmt.Errorf("%s: %w", page, err)
		}
		for _, c := range clusters {
			if c.ID == "other" && c.SyncStatus == "synced" {
				return nil
			}
		}
		return fmt.Errorf("clusters: %v", strings.TrimSpace(string(page)))
	}))
}
