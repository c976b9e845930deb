package charts_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// secret is a text that stands nowhere else.
const secret = "s3cr3t-Marker"

// What may be secret among the values is in the object that is meant to hold it and in no other, not in the notes, and not
// in the ConfigMap that records the values.
func TestSecretsStayWhereTheyBelong(t *testing.T) {
	t.Parallel()
	for n, tc := range []struct{ name, chart, values, holder string }{
		{"token of a tracer", "istiod", `{global: {proxy: {tracer: lightstep}, tracer: {lightstep: {address: "a:1", accessToken: SECRET}}}}`, "v1/ConfigMap mesh/istio"},
		{"token of a tracer that is not in use", "istiod", `{global: {tracer: {lightstep: {accessToken: SECRET}}}}`, ""},
		{"token of a tracer in the section", "istiod", `{pilot: {global: {proxy: {tracer: lightstep}, tracer: {lightstep: {address: "a:1", accessToken: SECRET}}}}}`, "v1/ConfigMap mesh/istio"},
		{"token of a tracer while another release makes the mesh configuration", "istiod", `{configMap: false, global: {proxy: {tracer: lightstep}, tracer: {lightstep: {address: "a:1", accessToken: SECRET}}}}`, ""},
		{"mesh configuration", "istiod", `{meshConfig: {defaultConfig: {tracing: {lightstep: {address: "a:1", accessToken: SECRET}}}}}`, "v1/ConfigMap mesh/istio"},
		{"header of a provider", "istiod", `{meshConfig: {extensionProviders: [{name: x, opentelemetry: {service: s, port: 1, http: {path: /, headers: [{name: authorization, value: SECRET}]}}}]}}`, "v1/ConfigMap mesh/istio"},
		{"authorities for key sets", "istiod", `{jwksResolverExtraRootCA: SECRET}`, "v1/ConfigMap mesh/pilot-jwks-extra-cacerts"},
		{"variable of istiod", "istiod", `{env: {TOKEN: SECRET}}`, "apps/v1/Deployment mesh/istiod"},
		{"variable of istiod in the section", "istiod", `{pilot: {env: {TOKEN: SECRET}}}`, "apps/v1/Deployment mesh/istiod"},
		{"variable of istiod in the Kubernetes form", "istiod", `{envVarFrom: [{name: TOKEN, value: SECRET}]}`, "apps/v1/Deployment mesh/istiod"},
		{"variable of an init container", "istiod", `{initContainers: [{name: a, image: b/c, env: [{name: TOKEN, value: SECRET}]}]}`, "apps/v1/Deployment mesh/istiod"},
		{"part of a gateway class", "istiod", `{gatewayClasses: {istio: {deployment: {metadata: {annotations: {a: SECRET}}}}}}`, "v1/ConfigMap mesh/istio-default-gatewayclass-istio"},
		{"injection template", "istiod", `{sidecarInjectorWebhook: {templates: {mine: SECRET}}}`, "v1/ConfigMap mesh/istio-sidecar-injector"},
		{"a global of another chart", "istiod", `{global: {registryPassword: SECRET}}`, ""},
		{"a key for anchors", "istiod", `{x-password: SECRET, global: {x-password: SECRET}}`, ""},
		{"another chart's section", "istiod", `{gateway: {env: {TOKEN: SECRET}}, ztunnel: {env: {TOKEN: SECRET}}, cni: {env: {TOKEN: SECRET}}}`, ""},
		{"another chart's key", "istiod", `{labels: {a: SECRET}, logLevel: SECRET}`, ""},
		{"variable of a gateway", "gateway", `{env: {TOKEN: SECRET}}`, "apps/v1/Deployment mesh/gateway"},
		{"variable of a gateway in the Kubernetes form", "gateway", `{envVarFrom: [{name: TOKEN, value: SECRET}]}`, "apps/v1/Deployment mesh/gateway"},
		{"variable of an additional container", "gateway", `{additionalContainers: [{name: a, image: b, env: [{name: TOKEN, value: SECRET}]}]}`, "apps/v1/Deployment mesh/gateway"},
		{"variable of ztunnel", "ztunnel", `{env: {TOKEN: SECRET}}`, "apps/v1/DaemonSet mesh/ztunnel"},
		{"variable of ztunnel in the mesh configuration", "ztunnel", `{meshConfig: {defaultConfig: {proxyMetadata: {TOKEN: SECRET}}}}`, "apps/v1/DaemonSet mesh/ztunnel"},
		// The agent's programs read the ConfigMap, its container the variables: both are documented.
		{"variable of the node agent", "istio-cni", `{env: {TOKEN: SECRET}}`, "apps/v1/DaemonSet mesh/istio-cni-node v1/ConfigMap mesh/istio-cni-config"},
		{"authority of the default validator", "base", `{base: {validationCABundle: SECRET}}`, "admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration /istiod-default-validator"},
		{"a global of another chart", "base", `{global: {registryPassword: SECRET}}`, ""},
		{"another chart's section", "gateway", `{pilot: {env: {TOKEN: SECRET}}}`, ""},
		{"mesh configuration", "ztunnel", `{meshConfig: {defaultConfig: {tracing: {lightstep: {accessToken: SECRET}}}}}`, ""},
	} {
		for _, engine := range inTurn(n) {
			t.Run(fmt.Sprintf("%s/%s/%s", tc.chart, tc.name, engine), func(t *testing.T) {
				t.Parallel()
				r, err := cell{tc.name, parse(t, strings.ReplaceAll(tc.values, "SECRET", secret))}.rendering(tc.chart, engine).objects(t)
				require.NoError(t, err)
				assert.Equal(t, tc.holder, strings.Join(r.holders(secret), " "))
				quoted, err := json.Marshal(secret)
				require.NoError(t, err)
				assert.Empty(t, r.holders(base64.StdEncoding.EncodeToString([]byte(secret))[:12]))
				assert.Empty(t, r.holders(base64.StdEncoding.EncodeToString(quoted)[:12]))
				assert.NotContains(t, r.notes, secret)
			})
		}
	}
}
