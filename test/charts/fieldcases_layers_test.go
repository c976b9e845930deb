package charts_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
)

var layeringCases = []fieldCase{
	{
		name: "the chart's defaults are not for users", report: istioIssue + "53018",
		chart: "istiod", values: `{defaults: {global: {hub: registry.example.com/istio}}}`,
		fails: []string{"defaults.global.hub: the chart's defaults are not for users; set global.hub instead"},
	},
	{
		name: "a value at the root wins over the platform", report: istioIssue + "54890",
		chart: "istio-cni", values: `{global: {platform: k3s}, cniBinDir: /opt/custom/bin}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, "/opt/custom/bin", hostPath(t, r, "cni-bin-dir"))
			assert.Equal(t, "/var/lib/rancher/k3s/agent/etc/cni/net.d", hostPath(t, r, "cni-net-dir"), "the platform's other values stay")
		},
	},
	{
		name: "a value in the section wins over the platform", report: istioIssue + "54890",
		chart: "istio-cni", values: `{global: {platform: k3s}, cni: {cniBinDir: /opt/custom/bin}}`,
		same: `{global: {platform: k3s}, cniBinDir: /opt/custom/bin}`,
	},
	{
		name: "resources at the root win over the profile", report: istioIssue + "20153",
		chart: "istiod", values: `{profile: demo, resources: {requests: {cpu: "2", memory: 4Gi}}}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, map[string]string{"cpu": "2", "memory": "4Gi"}, quantities(container(t, r).Resources.Requests))
		},
	},
	{
		name: "a provider for access logs leaves that for metrics", report: istioIssue + "51384",
		chart: "istiod", values: `{meshConfig: {defaultProviders: {accessLogging: [otel]}}}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, map[string]any{"accessLogging": []any{"otel"}, "metrics": []any{"prometheus"}}, mesh(t, r)["defaultProviders"])
		},
	},
	{
		name: "a list of tolerations replaces the default one", report: istioIssue + "56086",
		chart: "ztunnel", values: `{tolerations: [{key: arm64, operator: Exists}]}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, []corev1.Toleration{{Key: "arm64", Operator: corev1.TolerationOpExists}}, pod(t, r).Spec.Tolerations)
		},
	},
}

// failurePolicy is what the one validation webhook says.
func failurePolicy(t *testing.T, r result) admissionv1.FailurePolicyType {
	t.Helper()
	webhooks := get[admissionv1.ValidatingWebhookConfiguration](t, r).Webhooks
	require.Len(t, webhooks, 1)
	require.NotNil(t, webhooks[0].FailurePolicy)
	return *webhooks[0].FailurePolicy
}

func failsClosed(t *testing.T, r result) {
	assert.Equal(t, admissionv1.Fail, failurePolicy(t, r))
}

var profileCases = []fieldCase{
	{
		name: "platform gke alone gives the directory that GKE can write to", report: helmIssue + "31423",
		chart: "istio-cni", values: `{global: {platform: gke}}`, namespace: "kube-system", kubeVersion: "v1.33.4-gke.1245000",
		want: func(t *testing.T, r result) {
			assert.Equal(t, "/home/kubernetes/bin", hostPath(t, r, "cni-bin-dir"))
		},
	},
	{
		name: "platform gke gives a quota for node-critical pods", report: istioIssue + "56376",
		chart: "ztunnel", values: `{global: {platform: gke}}`,
		want: func(t *testing.T, r result) {
			quota := get[corev1.ResourceQuota](t, r).Spec
			assert.Equal(t, map[string]string{"pods": "5k"}, quantities(quota.Hard))
			assert.Equal(t, []string{pod(t, r).Spec.PriorityClassName}, quota.ScopeSelector.MatchExpressions[0].Values)
		},
	},
	{
		name: "platform k3s gives its directories", report: istioIssue + "51121",
		chart: "istio-cni", values: `{global: {platform: k3s}}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, "/var/lib/rancher/k3s/agent/etc/cni/net.d", hostPath(t, r, "cni-net-dir"))
			assert.Equal(t, "/var/lib/rancher/k3s/data/cni", hostPath(t, r, "cni-bin-dir"))
		},
	},
	{
		name: "platform microk8s gives its directories", report: "https://github.com/istio/istio.io/pull/15651",
		chart: "istio-cni", values: `{global: {platform: microk8s}}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, "/var/snap/microk8s/current/args/cni-network", hostPath(t, r, "cni-net-dir"))
			assert.Equal(t, "/var/snap/microk8s/current/opt/cni/bin", hostPath(t, r, "cni-bin-dir"))
		},
	},
	{
		name: "platform openshift grants the security context constraints", report: "https://github.com/tigera/operator/pull/4402",
		chart: "ztunnel", values: `{global: {platform: openshift}}`, namespace: "kube-system",
		want: func(t *testing.T, r result) {
			assert.Equal(t, &corev1.SELinuxOptions{Type: "spc_t"}, container(t, r).SecurityContext.SELinuxOptions)
			assert.Len(t, r.all("ClusterRole"), 1)
			assert.Len(t, r.all("ClusterRoleBinding"), 1)
		},
	},
	{
		name: "profile demo gives ztunnel small requests", report: istioPull + "48249",
		chart: "ztunnel", values: `{profile: demo}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, map[string]string{"cpu": "10m", "memory": "40Mi"}, quantities(container(t, r).Resources.Requests))
		},
	},
	{
		name: "profile default changes nothing but its name", report: istioPull + "53132",
		chart: "istiod", values: `{profile: default}`,
		want: func(t *testing.T, r result) {
			assert.Empty(t, env(t, r, "PILOT_ENABLE_AMBIENT"))
			assert.Equal(t, []string{""}, env(t, r, "PLATFORM"))
		},
	},
	{
		name: "profile openshift does what its platform does", report: istioPull + "53132",
		chart: "istiod", values: `{profile: openshift}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, []string{"openshift"}, env(t, r, "PLATFORM"))
			assert.Equal(t, []string{"kube-system/ztunnel"}, env(t, r, "CA_TRUSTED_NODE_ACCOUNTS"))
		},
	},
	{
		name: "profiles add up and the later wins", report: "https://github.com/spiffe/helm-charts/issues/146",
		chart: "istiod", values: `{profile: [ambient, demo]}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, []string{"true"}, env(t, r, "PILOT_ENABLE_AMBIENT"))
			assert.Equal(t, []string{"100"}, env(t, r, "PILOT_TRACE_SAMPLING"))
		},
	},
	{
		name: "profile gitops fixes the failure policy of istiod's validation", report: istioIssue + "57643",
		chart: "istiod", values: `{profile: gitops}`, want: failsClosed,
	},
	{
		name: "profile gitops fixes the failure policy of the default validator", report: istioIssue + "57643",
		chart: "base", values: `{profile: gitops}`, want: failsClosed,
	},
	{
		name: "one global profile reaches every chart", report: istioIssue + "54401",
		chart: umbrella, values: `{global: {profile: ambient}}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, "true", get[corev1.ConfigMap](t, r, "istio-cni-config").Data["AMBIENT_ENABLED"])
			assert.Equal(t, []string{"true"}, env(t, r, "PILOT_ENABLE_AMBIENT", "istiod"))
			assert.Contains(t, container(t, r, "ztunnel").Image, "-distroless")
			assert.Equal(t, []string{"true"}, env(t, r, "ISTIO_META_ENABLE_HBONE", "ztunnel"))
		},
	},
	{
		name: "an unknown platform is refused with the known ones", report: istioPull + "52981",
		chart: "istiod", values: `{global: {platform: eks}}`,
		fails: []string{`platform: unknown name "eks"; known: gke, k3d, k3s, microk8s, minikube, openshift`},
	},
	{
		name: "an unknown profile is refused with the known ones", report: istioPull + "52981",
		chart: "ztunnel", values: `{profile: ambiant}`,
		fails: []string{`profile: unknown name "ambiant"; known: ambient, default, demo, gitops, openshift, openshift-ambient, preview, remote, stable`},
	},
}
