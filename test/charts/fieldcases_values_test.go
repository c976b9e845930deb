package charts_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

var strictnessCases = []fieldCase{
	{
		name: "a misspelt key at the root is refused", report: helmIssue + "6422",
		chart: "istiod", values: `{autoscaleEnabeld: false, replicaCount: 3}`,
		fails: []string{"at '': additional properties 'autoscaleEnabeld' not allowed"},
	},
	{
		name: "misspelt keys in sections are refused together", report: "https://github.com/fosrl/helm-charts/issues/37",
		chart: "gateway", values: `{service: {loadBalancerIp: 192.0.2.10}, autoscaling: {minReplica: 3}}`,
		fails: []string{"at '/service': additional properties 'loadBalancerIp' not allowed", "at '/autoscaling': additional properties 'minReplica' not allowed"},
	},
	{
		name: "a misspelt resourceScope is refused with the known ones", report: istioPull + "57559",
		chart: "istiod", values: `{global: {resourceScope: namespaced}}`,
		fails: []string{"at '/global/resourceScope': value must be one of 'all', 'cluster', 'namespace'"},
	},
	{
		name: "the condition of a parent chart is accepted", report: istioIssue + "58277",
		chart: "gateway", values: `{enabled: true}`, same: `{}`,
	},
	{
		name: "a global of the user's own is accepted", report: istioIssue + "35495",
		chart: "gateway", values: `{global: {team: payments}}`, same: `{}`,
	},
	{
		name: "the default values fit the schema", report: istioIssue + "57354",
		chart: "gateway", values: `{}`, want: rendersAll,
	},
	{
		name: "a global env of an organisation is nobody's env", report: istioPull + "51517",
		chart: umbrella, values: `{global: {env: production}}`,
		want: func(t *testing.T, r result) {
			assert.Empty(t, r.holders("production"))
		},
	},
	{
		name: "a compatibility version without quotes is refused with the fix", report: helmIssue + "11800",
		chart: "istiod", values: `{compatibilityVersion: 1.30}`,
		fails: []string{`compatibilityVersion: 1.3 is a number; quote it, as in compatibilityVersion: "1.30"`},
	},
	{
		name: "a tag that YAML takes for a float is refused", report: helmIssue + "11800",
		chart: "istio-cni", values: `{tag: 1.10}`,
		fails: []string{"at '/tag': got number, want null or integer or string"},
	},
	{
		name: "a revision too long for a label is refused", report: istioIssue + "57523",
		chart: "istiod", values: `{revision: release-feature-ticket-number-one-two-three-four-five-six-seven-eight}`,
		fails: []string{`revision: "release-feature-ticket-number-one-two-three-four-five-six-seven-eight" is not a DNS label of at most 56 characters`, "choose a shorter or plainer name"},
	},
	{
		name: "a key that no template reads is refused", report: "https://github.com/istio/istio.io/pull/16057",
		chart: "istiod", values: `{global: {proxy: {accessLogFile: /dev/stdout}}}`,
		fails: []string{"at '/global/proxy': additional properties 'accessLogFile' not allowed"},
	},
}

var stringCases = []fieldCase{
	{
		name: "a sampling rate of zero reaches the pod", report: istioIssue + "36750",
		chart: "istiod", values: `{traceSampling: 0}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, []string{"0"}, env(t, r, "PILOT_TRACE_SAMPLING"))
		},
	},
	{
		name: "a large number in the environment keeps its digits", report: "https://github.com/webrecorder/browsertrix/issues/3145",
		chart: "istiod", values: `{env: {ISTIO_GPRC_MAXRECVMSGSIZE: 10485760}}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, []string{"10485760"}, env(t, r, "ISTIO_GPRC_MAXRECVMSGSIZE"))
		},
	},
	{
		name: "a large grace period is an integer", report: "https://github.com/memgraph/helm-charts/pull/218",
		chart: "gateway", values: `{terminationGracePeriodSeconds: 3600000}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, int64(3600000), *pod(t, r).Spec.TerminationGracePeriodSeconds)
		},
	},
	{
		name: "a revision of digits alone is text", report: "https://github.com/stakater/application/pull/238",
		chart: "istiod", values: `{revision: 131}`, same: `{revision: "131"}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, "131", get[appsv1.Deployment](t, r, "istiod-131").Labels["istio.io/rev"])
		},
	},
	{
		name: "a label of digits alone is text", report: "https://github.com/stakater/application/pull/238",
		chart: "istio-cni", values: `{revision: "131"}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, "131", get[appsv1.DaemonSet](t, r).Labels["istio.io/rev"])
		},
	},
	{
		name: "a cluster name of digits alone keeps its zero", report: istioPull + "48249",
		chart: "ztunnel", values: `{multiCluster: {clusterName: "0427"}}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, []string{"0427"}, env(t, r, "ISTIO_META_CLUSTER_ID"))
		},
	},
	{
		name: "a switch in the environment may be the text true", report: istioPull + "55592",
		chart: "istiod", values: `{pilot: {env: {ENABLE_CLUSTER_TRUST_BUNDLE_API: "true"}}}`, same: `{env: {ENABLE_CLUSTER_TRUST_BUNDLE_API: "true"}}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, []string{"true"}, env(t, r, "ENABLE_CLUSTER_TRUST_BUNDLE_API"))
			for _, v := range pod(t, r).Spec.Volumes {
				if v.Name == "istio-csr-ca-configmap" {
					assert.NotNil(t, v.Projected, "it has its effect")
				}
			}
		},
	},
	{
		name: "a number as annotation of a pod is text", report: "https://github.com/stakater/application/pull/238",
		chart: "gateway", values: `{podAnnotations: {example.com/build: 1234567}}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, "1234567", pod(t, r).Annotations["example.com/build"])
		},
	},
}

// A key that stands twice is an error of every render here: see read.
var oneEntryCases = []fieldCase{
	{
		name: "a variable of the user's replaces ztunnel's", report: "https://github.com/mesosphere/charts/pull/1663",
		chart: "ztunnel", values: `{env: {CA_ADDRESS: istiod.example.com:15012, RUST_LOG: debug}}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, []string{"istiod.example.com:15012"}, env(t, r, "CA_ADDRESS"))
			assert.Equal(t, []string{"debug"}, env(t, r, "RUST_LOG"))
		},
	},
	{
		name: "a variable of the user's replaces istiod's", report: helmIssue + "31529",
		chart: "istiod", values: `{env: {PILOT_TRACE_SAMPLING: "5", CLUSTER_ID: east}}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, []string{"5"}, env(t, r, "PILOT_TRACE_SAMPLING"))
			assert.Equal(t, []string{"east"}, env(t, r, "CLUSTER_ID"))
		},
	},
	{
		name: "a label of the user's replaces the standard one", report: "https://github.com/mondoohq/mondoo-operator/issues/751",
		chart: "gateway", values: `{labels: {app.kubernetes.io/name: edge, app.kubernetes.io/part-of: shop}}`,
		want: func(t *testing.T, r result) {
			service := get[corev1.Service](t, r)
			assert.Equal(t, "edge", service.Labels["app.kubernetes.io/name"])
			assert.Equal(t, "shop", service.Labels["app.kubernetes.io/part-of"])
		},
	},
	{
		name: "a variable of the user's replaces the key of the node agent's ConfigMap", report: istioPull + "57029",
		chart: "istio-cni", values: `{env: {AMBIENT_DNS_CAPTURE: "false"}}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, "false", get[corev1.ConfigMap](t, r).Data["AMBIENT_DNS_CAPTURE"])
		},
	},
	{
		name: "an external istiod says so once", report: istioIssue + "51595",
		chart: "istiod", values: `{global: {externalIstiod: true}}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, []string{"true"}, env(t, r, "EXTERNAL_ISTIOD"))
		},
	},
}

var imageCases = []fieldCase{
	{
		name: "one global hub and tag give every image", report: istioIssue + "52718",
		chart: umbrella, values: `{global: {hub: registry.example.com/istio, tag: 1.31.0}}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, "registry.example.com/istio/pilot:1.31.0", container(t, r, "istiod").Image)
			assert.Equal(t, "registry.example.com/istio/install-cni:1.31.0", container(t, r, "istio-cni-node").Image)
			assert.Equal(t, "registry.example.com/istio/ztunnel:1.31.0", container(t, r, "ztunnel").Image)
			assert.Equal(t, "auto", container(t, r, "mesh").Image)
		},
	},
	{
		name: "one global list of names gives every pull secret", report: istioIssue + "36852",
		chart: umbrella, values: `{global: {imagePullSecrets: [regcred]}}`,
		want: func(t *testing.T, r result) {
			want := []corev1.LocalObjectReference{{Name: "regcred"}}
			assert.Equal(t, want, pod(t, r, "mesh").Spec.ImagePullSecrets)
			for _, account := range []string{"istiod", "istio-cni", "ztunnel", "istio-reader-service-account"} {
				assert.Equal(t, want, get[corev1.ServiceAccount](t, r, account).ImagePullSecrets, account)
			}
		},
	},
	{
		name: "a gateway takes pull secrets as names", report: istioIssue + "41691",
		chart: "gateway", values: `{imagePullSecrets: [regcred]}`, same: `{imagePullSecrets: [{name: regcred}]}`,
		want: func(t *testing.T, r result) {
			assert.Equal(t, []corev1.LocalObjectReference{{Name: "regcred"}}, pod(t, r).Spec.ImagePullSecrets)
		},
	},
}
