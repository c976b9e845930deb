package injection

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"istio.io/istio/pilot/pkg/config/kube/gatewaycommon"
	"istio.io/istio/pkg/kube/inject"
)

// TestAbsentValues takes away each value of the injector's ConfigMap in turn, makes it null and, where it is a section, empty:
// every template still writes valid objects. Templates have to stand older and newer values than their own.
func TestAbsentValues(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	p := planeOf(t, "default")
	pods := []*corev1.Pod{podNamed(t, "deployment", "cart"), podNamed(t, "gateway", "shop-entrance"), podNamed(t, "grpc", "quotes")}
	more := []*corev1.Pod{
		podNamed(t, "interception", "audit"), podNamed(t, "interception", "audit-explicit"), podNamed(t, "volumes", "partners"),
		podNamed(t, "grpc", "quotes-plain"), podNamed(t, "native-sidecar", "courier-container"),
	}
	gateways := slices.Concat(inputNamed(t, "kube-gateway").gateways, inputNamed(t, "waypoint").gateways[:1], inputNamed(t, "agentgateway").gateways)
	var runs atomic.Int64
	try := func(reason string, values map[string]any, pods ...*corev1.Pod) {
		text, err := json.Marshal(values)
		if err != nil {
			t.Errorf("%s: %v", reason, err)
			return
		}
		parsed, err := inject.NewValuesConfig(string(text))
		if err != nil {
			t.Errorf("%s: %v", reason, err)
			return
		}
		changed := *p
		changed.values = parsed
		for _, pod := range pods {
			texts, err := changed.templateTexts(pod)
			if err != nil {
				t.Errorf("%s: pod %s%s: %v", reason, pod.Name, pod.GenerateName, err)
			}
			for name, text := range texts {
				runs.Add(1)
				if err := validPatch(text); err != nil {
					t.Errorf("%s: template %s: %v", reason, name, err)
				}
			}
		}
		for _, gw := range gateways {
			runs.Add(1)
			input := gatewaycommon.TemplateInput{
				Gateway: gw, GatewayClass: string(gw.Spec.GatewayClassName), DeploymentName: gw.Name, ServiceAccount: gw.Name,
				Ports: []corev1.ServicePort{{Name: "status-port", Port: 15021, Protocol: corev1.ProtocolTCP}}, ServiceType: corev1.ServiceTypeClusterIP,
				ProxyUID: 1337, ProxyGID: 1337, GatewayNameLabel: "gateway.networking.k8s.io/gateway-name",
			}
			text, err := changed.gatewayText(input)
			if err == nil {
				err = validObjects(text)
			}
			if err != nil {
				t.Errorf("%s: class %s: %v", reason, gw.Spec.GatewayClassName, err)
			}
		}
	}

	whole := func() map[string]any {
		values := map[string]any{}
		if err := json.Unmarshal([]byte(p.rawValues), &values); err != nil {
			t.Fatal(err)
		}
		return values
	}
	all := slices.Concat(pods, more)
	try("all values", whole(), all...)
	try("no values", map[string]any{}, all...)
	var wait sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, path := range paths(whole(), nil) {
		wait.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			name := strings.Join(path, ".")
			values := whole()
			parent := parentOf(values, path)
			last := path[len(path)-1]
			if _, section := parent[last].(map[string]any); section {
				parent[last] = map[string]any{}
				try(name+" empty", values, all...)
			}
			if name != "global.tag" { // Istio itself would make <nil> of it
				parent[last] = nil
				try(name+" null", values, pods...)
			}
			delete(parent, last)
			try(name+" away", values, all...)
		})
	}
	wait.Wait()
	t.Logf("%d templates executed", runs.Load())
}

// gatewayText executes the template of a Gateway's class with the data that the gateway deployment controller gives it.
func (p *plane) gatewayText(input gatewaycommon.TemplateInput) ([]byte, error) {
	class := gatewaycommon.ClassInfos[gatewaycommon.AllClasses[input.Spec.GatewayClassName]]
	template := p.config.Templates[class.Templates]
	if template == nil {
		return nil, fmt.Errorf("no template %q", class.Templates)
	}
	proxy := p.environment.GetProxyConfigOrDefault(input.Namespace, nil, nil, p.mesh)
	input.ControllerLabel = class.ControllerLabel
	var text bytes.Buffer
	err := template.Execute(&text, struct {
		gatewaycommon.TemplateInput
		ProxyImage, AgentgatewayImage   string
		ProxyConfig, MeshConfig, Values any
	}{
		input, inject.ProxyImage(p.values.Struct(), proxy.GetImage(), nil), inject.AgentgatewayImage(p.values.Struct(), proxy.GetImage(), nil),
		proxy, p.mesh, p.values.Map(),
	})
	return text.Bytes(), err
}

// validPatch checks what a template writes for a pod.
func validPatch(text []byte) error {
	if at := leftover.FindIndex(text); at != nil {
		return fmt.Errorf("%q", text[max(0, at[0]-80):min(len(text), at[1]+20)])
	}
	return strictYAML(text, &corev1.Pod{})
}

// validObjects checks what a template writes for a Gateway.
func validObjects(text []byte) error {
	if at := leftover.FindIndex(text); at != nil {
		return fmt.Errorf("%q", text[max(0, at[0]-80):min(len(text), at[1]+20)])
	}
	types := map[string]func() any{
		"Deployment":              func() any { return &appsv1.Deployment{} },
		"HorizontalPodAutoscaler": func() any { return &autoscalingv2.HorizontalPodAutoscaler{} },
		"PodDisruptionBudget":     func() any { return &policyv1.PodDisruptionBudget{} },
		"Service":                 func() any { return &corev1.Service{} },
		"ServiceAccount":          func() any { return &corev1.ServiceAccount{} },
	}
	for _, doc := range separator.Split(string(text), -1) {
		var head metav1.TypeMeta
		if err := yaml.Unmarshal([]byte(doc), &head); err != nil {
			return err
		}
		if types[head.Kind] == nil {
			return fmt.Errorf("kind %q in\n%s", head.Kind, doc)
		}
		if err := strictYAML([]byte(doc), types[head.Kind]()); err != nil {
			return fmt.Errorf("%s: %w", head.Kind, err)
		}
		delete(types, head.Kind)
	}
	if len(types) > 0 {
		return fmt.Errorf("missing: %v", slices.Sorted(maps.Keys(types)))
	}
	return nil
}

// paths lists the paths of all values, sections included, sorted.
func paths(values map[string]any, at []string) [][]string {
	var all [][]string
	for _, key := range slices.Sorted(maps.Keys(values)) {
		path := append(slices.Clone(at), key)
		all = append(all, path)
		if inner, ok := values[key].(map[string]any); ok {
			all = append(all, paths(inner, path)...)
		}
	}
	return all
}

func parentOf(values map[string]any, path []string) map[string]any {
	for _, key := range path[:len(path)-1] {
		values = values[key].(map[string]any)
	}
	return values
}

// TestNumbers checks that the injector takes the values also where the schema lets a number stand for a string.
func TestNumbers(t *testing.T) {
	for _, tc := range []struct{ values, argument string }{
		{"global: {proxy: {excludeInboundPorts: 9101}}", "15090,15021,9101,15020"},
		{"global: {proxy: {includeInboundPorts: 8080}}", "8080"},
		{"global: {proxy: {includeOutboundPorts: 8443}}", "8443"},
		{"global: {proxy: {excludeOutboundPorts: 6379}}", "6379"},
		{"global: {tag: 131}", "-p"},
		{"revision: 131", "-p"},
		{"revisionTags: [131]", "-p"},
		{"sidecarInjectorWebhook: {injectedAnnotations: {a: 1, b: true}}", "-p"},
		{"env: {SOME_NUMBER: 1, SOME_BOOLEAN: true}", "-p"},
		{"global: {proxy: {resources: {limits: {cpu: 2, memory: 1073741824}}}}", "-p"},
		{"global: {waypoint: {resources: {requests: {cpu: 1}}}}", "-p"},
		{"global: {waypoint: {tolerations: [{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 300}]}}", "-p"},
		{"global: {proxy: {lifecycle: {preStop: {httpGet: {path: /, port: 8080}}}}}", "-p"},
		{"global: {defaultResources: {requests: {cpu: 1}}}", "-p"},
		{"global: {proxy: {statusPort: 0, readinessPeriodSeconds: 0}}", "-p"},
		{"gateways: {securityContext: {runAsUser: 1000680000, runAsNonRoot: true, sysctls: [{name: net.core.somaxconn, value: '1'}]}}", "-p"},
		{"global: {sts: {servicePort: 15463}}", "--log_output_level=default:info"},
		{"global: {meshNetworks: {n: {endpoints: [{fromRegistry: c}], gateways: [{address: 192.0.2.1, port: 15443}]}}}", "-p"},
		{"global: {proxy: {seccompProfile: {type: RuntimeDefault}, privileged: true}}", "-p"},
		{"global: {certSigners: [a], externalIstiod: true, configCluster: true, remotePilotAddress: 192.0.2.1}", "-p"},
		{"global: {ipFamilies: [IPv6], ipFamilyPolicy: SingleStack, networkPolicy: {enabled: true}}", "-p"},
		{"cni: {enabled: false, provider: ''}", "-p"},
	} {
		t.Run(tc.values, func(t *testing.T) {
			s := setting{Name: "numbers", Nodes: "v1.34.0"}
			if err := yaml.Unmarshal([]byte(tc.values), &s.Values); err != nil {
				t.Fatal(err)
			}
			s.Namespace.Labels = map[string]string{"istio-injection": "enabled", "istio.io/rev": "131"}
			if strings.HasPrefix(tc.values, "revision:") {
				delete(s.Namespace.Labels, "istio-injection")
			}
			p, err := newPlane(s, nil)
			if err != nil {
				t.Fatal(err)
			}
			o, err := p.admit(podNamed(t, "deployment", "cart"))
			if err != nil {
				t.Fatal(err)
			}
			if c := inject.FindContainerFromPod("istio-init", o.after); c == nil || !slices.Contains(c.Args, tc.argument) {
				t.Errorf("no argument %q: webhook %q, %q, %+v", tc.argument, o.webhook, o.refusal, c)
			}
		})
	}
}

// TestNumericNodeSelector checks that a node selector of the values is made of strings, as Kubernetes wants it.
func TestNumericNodeSelector(t *testing.T) {
	values := map[string]any{"global": map[string]any{"waypoint": map[string]any{"nodeSelector": map[string]any{"a": 1, "b": true}}}}
	p, err := newPlane(setting{Name: "selector", Nodes: "v1.34.0", Values: values}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"waypoint", "agentgateway"} {
		in := inputNamed(t, name)
		d, err := p.newDeployer([]*input{in}, p.values)
		if err != nil {
			t.Fatal(err)
		}
		for _, gw := range in.gateways {
			objects, err := d.deploy(gw)
			if err != nil {
				t.Fatal(err)
			}
			for _, fault := range deployedFaults(objects) {
				t.Errorf("%s: %s", gw.Name, fault)
			}
		}
	}
}

// TestDefaultImage checks that images are those of the chart's release, which golden files do not show.
func TestDefaultImage(t *testing.T) {
	p, err := newPlane(setting{Name: "image", Nodes: "v1.34.0", Namespace: planeOf(t, "default").Namespace}, nil)
	if err != nil {
		t.Fatal(err)
	}
	o, err := p.admit(podNamed(t, "deployment", "cart"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../manifests/charts/istiod/Chart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var chart struct {
		AppVersion string `json:"appVersion"`
	}
	if err := yaml.Unmarshal(text, &chart); err != nil {
		t.Fatal(err)
	}
	want := "registry.istio.io/release/proxyv2:" + chart.AppVersion
	for _, name := range []string{"istio-init", "istio-proxy"} {
		if c := inject.FindContainerFromPod(name, o.after); c == nil || c.Image != want {
			t.Errorf("%s: the image is not %s: %+v", name, want, c)
		}
	}
}
