package istiod

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/stratamesh/strata/test/cluster/api"
	"github.com/stratamesh/strata/test/cluster/harness"
	"github.com/stratamesh/strata/test/cluster/process"
)

// Options say which istiod to start.
type Options struct {
	// Namespace and Deployment are where the chart put it.
	Namespace, Deployment string
	// Number tells apart those of one cluster; it is from 1 to 254.
	Number int
}

// Istiod is one that runs.
type Istiod struct {
	// Pod is the pod as which it runs.
	Pod *corev1.Pod
	// IP is the loopback address on which it listens, on the ports of its container.
	IP string

	log       string
	process   *process.Process
	forwarder *forwarder
}

// The ports on which istiod listens unless it is told otherwise.
const (
	debugPort     = 8080
	plainPort     = 15010
	securePort    = 15012
	metricsPort   = 15014
	admissionPort = 15017
)

// Start waits for the pod of the Deployment, starts istiod in its place, and waits until the pod's readiness probe passes. ctx
// bounds the start only. After an error nothing runs.
func Start(ctx context.Context, c *harness.Cluster, client *api.Client, o Options) (*Istiod, error) {
	pod, err := podOf(ctx, client, o)
	if err != nil {
		return nil, err
	}
	ip, err := address(c, o.Number)
	if err != nil {
		return nil, err
	}
	i := &Istiod{Pod: pod, IP: ip, log: filepath.Join(c.Dir(), o.Deployment+".log")}
	if err := i.start(ctx, c, client, o); err != nil {
		i.Stop()
		return nil, fmt.Errorf("%s: %w\n%s", o.Deployment, err, i.tail())
	}
	return i, nil
}

func (i *Istiod) start(ctx context.Context, c *harness.Cluster, client *api.Client, o Options) error {
	path, err := c.Binary("istiod")
	if err != nil {
		return err
	}
	container := &i.Pod.Spec.Containers[0]
	environment, err := environment(i.Pod, container)
	if err != nil {
		return err
	}
	root := filepath.Join(c.Dir(), o.Deployment)
	if err := mount(ctx, c, client, root, i.Pod, container); err != nil {
		return err
	}
	token, err := Token(ctx, c, i.Pod, "")
	if err != nil {
		return err
	}
	kubeconfig, err := c.WriteTokenKubeconfig(o.Deployment, token)
	if err != nil {
		return err
	}
	log, err := os.Create(i.log)
	if err != nil {
		return err
	}
	at := func(port int) string { return net.JoinHostPort(i.IP, strconv.Itoa(port)) }
	// Of two flags of a name the last one counts.
	command := exec.Command(path, append(append([]string{}, container.Args...),
		"--kubeconfig="+kubeconfig, "--ctrlz_port=0", "--httpAddr="+at(debugPort), "--httpsAddr="+at(admissionPort),
		"--grpcAddr="+at(plainPort), "--secureGRPCAddr="+at(securePort), "--monitoringAddr="+at(metricsPort))...)
	// Its name in its image, after which the API server calls it as manager of fields.
	command.Args[0] = "pilot-discovery"
	command.Dir, command.Env, command.Stdout, command.Stderr = root, environment, log, log
	i.process, err = process.Start(o.Deployment, command)
	if err = errors.Join(err, log.Close()); err != nil {
		return err
	}
	if err := i.ready(ctx, container); err != nil {
		return err
	}
	i.forwarder, err = forward(ctx, client, i.Pod, i.IP)
	return err
}

// Stop ends it. Afterwards nothing listens on the ClusterIPs of its Services.
func (i *Istiod) Stop() {
	if i.process != nil {
		i.process.Stop(2 * time.Second)
	}
	if i.forwarder != nil {
		i.forwarder.close()
	}
}

// Debug returns what one of its debug pages shows, such as /debug/mesh.
func (i *Istiod) Debug(ctx context.Context, page string) ([]byte, error) {
	return get(ctx, fmt.Sprintf("http://%s:%d%s", i.IP, debugPort, page))
}

// Metrics returns its metrics in the format of Prometheus.
func (i *Istiod) Metrics(ctx context.Context) ([]byte, error) {
	return get(ctx, fmt.Sprintf("http://%s:%d/metrics", i.IP, metricsPort))
}

// Log returns the lines of its log that a condition holds for.
func (i *Istiod) Log(condition func(line string) bool) ([]string, error) {
	text, err := os.ReadFile(i.log)
	if err != nil {
		return nil, err
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); condition(line) {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

func (i *Istiod) tail() string {
	lines, err := i.Log(func(string) bool { return true })
	if err != nil {
		return ""
	}
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}

// ready waits for the readiness probe that the chart gave to the container.
func (i *Istiod) ready(ctx context.Context, container *corev1.Container) error {
	if container.ReadinessProbe == nil || container.ReadinessProbe.HTTPGet == nil {
		return errors.New("its container has no readiness probe over HTTP")
	}
	probe := container.ReadinessProbe.HTTPGet
	port, err := target(container, probe.Port)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-i.process.Done():
			cancel(fmt.Errorf("it ended: %w", i.process.Err()))
		case <-ctx.Done():
		}
	}()
	err = api.Poll(ctx, func(ctx context.Context) error {
		_, err := get(ctx, fmt.Sprintf("http://%s:%d%s", i.IP, port, probe.Path))
		return err
	})
	if err != nil {
		return fmt.Errorf("not ready: %w (%w)", err, context.Cause(ctx))
	}
	return nil
}

// Token returns a token of the service account of a pod, bound to the pod, for an audience; without one it is for the API server.
func Token(ctx context.Context, c *harness.Cluster, pod *corev1.Pod, audience string) (string, error) {
	spec := map[string]any{"boundObjectRef": map[string]any{"apiVersion": "v1", "kind": "Pod", "name": pod.Name, "uid": pod.UID}}
	if audience != "" {
		spec["audiences"] = []string{audience}
	}
	return requestToken(ctx, c, pod.Namespace, pod.Spec.ServiceAccountName, spec)
}

// AccountToken returns a token of a service account for the API server, bound to nothing.
func AccountToken(ctx context.Context, c *harness.Cluster, namespace, account string) (string, error) {
	return requestToken(ctx, c, namespace, account, map[string]any{})
}

func requestToken(ctx context.Context, c *harness.Cluster, namespace, account string, spec map[string]any) (string, error) {
	spec["expirationSeconds"] = 3600
	body, err := json.Marshal(map[string]any{"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec})
	if err != nil {
		return "", err
	}
	path := fmt.Sprintf("/api/v1/namespaces/%s/serviceaccounts/%s/token", namespace, account)
	code, text, err := c.Req(ctx, http.MethodPost, path, "application/json", string(body))
	if err != nil {
		return "", fmt.Errorf("token of %s/%s: %w", namespace, account, err)
	}
	if code != http.StatusCreated {
		return "", fmt.Errorf("token of %s/%s: %d %s", namespace, account, code, text)
	}
	var answer struct{ Status struct{ Token string } }
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		return "", fmt.Errorf("token of %s/%s: %w", namespace, account, err)
	}
	return answer.Status.Token, nil
}

// podOf waits until a Deployment has one pod and that one runs.
func podOf(ctx context.Context, client *api.Client, o Options) (*corev1.Pod, error) {
	var pod *corev1.Pod
	err := api.Poll(ctx, func(ctx context.Context) error {
		found, err := client.Get(ctx, api.Ref{APIVersion: "apps/v1", Kind: "Deployment", Namespace: o.Namespace, Name: o.Deployment})
		if err != nil {
			return err
		}
		var deployment appsv1.Deployment
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(found.Object, &deployment); err != nil {
			return err
		}
		pods, err := Pods(ctx, client, o.Namespace, metav1.FormatLabelSelector(deployment.Spec.Selector))
		if err != nil {
			return err
		}
		if len(pods) != 1 || pods[0].Status.Phase != corev1.PodRunning {
			return fmt.Errorf("%s/%s has %d pods; one that runs is wanted", o.Namespace, o.Deployment, len(pods))
		}
		pod = pods[0]
		return nil
	})
	return pod, err
}

// Pods returns the pods that a label selector selects, without those that are about to go.
func Pods(ctx context.Context, client *api.Client, namespace, selector string) ([]*corev1.Pod, error) {
	list, err := client.List(ctx, api.Ref{APIVersion: "v1", Kind: "Pod", Namespace: namespace}, selector)
	if err != nil {
		return nil, err
	}
	var pods []*corev1.Pod
	for _, o := range list {
		pod := &corev1.Pod{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, pod); err != nil {
			return nil, err
		}
		if pod.DeletionTimestamp == nil {
			pods = append(pods, pod)
		}
	}
	return pods, nil
}

// address returns an address of the cluster's network that is no ClusterIP.
func address(c *harness.Cluster, number int) (string, error) {
	services, err := netip.ParsePrefix(c.ServiceRange())
	if err != nil {
		return "", fmt.Errorf("range of services: %w", err)
	}
	if number < 1 || number > 254 {
		return "", fmt.Errorf("number %d of an istiod: it has to be from 1 to 254", number)
	}
	ip := services.Addr().As4()
	ip[2], ip[3] = 1, byte(number)
	if services.Contains(netip.AddrFrom4(ip)) {
		return "", fmt.Errorf("%s: the range of services has no room below it", services)
	}
	return netip.AddrFrom4(ip).String(), nil
}

func get(ctx context.Context, url string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	if err = errors.Join(err, response.Body.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", url, err)
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s: %s", url, response.Status, body)
	}
	return body, nil
}
