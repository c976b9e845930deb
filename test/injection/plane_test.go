package injection

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	meshconfig "istio.io/api/mesh/v1alpha1"
	"istio.io/istio/pilot/pkg/model"
	"istio.io/istio/pkg/cluster"
	"istio.io/istio/pkg/config/mesh"
	"istio.io/istio/pkg/config/mesh/meshwatcher"
	"istio.io/istio/pkg/kube"
	"istio.io/istio/pkg/kube/inject"
	"istio.io/istio/pkg/kube/multicluster"
)

// A plane is a control plane: what the chart rendered to, and Istio's own code that works with it.
type plane struct {
	setting
	// text is all that the chart rendered.
	text      string
	config    *inject.Config
	rawValues string // the values of the injector's ConfigMap
	values    inject.ValuesConfig
	mesh      *meshconfig.MeshConfig
	// webhooks are those that the API server would call, configurations the objects that they stand in.
	webhooks       []admissionregistrationv1.MutatingWebhook
	configurations []runtime.Object
	// classes are the ConfigMaps with defaults for classes of Gateways.
	classes []*corev1.ConfigMap
	// variables of istiod's container, and its namespace.
	variables map[string]string
	namespace string

	environment *model.Environment
	mux         *http.ServeMux
	namespaces  map[string]*corev1.Namespace
}

var (
	planes    = map[string]func() (*plane, error){}
	planesMu  sync.Mutex
	separator = regexp.MustCompile(`(?m)^---$`)
	stop      = make(chan struct{}) // never closed: control planes live as long as the process
)

// planeOf returns the control plane of a setting. It is made once.
func planeOf(t *testing.T, name string) *plane {
	t.Helper()
	planesMu.Lock()
	made := planes[name]
	if made == nil {
		all := settings(t)
		n := slices.IndexFunc(all, func(s setting) bool { return s.Name == name })
		if n < 0 {
			planesMu.Unlock()
			t.Fatalf("%s: no setting %s", settingsFile, name)
		}
		in := inputs(t)
		made = sync.OnceValues(func() (*plane, error) { return newPlane(all[n], in) })
		planes[name] = made
	}
	planesMu.Unlock()
	p, err := made()
	if err != nil {
		t.Fatalf("setting %s: %v", name, err)
	}
	return p
}

// newPlane renders the chart and starts Istio's webhook with the result, in a cluster with the namespaces of the inputs.
func newPlane(s setting, inputs []*input) (*plane, error) {
	text, err := render(s.Values)
	if err != nil {
		return nil, err
	}
	p := &plane{setting: s, text: text, variables: map[string]string{}}
	if err := p.read(); err != nil {
		return nil, err
	}
	p.namespaces = map[string]*corev1.Namespace{}
	for _, in := range inputs {
		for _, ns := range in.namespaces {
			if p.namespaces[ns.Name] != nil {
				return nil, fmt.Errorf("namespace %s: two inputs describe it", ns.Name)
			}
			own := s.namespace(ns.Name)
			own.Labels = map[string]string{"kubernetes.io/metadata.name": ns.Name}
			for k, v := range ns.Labels {
				own.Labels[k] = v
			}
			p.namespaces[ns.Name] = own
		}
	}
	p.namespaces[defaultNamespace] = s.namespace(defaultNamespace)
	objects := []runtime.Object{&corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "node-1"},
		Status:     corev1.NodeStatus{NodeInfo: corev1.NodeSystemInfo{KubeletVersion: s.Nodes}},
	}}
	for _, ns := range p.namespaces {
		ns.Annotations = s.Namespace.Annotations
		objects = append(objects, ns)
	}
	p.platform()
	p.environment = model.NewEnvironment()
	p.environment.Watcher = meshwatcher.NewTestWatcher(p.mesh)
	push := model.NewPushContext()
	push.ProxyConfigs = model.GetProxyConfigs(model.NewFakeStore(), p.mesh)
	push.InitDone.Store(true)
	p.environment.SetPushContext(push)
	p.mux = http.NewServeMux()
	clusters := multicluster.NewFakeController()
	if _, err := inject.NewWebhook(inject.WebhookParameters{
		Watcher: p, Env: p.environment, Mux: p.mux, Revision: p.variables["REVISION"], MultiCluster: clusters,
	}); err != nil {
		return nil, err
	}
	client := kube.NewFakeClient(objects...)
	for _, id := range p.clusters() {
		clusters.Add(id, client, stop)
	}
	if !client.RunAndWait(stop) {
		return nil, fmt.Errorf("the caches of the cluster do not fill")
	}
	return p, nil
}

// read takes what injection needs from the rendered chart.
func (p *plane) read() error {
	for _, doc := range separator.Split(p.text, -1) {
		var head struct {
			metav1.TypeMeta   `json:",inline"`
			metav1.ObjectMeta `json:"metadata"`
		}
		if err := yaml.Unmarshal([]byte(doc), &head); err != nil {
			return err
		}
		switch head.Kind {
		case "ConfigMap":
			cm := &corev1.ConfigMap{}
			if err := strictYAML([]byte(doc), cm); err != nil {
				return err
			}
			if err := p.readConfigMap(cm); err != nil {
				return fmt.Errorf("ConfigMap %s: %w", cm.Name, err)
			}
		case "MutatingWebhookConfiguration":
			c := &admissionregistrationv1.MutatingWebhookConfiguration{}
			if err := strictYAML([]byte(doc), c); err != nil {
				return err
			}
			p.webhooks = append(p.webhooks, c.Webhooks...)
			p.configurations = append(p.configurations, c)
		case "Deployment":
			d := &appsv1.Deployment{}
			if err := strictYAML([]byte(doc), d); err != nil {
				return err
			}
			p.namespace = d.Namespace
			for _, e := range d.Spec.Template.Spec.Containers[0].Env {
				p.variables[e.Name] = e.Value
			}
		}
	}
	if p.config == nil || p.mesh == nil || p.namespace == "" || len(p.webhooks) == 0 {
		return fmt.Errorf("the chart renders no injector, no mesh configuration, no Deployment or no webhooks")
	}
	return nil
}

func (p *plane) readConfigMap(cm *corev1.ConfigMap) error {
	switch {
	case strings.HasPrefix(cm.Name, "istio-sidecar-injector"):
		config, err := inject.UnmarshalConfig([]byte(cm.Data["config"]))
		if err != nil {
			return err
		}
		p.config, p.rawValues = &config, cm.Data["values"]
		p.values, err = inject.NewValuesConfig(p.rawValues)
		return err
	case cm.Data["mesh"] != "":
		var err error
		p.mesh, err = mesh.ApplyMeshConfigDefaults(cm.Data["mesh"])
		return err
	case cm.Labels["gateway.istio.io/defaults-for-class"] != "":
		p.classes = append(p.classes, cm)
	}
	return nil
}

// Get, Run and SetHandler make the plane the source of the webhook's configuration.
func (p *plane) Get() (*inject.Config, string, error)          { return p.config, p.rawValues, nil }
func (p *plane) Run(<-chan struct{})                           {}
func (p *plane) SetHandler(func(*inject.Config, string) error) {}

// clusters are the names under which pods may come: istiod's own, and the one in the webhooks' path.
func (p *plane) clusters() []cluster.ID {
	ids := []cluster.ID{cluster.ID(p.variables["CLUSTER_ID"])}
	if _, rest, ok := strings.Cut(p.path(), "/cluster/"); ok {
		name, _, _ := strings.Cut(rest, "/")
		ids = append(ids, cluster.ID(name))
	}
	return ids
}

// path is that of the webhooks.
func (p *plane) path() string {
	if s := p.webhooks[0].ClientConfig.Service; s != nil && s.Path != nil {
		return *s.Path
	}
	return "/inject"
}

// parallel lets a test run beside others, unless the platform is a special one.
func (p *plane) parallel(t *testing.T) {
	t.Helper()
	if p.variables["PLATFORM"] == "" {
		t.Parallel()
	}
}

// platform sets the variable that Istio reads anew for each pod.
func (p *plane) platform() {
	if err := os.Setenv("PLATFORM", p.variables["PLATFORM"]); err != nil {
		panic(err)
	}
}

// namespaceOf returns the namespace of an object.
func (p *plane) namespaceOf(name string) *corev1.Namespace {
	if ns := p.namespaces[name]; ns != nil {
		return ns
	}
	return p.setting.namespace(name)
}

// called returns the webhooks that the API server would call for a new pod.
func (p *plane) called(ns *corev1.Namespace, pod *corev1.Pod) ([]admissionregistrationv1.MutatingWebhook, error) {
	var called []admissionregistrationv1.MutatingWebhook
	for _, w := range p.webhooks {
		namespace, err := metav1.LabelSelectorAsSelector(w.NamespaceSelector)
		if err != nil {
			return nil, err
		}
		object, err := metav1.LabelSelectorAsSelector(w.ObjectSelector)
		if err != nil {
			return nil, err
		}
		if namespace.Matches(labels.Set(ns.Labels)) && object.Matches(labels.Set(pod.Labels)) {
			called = append(called, w)
		}
	}
	return called, nil
}

// An outcome is what became of a pod.
type outcome struct {
	before, after *corev1.Pod
	// webhook is the one that was called; empty where none was.
	webhook string
	// patched says that the webhook changed the pod.
	patched bool
	// refusal is why the webhook refused the pod.
	refusal string
}

// admit creates a pod: the API server calls the webhooks that select it.
func (p *plane) admit(pod *corev1.Pod) (*outcome, error) {
	out := &outcome{before: pod, after: pod}
	called, err := p.called(p.namespaceOf(pod.Namespace), pod)
	if err != nil {
		return nil, err
	}
	for _, w := range called {
		if out.webhook != "" {
			return nil, fmt.Errorf("two webhooks are called: %s and %s", out.webhook, w.Name)
		}
		out.webhook = w.Name
		if err := p.call(w, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// call sends the pod to Istio's webhook and applies the answer.
func (p *plane) call(w admissionregistrationv1.MutatingWebhook, out *outcome) error {
	p.platform()
	raw, err := json.Marshal(out.before)
	if err != nil {
		return err
	}
	review, err := json.Marshal(&admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"},
		Request: &admissionv1.AdmissionRequest{
			UID:       "review",
			Kind:      metav1.GroupVersionKind{Version: "v1", Kind: "Pod"},
			Resource:  metav1.GroupVersionResource{Version: "v1", Resource: "pods"},
			Namespace: out.before.Namespace,
			Operation: admissionv1.Create,
			Object:    runtime.RawExtension{Raw: raw},
		},
	})
	if err != nil {
		return err
	}
	path := "/inject"
	if s := w.ClientConfig.Service; s != nil && s.Path != nil {
		path = *s.Path
	}
	request := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(review))
	request.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	p.mux.ServeHTTP(answer, request)
	if answer.Code != http.StatusOK {
		return fmt.Errorf("the webhook answers %d: %s", answer.Code, answer.Body.String())
	}
	var response admissionv1.AdmissionReview
	if err := json.Unmarshal(answer.Body.Bytes(), &response); err != nil {
		return err
	}
	switch r := response.Response; {
	case r == nil:
		return fmt.Errorf("the webhook's answer is empty: %s", answer.Body.String())
	case !r.Allowed:
		out.refusal = r.Result.Message
	case len(r.Patch) > 0:
		patch, err := jsonpatch.DecodePatch(r.Patch)
		if err != nil {
			return err
		}
		if raw, err = patch.Apply(raw); err != nil {
			return err
		}
		out.patched, out.after = true, &corev1.Pod{}
		return strictJSON(raw, out.after)
	}
	return nil
}
