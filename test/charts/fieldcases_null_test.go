package charts_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
)

// metrics lists the resources that the autoscaler looks at, with the use it aims at.
func metrics(t *testing.T, r result) map[string]int32 {
	t.Helper()
	out := map[string]int32{}
	for _, m := range get[autoscalingv2.HorizontalPodAutoscaler](t, r).Spec.Metrics {
		out[string(m.Resource.Name)] = *m.Resource.Target.AverageUtilization
	}
	return out
}

// quantities returns a resource list as text.
func quantities(list corev1.ResourceList) map[string]string {
	out := map[string]string{}
	for name, quantity := range list {
		out[string(name)] = quantity.String()
	}
	return out
}

// injection returns what the injector reads: its config or its values.
func injection(t *testing.T, r result, key string) map[string]any {
	t.Helper()
	return parse(t, get[corev1.ConfigMap](t, r, "istio-sidecar-injector").Data[key])
}

var nullCases = []fieldCase{
	{
		name: "a null limit is gone and the other limit stays", report: istioIssue + "57198",
		chart: "gateway", values: `{resources: {limits: {cpu: null}}}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, map[string]string{"memory": "1Gi"}, quantities(container(t, r).Resources.Limits))
			assert.Equal(t, map[string]string{"cpu": "100m", "memory": "128Mi"}, quantities(container(t, r).Resources.Requests))
		},
	},
	{
		name: "null for all resources leaves no resources", report: istioIssue + "53673",
		chart: "gateway", values: `{resources: null}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, corev1.ResourceRequirements{}, container(t, r).Resources)
		},
	},
	{
		name: "a tilde is null and fits the schema", report: istioIssue + "49962",
		chart: "gateway", values: `{resources: {requests: {cpu: 500m, memory: 1Gi}, limits: {cpu: ~, memory: 1Gi}}}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, map[string]string{"memory": "1Gi"}, quantities(container(t, r).Resources.Limits))
			assert.Equal(t, map[string]string{"cpu": "500m", "memory": "1Gi"}, quantities(container(t, r).Resources.Requests))
		},
	},
	{
		name: "an autoscaler without a CPU target looks at memory alone", report: istioPull + "38836",
		chart: "gateway", values: `{autoscaling: {targetCPUUtilizationPercentage: null, targetMemoryUtilizationPercentage: 75}}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, map[string]int32{"memory": 75}, metrics(t, r))
		},
	},
	{
		name: "the control plane's autoscaler looks at memory alone where cpu is null", report: istioPull + "47686",
		chart: "istiod", values: `{cpu: null, memory: {targetAverageUtilization: 75}}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, map[string]int32{"memory": 75}, metrics(t, r))
		},
	},
	{
		name: "a null global is as good as none", report: istioPull + "51228",
		chart: "ztunnel", values: `{global: null}`, same: `{}`,
	},
	{
		name: "a null label is on no object", report: "https://github.com/mesosphere/charts/pull/1656",
		chart: "gateway", values: `{labels: {istio.io/dataplane-mode: null}}`,
		want: func(t *testing.T, r result) {
			assert.NotEmpty(t, r.docs)
			assert.Empty(t, r.holders("istio.io/dataplane-mode"))
		},
	},
	{
		name: "a null maxUnavailable leaves minAvailable alone", report: istioIssue + "56327",
		chart: "istiod", values: `{autoscaleMin: 2, pdb: {minAvailable: 1, maxUnavailable: null}}`,
		want: func(t *testing.T, r result) {
			budget := get[policyv1.PodDisruptionBudget](t, r).Spec
			require.NotNil(t, budget.MinAvailable)
			assert.Equal(t, "1", budget.MinAvailable.String())
			assert.Nil(t, budget.MaxUnavailable)
		},
	},
	{
		name: "a null environment variable is gone", report: helmIssue + "10569",
		chart: "istiod", values: `{env: {PILOT_HTTP10: null}}`,
		want: func(t *testing.T, r result) {
			assert.Empty(t, env(t, r, "PILOT_HTTP10"))
		},
	},
	{
		name: "null removes through a parent chart", report: istioIssue + "57198",
		chart: umbrella, values: `{gateway: {resources: {limits: {cpu: null}}}}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, map[string]string{"memory": "1Gi"}, quantities(container(t, r, "mesh").Resources.Limits))
		},
	},
}

// absentSectionCases take away whole sections of istiod's values. The report is one for all.
var absentSectionCases = func() []fieldCase {
	cases := []fieldCase{
		{name: "without meshConfig only what follows from other values is left", values: `{meshConfig: null}`, want: func(t *testing.T, r result) {
			assert.Equal(t, map[string]any{
				"defaultConfig":    map[string]any{"discoveryAddress": "istiod.istio-system.svc:15012"},
				"defaultProviders": map[string]any{"metrics": []any{"prometheus"}},
				"rootNamespace":    "istio-system",
				"trustDomain":      "cluster.local",
			}, mesh(t, r))
		}},
		{name: "without global the image has no registry", values: `{global: null}`, fails: []string{"set hub or global.hub"}},
		{name: "without telemetry no provider is named", values: `{telemetry: null}`, want: func(t *testing.T, r result) {
			assert.NotContains(t, mesh(t, r), "defaultProviders")
		}},
		{name: "without sidecarInjectorWebhook injection is as Kubernetes has it", values: `{sidecarInjectorWebhook: null}`, want: func(t *testing.T, r result) {
			for _, w := range get[admissionv1.MutatingWebhookConfiguration](t, r).Webhooks {
				assert.Nil(t, w.ReinvocationPolicy)
			}
			assert.Equal(t, []any{"sidecar"}, injection(t, r, "config")["defaultTemplates"])
		}},
		{name: "without istiodRemote the control plane is here", values: `{istiodRemote: null}`, want: func(t *testing.T, r result) {
			assert.Equal(t, "/inject", *get[admissionv1.MutatingWebhookConfiguration](t, r).Webhooks[0].ClientConfig.Service.Path)
			assert.Equal(t, "discovery", container(t, r).Name)
		}},
		{name: "without gateways the templates have none", values: `{gateways: null}`, want: func(t *testing.T, r result) {
			assert.Equal(t, map[string]any{}, injection(t, r, "values")["gateways"])
		}},
		{name: "without base the validation webhook is as at first", values: `{base: null}`, want: func(t *testing.T, r result) {
			assert.Equal(t, admissionv1.Ignore, *get[admissionv1.ValidatingWebhookConfiguration](t, r).Webhooks[0].FailurePolicy)
		}},
		{name: "without env the chart's own variables stay", values: `{env: null}`, want: func(t *testing.T, r result) {
			assert.Equal(t, []string{"Kubernetes"}, env(t, r, "CLUSTER_ID"))
		}},
		{name: "without experimental there is no admission policy", values: `{experimental: null}`, want: func(t *testing.T, r result) {
			assert.Empty(t, r.all("ValidatingAdmissionPolicy"))
		}},
		{name: "without memory the autoscaler looks at the CPU", values: `{memory: null}`, want: func(t *testing.T, r result) {
			assert.Equal(t, map[string]int32{"cpu": 80}, metrics(t, r))
		}},
		{name: "without cpu the autoscaler has no aim of the chart's", values: `{cpu: null}`, want: func(t *testing.T, r result) {
			assert.Empty(t, metrics(t, r))
		}},
		{name: "without taint istiod tolerates the usual one", values: `{taint: null}`, want: func(t *testing.T, r result) {
			assert.Equal(t, []corev1.Toleration{{Key: "cni.istio.io/not-ready", Operator: corev1.TolerationOpExists}}, pod(t, r).Spec.Tolerations)
		}},
	}
	for n := range cases {
		cases[n].chart, cases[n].report = "istiod", istioPull+"51228"
	}
	return cases
}()
