package charts_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stratamesh/strata/pkg/render"
)

// A refusal is bad input and the texts of its error.
type refusal struct {
	name   string
	chart  string
	values string
	fails  []string
}

// every is a chart name for each of the five, some for one of them in turn: of what the engine does, which is the same in all.
const (
	every = "every chart"
	some  = "some chart"
)

// chartsFor are the charts that case n is for.
func chartsFor(name string, n int) []string {
	switch name {
	case every:
		return chartNames
	case some:
		return chartNames[n%len(chartNames) : n%len(chartNames)+1]
	}
	return []string{name}
}

var refusals = map[string][]refusal{
	"selector": {
		{"unknown profile", every, `{profile: nope}`, []string{`profile: unknown name "nope"; known: ambient, default, demo, gitops, openshift, openshift-ambient, preview, remote, stable`}},
		{"unknown profile in a list", some, `{profile: [ambient, nope]}`, []string{`profile: unknown name "nope"; known: `}},
		{"unknown profile in a sum", some, `{profile: ambient+nope}`, []string{`profile: unknown name "nope"; known: `}},
		{"a platform is no profile", some, `{profile: platform-gke}`, []string{`profile: unknown name "platform-gke"; known: `}},
		{"unknown platform", some, `{platform: nope}`, []string{`platform: unknown name "nope"; known: gke, k3d, k3s, microk8s, minikube, openshift`}},
		{"unknown platform under global", some, `{global: {platform: nope}}`, []string{`platform: unknown name "nope"; known: `}},
		{"unknown version", some, `{compatibilityVersion: "1.24"}`, []string{`compatibilityVersion: unknown name "1.24"; known: 1.25, 1.26, 1.27, 1.28, 1.29, 1.30`}},
		{"version without quotes", every, `{compatibilityVersion: 1.30}`, []string{`compatibilityVersion: 1.3 is a number; quote it, as in compatibilityVersion: "1.30"`}},
		{"version without quotes under global", some, `{global: {compatibilityVersion: 1.30}}`, []string{`quote it, as in compatibilityVersion: "1.30"`}},
		{"number as profile", some, `{profile: 5}`, []string{`profile: 5 is a number; quote it`}},
		{"map as profile", some, `{profile: {a: b}}`, []string{`profile: is a map where a name belongs`}},
		{"number in a list of profiles", some, `{profile: [1]}`, []string{`profile: the list holds a number; each item is the name of a profile`}},
		{"list as platform", some, `{platform: [gke]}`, []string{`at '/platform': got array, want null or string`}},
	},
	"what Kubernetes requires": {
		{"volume without a name", "gateway", `{volumes: [{emptyDir: {}}]}`, []string{`at '/volumes/0': missing property 'name'`}},
		{"mount without a path", "gateway", `{volumeMounts: [{name: x}]}`, []string{`at '/volumeMounts/0': missing property 'mountPath'`}},
		{"container without a name", "gateway", `{additionalContainers: [{image: x}]}`, []string{`at '/additionalContainers/0': missing property 'name'`}},
		{"container without a name in the section", "gateway", `{gateway: {additionalContainers: [{image: x}]}}`, []string{`at '/gateway/additionalContainers/0': missing property 'name'`}},
	},
	"defaults": {
		{"a key the chart knows", every, `{defaults: {global: {resourceScope: cluster}}}`, []string{`defaults.global.resourceScope: the chart's defaults are not for users; set global.resourceScope instead`}},
		{"a key nobody knows", some, `{defaults: {nope: 1}}`, []string{`defaults.nope: the chart's defaults are not for users; set nope instead`}},
		{"several keys in one error", some, `{defaults: {nope: 1, nada: 2}}`, []string{`defaults.nada: `, `defaults.nope: `}},
		{"null for one", some, `{defaults: {global: null}}`, []string{`defaults.global: the chart's defaults are not for users; set global instead`}},
		{"null for all", some, `{defaults: null}`, []string{`defaults: the chart's own defaults are missing; do not set this key`}},
		{"those of the upstream chart", some, `{_internal_defaults_do_not_set: {hub: x}}`, []string{`_internal_defaults_do_not_set: these are the defaults of another chart; upgrade with --reset-then-reuse-values`}},
	},
	"unknown key": {
		{"at the root", every, `{nope: 1}`, []string{`at '': additional properties 'nope' not allowed`}},
		{"null at the root", every, `{nope: null}`, []string{`at '': additional properties 'nope' not allowed`}},
		{"in a section of values", "base", `{experimental: {nope: 1}}`, []string{`at '/experimental': additional properties 'nope' not allowed`}},
		{"in a section of values", "istio-cni", `{repair: {nope: 1}}`, []string{`at '/repair': additional properties 'nope' not allowed`}},
		{"deep in the values", "istiod", `{telemetry: {v2: {prometheus: {nope: 1}}}}`, []string{`at '/telemetry/v2/prometheus': additional properties 'nope' not allowed`}},
		{"in a section of values", "ztunnel", `{updateStrategy: {rollingUpdate: {nope: 1}}}`, []string{`at '/updateStrategy/rollingUpdate': additional properties 'nope' not allowed`}},
		{"in a section of values", "gateway", `{networkGatewayPorts: {tls: {nope: 1}}}`, []string{`at '/networkGatewayPorts/tls': additional properties 'nope' not allowed`}},
		{"in the chart's own section", "istio-cni", `{cni: {nope: 1}}`, []string{`at '/cni': additional properties 'nope' not allowed`}},
		{"in the chart's own section", "istiod", `{pilot: {nope: 1}}`, []string{`at '/pilot': additional properties 'nope' not allowed`}},
		{"in the chart's own section", "ztunnel", `{ztunnel: {nope: 1}}`, []string{`at '/ztunnel': additional properties 'nope' not allowed`}},
		{"in the chart's own section", "gateway", `{gateway: {nope: 1}}`, []string{`at '/gateway': additional properties 'nope' not allowed`}},
		{"in a global section that the chart knows", "istiod", `{global: {proxy: {nope: 1}}}`, []string{`at '/global/proxy': additional properties 'nope' not allowed`}},
		{"in a type of Kubernetes", "gateway", `{affinity: {nodeAffinty: {}}}`, []string{`at '/affinity': additional properties 'nodeAffinty' not allowed`}},
		{"in a list of a type of Kubernetes", "gateway", `{service: {ports: [{name: http, prot: 80}]}}`, []string{`at '/service/ports/0': additional properties 'prot' not allowed`}},
		{"in a list of pull secrets", every, `{imagePullSecrets: [{nme: x}]}`, []string{`at '/imagePullSecrets/0': additional properties 'nme' not allowed`}},
	},
	"wrong type": {
		{"text as boolean", "istiod", `{autoscaleEnabled: "yes"}`, []string{`at '/autoscaleEnabled': got string, want null or boolean`}},
		{"text as integer", "istiod", `{autoscaleMin: two}`, []string{`at '/autoscaleMin': got string, want null or integer`}},
		{"fraction as integer", "gateway", `{replicaCount: 1.5}`, []string{`at '/replicaCount': got number, want null or integer`}},
		{"number as text", "ztunnel", `{network: 5}`, []string{`at '/network': got number, want null or string`}},
		{"map as text", "istiod", `{hub: {a: b}}`, []string{`at '/hub': got object, want null or string`}},
		{"map as list", "ztunnel", `{tolerations: {a: b}}`, []string{`at '/tolerations': got object, want null or array`}},
		{"text as list", every, `{imagePullSecrets: regcred}`, []string{`at '/imagePullSecrets': got string, want null or array`}},
		{"list as map", "istio-cni", `{ambient: [a]}`, []string{`at '/ambient': got array, want null or object`}},
		{"list as resources", "gateway", `{resources: [a]}`, []string{`at '/resources': got array, want null or object`}},
		{"list as environment", "istiod", `{env: [{name: A, value: b}]}`, []string{`at '/env': got array, want null or object`}},
		{"list as mesh configuration", "istiod", `{meshConfig: [a]}`, []string{`at '/meshConfig': got array, want null or object`}},
		{"text as global", every, `{global: x}`, []string{`at '/global': got string, want null or object`}},
		{"list as global", every, `{global: [x]}`, []string{`at '/global': got array, want null or object`}},
		{"text as another chart's section", "istiod", `{ztunnel: x}`, []string{`at '/ztunnel': got string, want null or object`}},
		{"map as variable", "istio-cni", `{env: {A: {b: c}}}`, []string{`at '/env/A': got object, want null or boolean or number or string`}},
		{"list as label", "gateway", `{labels: {a: [x]}}`, []string{`at '/labels/a': got array, want null or boolean or number or string`}},
		{"map as injection template", "istiod", `{sidecarInjectorWebhook: {templates: {mine: {a: b}}}}`, []string{`sidecarInjectorWebhook`, `templates`, `mine`}},
		{"list as gateway class", "istiod", `{gatewayClasses: {istio: [a]}}`, []string{`gatewayClasses`, `istio`}},
		{"boolean as quantity", "gateway", `{resources: {limits: {cpu: true}}}`, []string{`at '/resources/limits/cpu': got boolean, want null or number or string`}},
		{"fraction as tag", "istiod", `{tag: 1.31}`, []string{`at '/tag': got number, want null or integer or string`}},
		{"fraction as tag", "ztunnel", `{tag: 1.30}`, []string{`at '/tag': got number, want null or integer or string`}},
		{"fraction as global tag", "istiod", `{global: {tag: 1.31}}`, []string{`at '/global/tag': got number, want null or integer or string`}},
		{"fraction as global tag", "istio-cni", `{global: {tag: 1.30}}`, []string{`at '/global/tag': got number, want null or integer or string`}},
		{"fraction as global tag", "ztunnel", `{global: {tag: 1.30}}`, []string{`at '/global/tag': got number, want null or integer or string`}},
		{"fraction as revision", "gateway", `{revision: 1.30}`, []string{`at '/revision': got number, want null or integer or string`}},
	},
	"closed list": {
		{"scope", every, `{resourceScope: Cluster}`, []string{`resourceScope`, `all`, `cluster`, `namespace`}},
		{"scope under global", every, `{global: {resourceScope: namespaced}}`, []string{`at '/global/resourceScope': value must be one of`}},
		{"kind of a gateway", "gateway", `{kind: Daemonset}`, []string{`at '/kind': value must be one of 'Deployment', 'DaemonSet'`}},
		{"type of a Service", "gateway", `{service: {type: Loadbalancer}}`, []string{`at '/service/type': value must be one of 'LoadBalancer', 'ClusterIP', 'NodePort', 'None'`}},
		{"provider", "istio-cni", `{provider: Multus}`, []string{`at '/provider': value must be one of 'default', 'multus'`}},
		{"pull policy", "ztunnel", `{imagePullPolicy: always}`, []string{`at '/imagePullPolicy': value must be one of '', 'Always', 'IfNotPresent', 'Never'`}},
		{"failure policy", "base", `{base: {validationFailurePolicy: fail}}`, []string{`at '/base/validationFailurePolicy': value must be one of 'Fail', 'Ignore'`}},
		{"tracer", "istiod", `{global: {proxy: {tracer: jaeger}}}`, []string{`at '/global/proxy/tracer': value must be one of 'none', 'datadog', 'lightstep', 'stackdriver', 'zipkin'`}},
		{"CRDs to leave out", "base", `{base: {excludedCRDs: [nope.istio.io]}}`, []string{`base.excludedCRDs: unknown name "nope.istio.io"; known: authorizationpolicies.security.istio.io, `}},
		{"default templates", "istiod", `{sidecarInjectorWebhook: {defaultTemplates: [nope]}}`, []string{`sidecarInjectorWebhook.defaultTemplates: there is no template "nope"`}},
	},
	"label": {
		{"revision in capitals", "istiod", `{revision: UP}`, []string{`revision: "UP" is not a DNS label of at most 56 characters`}},
		{"revision with dots", "ztunnel", `{revision: 1.30.0}`, []string{`revision: "1.30.0" is not a DNS label of at most 56 characters`, `such as 1-31-4`}},
		{"revision with an underscore", "gateway", `{revision: my_rev}`, []string{`revision: "my_rev" is not a DNS label of at most 56 characters`}},
		{"revision that begins with a dash", "istio-cni", `{revision: -a}`, []string{`revision: "-a" is not a DNS label of at most 56 characters`}},
		{"default revision with dots", "base", `{defaultRevision: a.b}`, []string{`defaultRevision: "a.b" is not a DNS label of at most 56 characters`}},
		{"tag in capitals", "istiod", `{revisionTags: [Prod]}`, []string{`revisionTags: "Prod" is not a DNS label of at most 43 characters`}},
		{"network with a space", "gateway", `{networkGateway: a b}`, []string{`networkGateway: "a b" cannot be the value of a label`}},
		{"name in capitals", "gateway", `{name: Edge}`, []string{`name: "Edge" is not a DNS label of at most 63 characters`}},
		{"name in capitals", "ztunnel", `{resourceName: Blue}`, []string{`resourceName`, `Blue`}},
		{"class with a space", "istiod", `{gatewayClasses: {a b: {deployment: {spec: {replicas: 2}}}}}`, []string{`gatewayClasses`, `a b`}},
		{"another label for the selector", "ztunnel", `{podLabels: {app: other}}`, []string{`podLabels.app: the DaemonSet selects its pods by app: ztunnel; leave podLabels.app out`}},
	},
	"contradiction": {
		{"both sides of a disruption budget", "istiod", `{pdb: {minAvailable: 1, maxUnavailable: 1}}`, []string{`pdb.minAvailable: cannot stand beside pdb.maxUnavailable`}},
		{"both sides of a disruption budget", "gateway", `{podDisruptionBudget: {minAvailable: 1, maxUnavailable: 1}}`, []string{`podDisruptionBudget: minAvailable and maxUnavailable exclude each other`}},
		{"more than the most pods", "istiod", `{autoscaleMin: 6}`, []string{`autoscaleMin: 6 is more than autoscaleMax, which is 5`}},
		{"more than the most pods", "gateway", `{autoscaling: {minReplicas: 6}}`, []string{`autoscaling.minReplicas: 6 is more than autoscaling.maxReplicas, 5`}},
		{"surge beside unavailable", "ztunnel", `{updateStrategy: {rollingUpdate: {maxUnavailable: 1}}}`, []string{`updateStrategy.rollingUpdate: maxSurge and maxUnavailable are both above 0`}},
		{"a Deployment's strategy for a DaemonSet", "gateway", `{kind: DaemonSet, strategy: {type: Recreate}}`, []string{`strategy.type: Recreate is for a Deployment`}},
		{"a DaemonSet's strategy for a Deployment", "gateway", `{strategy: {type: OnDelete}}`, []string{`strategy.type: OnDelete is for a DaemonSet`}},
		{"PEM as base64", "base", `{base: {validationCABundle: "-----BEGIN CERTIFICATE-----"}}`, []string{`base.validationCABundle: is PEM; give it in base64`}},
	},
	"needed value": {
		{"most pods", "istiod", `{autoscaleMax: null}`, []string{`autoscaleMax: needed while autoscaleEnabled is true`}},
		{"most pods", "gateway", `{autoscaling: {maxReplicas: null}}`, []string{`autoscaling.maxReplicas: an autoscaler needs an upper limit`}},
		{"aim of an autoscaler", "gateway", `{autoscaling: {targetCPUUtilizationPercentage: null}}`, []string{`autoscaling.targetCPUUtilizationPercentage: an autoscaler needs an aim`}},
		{"address of a tracer", "istiod", `{global: {proxy: {tracer: lightstep}}}`, []string{`global.tracer.lightstep.address: needed while global.proxy.tracer is lightstep`}},
		{"address of another tracer", "istiod", `{global: {proxy: {tracer: datadog}}}`, []string{`global.tracer.datadog.address: needed while global.proxy.tracer is datadog`}},
		{"ports, where the list is empty", "gateway", `{service: {ports: []}}`, []string{`service.ports: a Service needs ports`}},
		{"ports, where they are null", "gateway", `{service: {ports: null}}`, []string{`service.ports: a Service needs ports`}},
		{"ports of an east-west gateway", "gateway", `{networkGateway: net-1, networkGatewayPorts: null}`, []string{`networkGatewayPorts: a Service needs ports`}},
		{"number of a port", "gateway", `{networkGateway: net-1, networkGatewayPorts: {tls: {port: null}}}`, []string{`networkGatewayPorts.tls.port: a port of the gateway needs a number`}},
		{"number of a port of the Service", "gateway", `{service: {ports: [{name: http}]}}`, []string{`service`, `ports`}},
		{"registry", "istiod", `{global: {hub: null}}`, []string{`hub: needed for the image "pilot"`}},
		{"tag", "istio-cni", `{global: {tag: null}}`, []string{`tag: needed for the image "install-cni"`}},
		{"image", "ztunnel", `{image: null}`, []string{`image: needed for the container`}},
		{"namespace of istiod", "ztunnel", `{istioNamespace: null}`, []string{`istioNamespace: needed for the address of istiod`}},
		{"pods of a quota", "ztunnel", `{resourceQuotas: {enabled: true, pods: null}}`, []string{`resourceQuotas.pods: needed where resourceQuotas.enabled is true`}},
		{"pods of a quota", "istio-cni", `{resourceQuotas: {enabled: true, pods: null}}`, []string{`resourceQuotas.pods: the quota needs it`}},
		{"name of a variable", "gateway", `{envVarFrom: [{value: x}]}`, []string{`envVarFrom`}},
		{"name of a variable", "istiod", `{envVarFrom: [{value: x}]}`, []string{`envVarFrom`}},
	},
}

// Bad input gives one error that names the value, and the fix or the choices; the same with both engines; and no objects.
func TestBadInputIsRefused(t *testing.T) {
	t.Parallel()
	for topic, list := range refusals {
		for n, c := range list {
			for m, name := range chartsFor(c.chart, n) {
				for _, engine := range inTurn(n + m) {
					t.Run(fmt.Sprintf("%s/%s/%s/%s", topic, c.name, name, engine), func(t *testing.T) {
						t.Parallel()
						out, err := rendering{chart: name, engine: engine, Options: render.Options{Values: parse(t, c.values)}}.run(t)
						requireClear(t, err, c.fails...)
						assert.Nil(t, out)
					})
				}
			}
		}
	}
}

// A file for all five charts: root keys and sections of each, of organisations, and of parent charts.
const forAll = `
global:
  hub: registry.example.com/istio
  imagePullSecrets: [regcred]
  proxy: {resources: {requests: {cpu: 50m}}}
  waypoint: {resources: {requests: {cpu: 50m}}}
  networkPolicy: {enabled: true}
  team: payments
  env: production
  x-anchor: &labels {example.com/team: payments}
enabled: true
profile: ambient
meshConfig: {accessLogFile: /dev/stdout}
podAnnotations: {example.com/team: payments}
revision: blue
defaultRevision: blue
base: {validationFailurePolicy: Fail}
cni: {cniBinDir: /opt/own/bin, enabled: true}
pilot: {autoscaleMin: 2, env: {PILOT_HTTP10: true}}
ztunnel: {terminationGracePeriodSeconds: 60}
gateway: {service: {type: ClusterIP}, labels: *labels}
resources: {requests: {cpu: 20m}}
autoscaling: {maxReplicas: 3}
excludeNamespaces: [kube-system]
peerCaCrl: {enabled: true}
networkGatewayPorts: {tls: {port: 15444}}
traceSampling: 50
x-note: anything
`

var acceptances = []struct{ name, chart, values string }{
	{"one file for all charts", every, forAll},
	{"keys for anchors and of others", every, `
x-a: 1
x-b: [1]
x-c: {d: null}
x-d: null
global: {x-a: {b: c}, env: production, team: {name: payments}, list: [1], nothing: null}
enabled: true
cni: {}
pilot: {}
ztunnel: {}
gateway: {}
`},
	{"keys for anchors deep down", "istiod", `{telemetry: {x-a: 1, v2: {x-b: 1, prometheus: {x-c: 1}}}, global: {proxy: {x-d: 1, tracer: zipkin}, tracer: {zipkin: {x-e: 1}}}, cpu: {x-f: 1}}`},
	{"keys for anchors deep down", "istio-cni", `{ambient: {x-a: 1}, repair: {x-b: 1}, logging: {x-c: 1}, cni: {x-d: 1}}`},
	{"keys for anchors deep down", "ztunnel", `{peerCaCrl: {x-a: 1}, updateStrategy: {x-b: 1, rollingUpdate: {x-c: 1}}, ztunnel: {x-d: 1}}`},
	{"keys for anchors deep down", "gateway", `{service: {x-a: 1}, rbac: {x-b: 1}, networkGateway: net-1, networkGatewayPorts: {tls: {x-c: 1}}, gateway: {x-d: 1}}`},
	{"keys for anchors deep down", "base", `{base: {x-a: 1}, experimental: {x-b: 1}}`},
	{"the condition of a parent chart as text, sections that are null", every, `{enabled: "true", cni: null, pilot: null, ztunnel: null, gateway: null}`},
	{"the condition of a parent chart, off", some, `{enabled: false}`},
	{"foreign sections hold what they want", "base", `{cni: {nope: 1}, pilot: {nope: 1}, ztunnel: {nope: 1}, gateway: {nope: 1}}`},
	{"foreign sections hold what they want", "istiod", `{cni: {nope: 1}, ztunnel: {nope: 1}, gateway: {nope: 1}}`},
	{"foreign sections hold what they want", "gateway", `{cni: {nope: 1}, pilot: {nope: 1}, ztunnel: {nope: 1}}`},
	{"no selection at all", every, `{profile: "", platform: "", compatibilityVersion: "", global: {profile: "", platform: ""}}`},
	{"null selection", some, `{profile: null, platform: null, compatibilityVersion: null}`},
	{"an empty list of profiles", some, `{profile: []}`},
	{"a gateway class without parts", "istiod", `{gatewayClasses: {istio: {deployment: null}, istio-waypoint: {}, istio-remote: null}}`},
	{"a whole number as tag", "istiod", `{tag: 131, global: {tag: 132}}`},
	{"digits in quotes as tag", "ztunnel", `{tag: "1.30"}`},
	{"pull secrets as names and objects", every, `{imagePullSecrets: [a, {name: b}], global: {imagePullSecrets: [{name: c}, d]}}`},
}

// What users have good reason to write is accepted: keys for YAML anchors, conditions of parent charts, one file for all
// charts, null. Nothing of it is complained about in the notes, and no foreign key changes an object.
func TestGoodInputIsAccepted(t *testing.T) {
	t.Parallel()
	for n, c := range acceptances {
		for m, name := range chartsFor(c.chart, n) {
			for _, engine := range inTurn(n + m) {
				t.Run(fmt.Sprintf("%s/%s/%s", c.name, name, engine), func(t *testing.T) {
					t.Parallel()
					r, err := rendering{chart: name, engine: engine, Options: render.Options{Namespace: matrixNamespace, Values: parse(t, c.values)}}.objects(t)
					require.NoError(t, err)
					requireSound(t, r)
					assert.Empty(t, anchors(t, r))
					for _, foreign := range []string{"payments", "production", "nope"} {
						if foreign == "payments" && c.values == forAll {
							continue // an annotation of the user's
						}
						assert.Empty(t, r.holders(foreign))
					}
				})
			}
		}
	}
}

// anchors lists the keys beginning with x- that got into an object, or into the mesh configuration that istiod parses.
func anchors(t *testing.T, r result) []string {
	t.Helper()
	var out []string
	look := func(id string, value any) {
		each(value, func(at []string, _ any) {
			if strings.HasPrefix(at[len(at)-1], "x-") {
				out = append(out, id+": "+strings.Join(at, "."))
			}
		})
	}
	for _, d := range r.docs {
		if d.kind() == "CustomResourceDefinition" {
			continue
		}
		look(d.id(), d.object)
		if d.kind() == "ConfigMap" && d.name() == "istio" {
			look(d.id()+" mesh", mesh(t, r))
		}
	}
	return out
}
