package charts_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
)

var webhookCases = []fieldCase{
	{
		name: "the failure policy of validation can be set", report: istioIssue + "44285",
		chart: "istiod", values: `{base: {validationFailurePolicy: Fail}}`, want: failsClosed,
	},
	{
		name: "an annotation reaches the injection webhooks", report: istioIssue + "60497",
		chart: "istiod", values: `{sidecarInjectorWebhookAnnotations: {admissions.enforcer/disabled: "true"}}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, map[string]string{"admissions.enforcer/disabled": "true"}, get[admissionv1.MutatingWebhookConfiguration](t, r).Annotations)
		},
	},
	{
		name: "the CRDs belong to the release", report: istioIssue + "43204",
		chart: "base", values: `{}`,
		want: func(t *testing.T, r result) {
			assert.Len(t, r.all("CustomResourceDefinition"), 15)
			for _, crd := range r.all("CustomResourceDefinition") {
				assert.Equal(t, "Helm", text(crd.object, "metadata", "labels", "app.kubernetes.io/managed-by"), crd.name())
				assert.Equal(t, "keep", text(crd.object, "metadata", "annotations", "helm.sh/resource-policy"), crd.name())
			}
		},
	},
	{
		name: "the CRDs can be left out", report: istioIssue + "43204",
		chart: "base", values: `{base: {enableIstioConfigCRDs: false}}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, []string{"ServiceAccount", "ValidatingWebhookConfiguration"}, r.kinds())
		},
	},
	{
		name: "an admission policy is no object of a namespace", report: istioPull + "57559",
		chart: "istiod", values: `{global: {resourceScope: namespace}, experimental: {stableValidationPolicy: true}}`,
		want: func(t *testing.T, r result) {
			assert.NotContains(t, r.kinds(), "ValidatingAdmissionPolicy")
			assert.NotContains(t, r.kinds(), "ValidatingAdmissionPolicyBinding")
			assert.Contains(t, r.kinds(), "Deployment")
		},
	},
}

var workloadCases = []fieldCase{
	{
		name: "the control plane asks for Linux nodes", report: istioIssue + "26583",
		chart: "istiod", values: `{}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, map[string]string{"kubernetes.io/os": "linux"}, pod(t, r).Spec.NodeSelector)
		},
	},
	{
		name: "the node agent can be held to some nodes", report: istioIssue + "57788",
		chart: "istio-cni", values: `{nodeSelector: {nodepool: mesh}}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, map[string]string{"kubernetes.io/os": "linux", "nodepool": "mesh"}, pod(t, r).Spec.NodeSelector)
		},
	},
	{
		name: "ztunnel takes a priority class", report: "https://github.com/istio/ztunnel/issues/1632",
		chart: "ztunnel", values: `{priorityClassName: mesh-critical}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, "mesh-critical", pod(t, r).Spec.PriorityClassName)
		},
	},
	{
		name: "a seccomp profile leaves the gateway its low ports", report: istioIssue + "48364",
		chart: "gateway", values: `{securityContext: {seccompProfile: {type: RuntimeDefault}}}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, &corev1.PodSecurityContext{
				SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
				Sysctls:        []corev1.Sysctl{{Name: "net.ipv4.ip_unprivileged_port_start", Value: "0"}},
			}, pod(t, r).Spec.SecurityContext)
		},
	},
	{
		name: "AppArmor is a field and no annotation", report: istioIssue + "54721",
		chart: "istio-cni", values: `{}`, kubeVersion: "v1.35.0",
		want: func(t *testing.T, r result) {
			for key := range pod(t, r).Annotations {
				assert.NotContains(t, key, "apparmor")
			}
			assert.Equal(t, corev1.AppArmorProfileTypeUnconfined, container(t, r).SecurityContext.AppArmorProfile.Type)
		},
	},
	{
		name: "one replica has no disruption budget", report: istioIssue + "12602",
		chart: "istiod", values: `{}`,
		want: func(t *testing.T, r result) {
			assert.Empty(t, r.all("PodDisruptionBudget"))
		},
	},
	{
		name: "a disruption budget takes maxUnavailable and an eviction policy", report: istioIssue + "56327",
		chart: "istiod", values: `{autoscaleMin: 2, pdb: {maxUnavailable: 1, unhealthyPodEvictionPolicy: AlwaysAllow}}`,
		want: func(t *testing.T, r result) {
			budget := get[policyv1.PodDisruptionBudget](t, r).Spec
			require.NotNil(t, budget.MaxUnavailable)
			assert.Equal(t, "1", budget.MaxUnavailable.String())
			assert.Nil(t, budget.MinAvailable)
			assert.Equal(t, policyv1.AlwaysAllow, *budget.UnhealthyPodEvictionPolicy)
		},
	},
	{
		name: "a DaemonSet has only fields of its own", report: istioPull + "27209",
		chart: "gateway", values: `{kind: DaemonSet, autoscaling: {enabled: false}, replicaCount: 2, strategy: {type: RollingUpdate}}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, appsv1.RollingUpdateDaemonSetStrategyType, get[appsv1.DaemonSet](t, r).Spec.UpdateStrategy.Type)
			assert.Empty(t, r.all("Deployment"))
		},
	},
}

var trafficCases = []fieldCase{
	{
		name: "the network policy of an east-west gateway lets its Service through", report: istioIssue + "57031",
		chart: "gateway", values: `{networkGateway: net-east, global: {networkPolicy: {enabled: true}}}`,
		want: func(t *testing.T, r result) {
			var open []int32
			for _, rule := range get[networkingv1.NetworkPolicy](t, r).Spec.Ingress {
				for _, p := range rule.Ports {
					open = append(open, p.Port.IntVal)
				}
			}
			ports := get[corev1.Service](t, r).Spec.Ports
			assert.Len(t, ports, 4)
			for _, p := range ports {
				assert.Contains(t, open, p.TargetPort.IntVal)
			}
			assert.Subset(t, open, []int32{15443, 15012, 15017})
		},
	},
	{
		name: "a load balancer can do without node ports", report: istioIssue + "48751",
		chart: "gateway", values: `{service: {allocateLoadBalancerNodePorts: false}}`,
		want: func(t *testing.T, r result) {
			allocate := get[corev1.Service](t, r).Spec.AllocateLoadBalancerNodePorts
			require.NotNil(t, allocate)
			assert.False(t, *allocate)
		},
	},
	{
		name: "a load balancer has a class", report: istioIssue + "48360",
		chart: "gateway", values: `{service: {loadBalancerClass: service.k8s.aws/nlb}}`,
		want: func(t *testing.T, r result) {
			class := get[corev1.Service](t, r).Spec.LoadBalancerClass
			require.NotNil(t, class)
			assert.Equal(t, "service.k8s.aws/nlb", *class)
		},
	},
}

var namespaceCases = []fieldCase{
	{
		name: "all objects go to the namespace of the release", report: istioIssue + "26801",
		chart: "istiod", values: `{}`, namespace: "mesh-system",
		want: func(t *testing.T, r result) {
			assert.Subset(t, []string{"v1/ConfigMap mesh-system/istio-sidecar-injector"}, r.holders("istio-system"), "only in templates, for values that have none")
			for _, d := range r.docs {
				if d.namespace() != "" {
					assert.Equal(t, "mesh-system", d.namespace(), d.id())
				}
			}
		},
	},
}
