package charts_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
)

// scalars are what YAML makes of things that users write, and scalarTexts what Kubernetes is to get.
const scalars = `{A: 1000000, B: 1.0e+6, C: true, D: "1.30", E: 0.000001, F: 1.5, G: "", H: "007", I: no, J: 9007199254740991, K: -1}`

var scalarTexts = map[string]string{
	"A": "1000000", "B": "1000000", "C": "true", "D": "1.30", "E": "0.000001", "F": "1.5", "G": "", "H": "007", "I": "false", "J": "9007199254740991", "K": "-1",
}

// Where Kubernetes wants text it gets the digits and words that the user wrote, in every chart and place.
func TestTextIsWhatTheUserWrote(t *testing.T) {
	t.Parallel()
	variables := func(t *testing.T, r result) map[string]string {
		t.Helper()
		out := map[string]string{}
		for _, v := range container(t, r).Env {
			out[v.Name] = v.Value
		}
		return out
	}
	annotations := func(t *testing.T, r result) map[string]string { t.Helper(); return pod(t, r).Annotations }
	selector := func(t *testing.T, r result) map[string]string { t.Helper(); return pod(t, r).Spec.NodeSelector }
	data := func(t *testing.T, r result) map[string]string { t.Helper(); return get[corev1.ConfigMap](t, r).Data }
	injected := func(t *testing.T, r result) map[string]string {
		t.Helper()
		out := map[string]string{}
		m, _ := injection(t, r, "config")["injectedAnnotations"].(map[string]any)
		for key, value := range m {
			out[key], _ = value.(string)
		}
		return out
	}
	for n, tc := range []struct {
		chart, values string
		texts         func(t *testing.T, r result) map[string]string
	}{
		{"istiod", `{env: SCALARS}`, variables},
		{"istiod", `{podAnnotations: SCALARS}`, annotations},
		{"istiod", `{nodeSelector: SCALARS}`, selector},
		{"istiod", `{sidecarInjectorWebhook: {injectedAnnotations: SCALARS}}`, injected},
		{"istio-cni", `{env: SCALARS}`, variables},
		{"istio-cni", `{global: {}, env: SCALARS}`, data},
		{"istio-cni", `{podAnnotations: SCALARS}`, annotations},
		{"istio-cni", `{nodeSelector: SCALARS}`, selector},
		{"ztunnel", `{env: SCALARS}`, variables},
		{"ztunnel", `{meshConfig: {defaultConfig: {proxyMetadata: SCALARS}}}`, variables},
		{"ztunnel", `{podAnnotations: SCALARS}`, annotations},
		{"ztunnel", `{nodeSelector: SCALARS}`, selector},
		{"gateway", `{env: SCALARS}`, variables},
		{"gateway", `{podAnnotations: SCALARS}`, annotations},
		{"gateway", `{nodeSelector: SCALARS}`, selector},
	} {
		for _, engine := range inTurn(n) {
			t.Run(fmt.Sprintf("%s/%s/%s", tc.chart, tc.values, engine), func(t *testing.T) {
				t.Parallel()
				r, err := cell{values: parse(t, strings.ReplaceAll(tc.values, "SCALARS", scalars))}.rendering(tc.chart, engine).objects(t)
				require.NoError(t, err)
				assert.Subset(t, tc.texts(t, r), scalarTexts)
			})
		}
	}
}

// A revision of digits is text in labels, and whole numbers are integers where Kubernetes wants those.
func TestNumbersAreWhatTheUserWrote(t *testing.T) {
	t.Parallel()
	for n, name := range []string{"istio-cni", "ztunnel", "gateway"} {
		for _, engine := range inTurn(n) {
			t.Run(fmt.Sprintf("%s/%s", name, engine), func(t *testing.T) {
				t.Parallel()
				explicit := parse(t, `{revision: 131, terminationGracePeriodSeconds: 1.0e+6, global: {networkPolicy: {enabled: true}}}`)
				r, err := cell{values: explicit}.rendering(name, engine).objects(t)
				require.NoError(t, err)
				assert.Equal(t, int64(1000000), *pod(t, r).Spec.TerminationGracePeriodSeconds)
				assert.Equal(t, "131", text(r.all("NetworkPolicy")[0].object, "metadata", "labels", "istio.io/rev"))
			})
		}
	}
}

// The injector's values hold text where its templates put text into pods.
func TestInjectorValuesAreText(t *testing.T) {
	t.Parallel()
	r, err := cell{values: parse(t, `
global:
  proxy: {includeInboundPorts: 8080, excludeOutboundPorts: 8081, resources: {limits: {cpu: 2}}}
  waypoint: {nodeSelector: {mesh: true}}
`)}.rendering("istiod", engines[0]).objects(t)
	require.NoError(t, err)
	global := injection(t, r, "values")["global"]
	assert.Equal(t, "8080", at(global, "proxy", "includeInboundPorts"))
	assert.Equal(t, "8081", at(global, "proxy", "excludeOutboundPorts"))
	assert.Equal(t, "2", at(global, "proxy", "resources", "limits", "cpu"))
	assert.Equal(t, map[string]any{"mesh": "true"}, at(global, "waypoint", "nodeSelector"))
}
