package injection

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	"istio.io/istio/pkg/kube"
	"istio.io/istio/pkg/kube/inject"
)

// TestRules checks what has to hold for every input under every setting, whatever the golden files say.
func TestRules(t *testing.T) {
	all := inputs(t)
	for _, s := range settings(t) {
		t.Run(s.Name, func(t *testing.T) {
			p := planeOf(t, s.Name)
			p.parallel(t)
			for _, in := range all {
				for _, pod := range in.pods {
					p.checkPod(t, in.name, pod)
				}
			}
			d, err := p.newDeployer(all, p.values)
			if err != nil {
				t.Fatal(err)
			}
			for _, in := range all {
				for _, gw := range in.gateways {
					objects, err := d.deploy(gw)
					if err != nil {
						t.Errorf("%s, Gateway %s: %v", in.name, gw.Name, err)
					}
					if len(objects) < 3 {
						t.Errorf("%s, Gateway %s: %d objects, not even a Deployment, a Service and a ServiceAccount", in.name, gw.Name, len(objects))
					}
					for _, fault := range deployedFaults(objects) {
						t.Errorf("%s, Gateway %s: %s", in.name, gw.Name, fault)
					}
				}
			}
		})
	}
}

// TestProfiles checks the rules with a few inputs under every profile, platform and compatibility version that the chart has.
func TestProfiles(t *testing.T) {
	files, err := filepath.Glob("../../manifests/profiles/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d profiles, %v", len(files), err)
	}
	some := []*input{inputNamed(t, "deployment"), inputNamed(t, "gateway"), inputNamed(t, "grpc"), inputNamed(t, "kube-gateway"), inputNamed(t, "waypoint")}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			s := setting{Name: name, Nodes: "v1.34.0", Values: map[string]any{"profile": name}}
			for key, prefix := range map[string]string{"platform": "platform-", "compatibilityVersion": "compatibility-version-"} {
				if value, ok := strings.CutPrefix(name, prefix); ok {
					s.Values = map[string]any{key: value}
				}
			}
			if name == "remote" {
				// Without these a cluster has only the webhook: the istiod of another cluster injects.
				s.Values["istiodRemote"] = map[string]any{"enabledLocalInjectorIstiod": true}
				s.Values["global"] = map[string]any{"omitSidecarInjectorConfigMap": false, "remotePilotAddress": "192.0.2.1"}
				s.Values["configMap"] = true
			}
			s.Namespace.Labels = map[string]string{"istio-injection": "enabled"}
			p, err := newPlane(s, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, in := range some {
				for _, pod := range in.pods {
					p.checkPod(t, in.name, pod)
					if o, err := p.admit(pod); err != nil || !o.patched {
						t.Errorf("%s: not injected: %v", in.name, err)
					}
				}
			}
			d, err := p.newDeployer(some, p.values)
			if err != nil {
				t.Fatal(err)
			}
			for _, in := range some {
				for _, gw := range in.gateways {
					objects, err := d.deploy(gw)
					if err != nil {
						t.Fatal(err)
					}
					for _, fault := range deployedFaults(objects) {
						t.Errorf("%s, Gateway %s: %s", in.name, gw.Name, fault)
					}
				}
			}
		})
	}
}

// checkPod injects a pod and checks the result.
func (p *plane) checkPod(t *testing.T, input string, pod *corev1.Pod) {
	t.Helper()
	fault := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s, pod %s%s: %s", input, pod.Name, pod.GenerateName, fmt.Sprintf(format, args...))
	}
	sent := pod.DeepCopy()
	o, err := p.admit(pod)
	if err != nil {
		fault("%v", err)
		return
	}
	if !equality.Semantic.DeepEqual(sent, pod) {
		fault("the test changed the pod that it sends")
	}
	if !o.patched {
		return
	}
	for _, f := range podFaults(pod, o.after) {
		fault("%s", f)
	}
	patches, err := p.templateTexts(pod)
	if err != nil {
		fault("%v", err)
	}
	for name, text := range patches {
		if err := strictYAML(text, &corev1.Pod{}); err != nil {
			fault("template %s: %v", name, err)
		}
	}
}

// templateTexts executes the templates that the webhook chooses for a pod, with the data that it gives them.
func (p *plane) templateTexts(pod *corev1.Pod) (map[string][]byte, error) {
	names := p.config.DefaultTemplates
	if a, ok := pod.Annotations["inject.istio.io/templates"]; ok {
		names = strings.Split(a, ",")
	}
	owner, kind := kube.GetDeployMetaFromPod(pod)
	proxy := p.environment.GetProxyConfigOrDefault(pod.Namespace, pod.Labels, pod.Annotations, p.mesh)
	uid, gid := inject.GetProxyIDs(p.namespaceOf(pod.Namespace))
	data := &inject.SidecarTemplateData{
		TypeMeta: kind, DeploymentMeta: owner, ObjectMeta: pod.ObjectMeta, Spec: pod.Spec,
		ProxyConfig: proxy, MeshConfig: p.mesh, Values: p.values.Map(), Revision: p.variables["REVISION"],
		NativeSidecars:           p.Nodes >= "v1.33",
		ProxyImage:               inject.ProxyImage(p.values.Struct(), proxy.GetImage(), pod.Annotations),
		ProxyInitImage:           inject.ProxyInitImage(p.values.Struct(), pod.Annotations),
		ProxyUID:                 uid,
		ProxyGID:                 gid,
		InboundTrafficPolicyMode: inject.InboundTrafficPolicyMode(p.mesh),
	}
	texts := map[string][]byte{}
	for _, name := range names {
		name = strings.TrimSpace(name)
		template := p.config.Templates[name]
		if template == nil {
			return nil, fmt.Errorf("no template %s", name)
		}
		var text bytes.Buffer
		if err := template.Execute(&text, data); err != nil {
			return nil, err
		}
		texts[name] = text.Bytes()
	}
	return texts, nil
}

var (
	// leftover is what a template writes in the place of a value that is not there.
	leftover = regexp.MustCompile(`<nil>|<no value>|%!|map\[|\{\{`)
	// rewritten are annotations that injection is there to change.
	rewritten = regexp.MustCompile(`^prometheus\.|^k8s\.v1\.cni\.cncf\.io/networks$|^sidecar\.istio\.io/rewriteAppHTTPProbers$|^traffic\.sidecar\.istio\.io/excludeInboundPorts$`)
	reference = regexp.MustCompile(`\$\(([A-Za-z_][A-Za-z0-9_]*)\)`)
)

// podFaults says what is wrong with an injected pod; before is the pod that was sent.
func podFaults(before, after *corev1.Pod) []string {
	var faults []string
	add := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	twice := func(what string, names []string) {
		slices.Sort(names)
		for n := 1; n < len(names); n++ {
			if names[n] == names[n-1] {
				add("%s %q stands there twice", what, names[n])
			}
		}
	}
	sent, err := json.Marshal(before)
	if err != nil {
		return []string{err.Error()}
	}
	walk(after, func(path, text string) {
		if found := leftover.FindString(text); found != "" && !bytes.Contains(sent, []byte(found)) {
			add("%s: %q in %q", path, found, text)
		}
	})
	faults = append(faults, metadataFaults(after.Labels, after.Annotations)...)
	for _, key := range slices.Sorted(maps.Keys(before.Labels)) {
		if after.Labels[key] != before.Labels[key] {
			add("the pod's label %s=%s is now %q", key, before.Labels[key], after.Labels[key])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(before.Annotations)) {
		if after.Annotations[key] != before.Annotations[key] && !rewritten.MatchString(key) {
			add("the pod's annotation %s=%s is now %q", key, before.Annotations[key], after.Annotations[key])
		}
	}
	for _, v := range before.Spec.Volumes {
		if !slices.ContainsFunc(after.Spec.Volumes, func(x corev1.Volume) bool { return equality.Semantic.DeepEqual(v, x) }) {
			add("the pod's volume %s is another or gone", v.Name)
		}
	}

	volumes, mounted := map[string]bool{}, map[string]bool{}
	var names []string
	for _, v := range after.Spec.Volumes {
		volumes[v.Name] = true
		names = append(names, v.Name)
	}
	twice("volume", names)
	names = nil
	for _, s := range after.Spec.ImagePullSecrets {
		names = append(names, s.Name)
		if s.Name == "" {
			add("a pull secret without a name")
		}
	}
	twice("pull secret", names)

	containers := slices.Concat(after.Spec.InitContainers, after.Spec.Containers)
	names = nil
	for _, c := range containers {
		names = append(names, c.Name)
		var variables, paths, ports []string
		known := map[string]bool{}
		for _, e := range c.Env {
			for _, m := range reference.FindAllStringSubmatch(e.Value, -1) {
				if !known[m[1]] && !strings.Contains(string(sent), m[0]) {
					add("container %s: variable %s refers to %s, which is not set before it", c.Name, e.Name, m[0])
				}
			}
			known[e.Name] = true
			variables = append(variables, e.Name)
			if e.Value != "" && e.ValueFrom != nil {
				add("container %s: variable %s has two values", c.Name, e.Name)
			}
		}
		for _, a := range slices.Concat(c.Command, c.Args) {
			for _, m := range reference.FindAllStringSubmatch(a, -1) {
				if !known[m[1]] && !strings.Contains(string(sent), m[0]) {
					add("container %s: argument %s refers to a variable that is not set", c.Name, a)
				}
			}
		}
		for _, m := range c.VolumeMounts {
			paths = append(paths, strings.TrimSuffix(m.MountPath, "/"))
			mounted[m.Name] = true
			if !volumes[m.Name] {
				add("container %s mounts the volume %s, which is not there", c.Name, m.Name)
			}
		}
		for _, port := range c.Ports {
			ports = append(ports, fmt.Sprintf("%d/%s", port.ContainerPort, cmp.Or(port.Protocol, corev1.ProtocolTCP)))
		}
		twice("container "+c.Name+": variable", variables)
		twice("container "+c.Name+": mount path", paths)
		twice("container "+c.Name+": port", ports)
		if c.Image == "" || c.Image == "auto" {
			add("container %s: image %q", c.Name, c.Image)
		}
	}
	twice("container", names)
	for name := range volumes {
		if !mounted[name] && !slices.ContainsFunc(before.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == name }) {
			add("volume %s is mounted nowhere", name)
		}
	}
	for _, c := range slices.Concat(before.Spec.InitContainers, before.Spec.Containers) {
		faults = append(faults, applicationFaults(c, containers)...)
	}
	return faults
}

// applicationFaults says what injection may not change in a container of the application.
func applicationFaults(before corev1.Container, after []corev1.Container) []string {
	if before.Name == "istio-proxy" {
		return nil
	}
	n := slices.IndexFunc(after, func(c corev1.Container) bool { return c.Name == before.Name })
	if n < 0 {
		return []string{fmt.Sprintf("container %s is gone", before.Name)}
	}
	got := *after[n].DeepCopy()
	var faults []string
	for _, e := range before.Env {
		if !slices.ContainsFunc(got.Env, func(x corev1.EnvVar) bool { return x.Name == e.Name }) {
			faults = append(faults, fmt.Sprintf("container %s: variable %s is gone", before.Name, e.Name))
		}
	}
	// Probes and hooks go through the agent; proxyless workloads get variables and mounts.
	got.Env, got.VolumeMounts = before.Env, before.VolumeMounts
	got.ReadinessProbe, got.LivenessProbe, got.StartupProbe, got.Lifecycle = before.ReadinessProbe, before.LivenessProbe, before.StartupProbe, before.Lifecycle
	if d := difference(&before, &got); d != "" {
		faults = append(faults, fmt.Sprintf("container %s is another:\n%s", before.Name, d))
	}
	return faults
}

// metadataFaults checks labels and annotations as the API server does.
func metadataFaults(labels, annotations map[string]string) []string {
	var faults []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		for _, fault := range slices.Concat(validation.IsQualifiedName(key), validation.IsValidLabelValue(labels[key])) {
			faults = append(faults, fmt.Sprintf("label %s=%s: %s", key, labels[key], fault))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		for _, fault := range validation.IsQualifiedName(strings.ToLower(key)) {
			faults = append(faults, fmt.Sprintf("annotation %s: %s", key, fault))
		}
	}
	return faults
}

// deployedFaults checks the objects that the controller applies for one Gateway.
func deployedFaults(objects []*unstructured.Unstructured) []string {
	var faults []string
	add := func(o *unstructured.Unstructured, fault any) {
		faults = append(faults, fmt.Sprintf("%s %s: %v", o.GetKind(), o.GetName(), fault))
	}
	var pod *corev1.Pod
	accounts := map[string]bool{}
	selectors := map[string]map[string]string{}
	for _, o := range objects {
		for _, fault := range metadataFaults(o.GetLabels(), o.GetAnnotations()) {
			add(o, fault)
		}
		walk(o, func(path, text string) {
			if found := leftover.FindString(text); found != "" && !strings.Contains(path, "annotations") {
				add(o, fmt.Sprintf("%s: %q in %q", path, found, text))
			}
		})
		switch o.GetKind() {
		case "Deployment":
			d := &appsv1.Deployment{}
			if err := strict(o, d); err != nil {
				add(o, err)
				continue
			}
			pod = &corev1.Pod{ObjectMeta: d.Spec.Template.ObjectMeta, Spec: d.Spec.Template.Spec}
			selectors["Deployment"] = d.Spec.Selector.MatchLabels
			for _, fault := range podFaults(&corev1.Pod{}, pod) {
				if !strings.Contains(fault, "annotations") {
					add(o, fault)
				}
			}
		case "Service":
			s := &corev1.Service{}
			if err := strict(o, s); err != nil {
				add(o, err)
			}
			selectors["Service"] = s.Spec.Selector
			if len(s.Spec.Ports) == 0 {
				add(o, "no ports")
			}
		case "ServiceAccount":
			if err := strict(o, &corev1.ServiceAccount{}); err != nil {
				add(o, err)
			}
			accounts[o.GetName()] = true
		case "HorizontalPodAutoscaler":
			if err := strict(o, &autoscalingv2.HorizontalPodAutoscaler{}); err != nil {
				add(o, err)
			}
		case "PodDisruptionBudget":
			b := &policyv1.PodDisruptionBudget{}
			if err := strict(o, b); err != nil {
				add(o, err)
			}
			selectors["PodDisruptionBudget"] = b.Spec.Selector.MatchLabels
		}
	}
	if pod == nil {
		return append(faults, "no Deployment")
	}
	for kind, selector := range selectors {
		if len(selector) == 0 || !labels.SelectorFromSet(selector).Matches(labels.Set(pod.Labels)) {
			faults = append(faults, fmt.Sprintf("the %s does not select the pods: %v", kind, selector))
		}
	}
	if !accounts[pod.Spec.ServiceAccountName] {
		faults = append(faults, fmt.Sprintf("no ServiceAccount %q", pod.Spec.ServiceAccountName))
	}
	if pod.Labels["sidecar.istio.io/inject"] != "false" {
		faults = append(faults, "the pods are injected once more")
	}
	return faults
}

// strict decodes an object; a field that its type does not have is an error.
func strict(o *unstructured.Unstructured, into any) error {
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return strictJSON(text, into)
}

// walk calls visit with each string in an object, keys included.
func walk(object any, visit func(path, text string)) {
	text, err := json.Marshal(object)
	if err != nil {
		visit("", err.Error())
		return
	}
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		visit("", err.Error())
		return
	}
	var step func(path string, value any)
	step = func(path string, value any) {
		switch v := value.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				visit(path, key)
				step(path+"."+key, v[key])
			}
		case []any:
			for n, inner := range v {
				step(fmt.Sprintf("%s[%d]", path, n), inner)
			}
		case string:
			visit(path, v)
		}
	}
	step("", tree)
}
