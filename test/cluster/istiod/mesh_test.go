package istiod_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/stratamesh/strata/test/cluster/api"
	"github.com/stratamesh/strata/test/cluster/binaries"
	"github.com/stratamesh/strata/test/cluster/harness"
	"github.com/stratamesh/strata/test/cluster/istiod"
	"github.com/stratamesh/strata/test/cluster/netns"
	"github.com/stratamesh/strata/test/cluster/report"
	"github.com/stratamesh/strata/test/cluster/xds"
)

// table is filled by the tests, and printed at the end.
var table report.Table

func TestMain(m *testing.M) {
	os.Exit(netns.Main(func() int {
		code := m.Run()
		if err := table.Finish(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
		return code
	}))
}

// part runs a part of a test, and records how long it took.
func part(t *testing.T, name string, run func(*testing.T)) {
	t.Helper()
	start := time.Now()
	ok := t.Run(name, run)
	table.Record(t.Name()+": "+name, "istiod", ok, time.Since(start))
}

// started records how long it took to come to the first part.
func started(t *testing.T, begin time.Time) {
	t.Helper()
	table.Record(t.Name()+": cluster, charts, istiod", "istiod", true, time.Since(begin))
}

const (
	system = "istio-system"
	charts = "../../../manifests/charts"
	// patience is for what istiod or a controller does on its own: moments, or long on a machine that others use too.
	patience = 2 * time.Minute
)

// mesh is a cluster on which charts are installed.
type mesh struct {
	cluster *harness.Cluster
	client  *api.Client
	istiods int
}

func newMesh(t *testing.T) *mesh {
	t.Helper()
	cache, err := binaries.Open(t.Context())
	require.NoError(t, err)
	set, err := cache.Find()
	require.NoError(t, err)
	cluster := harness.New(t, harness.Options{Binaries: set})
	client, err := api.New(cluster.Kubeconfig)
	require.NoError(t, err)
	return &mesh{cluster: cluster, client: client}
}

// soon bounds what a test waits for.
func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// install installs a chart as users do. It does not wait: what runs is started by the test.
func (m *mesh) install(t *testing.T, release, namespace, chart string, arguments ...string) {
	t.Helper()
	m.helm(t, append([]string{"install", release, filepath.Join(charts, chart), "-n", namespace, "--create-namespace"}, arguments...)...)
}

// upgrade upgrades a release.
func (m *mesh) upgrade(t *testing.T, release, namespace, chart string, arguments ...string) {
	t.Helper()
	m.helm(t, append([]string{"upgrade", release, filepath.Join(charts, chart), "-n", namespace}, arguments...)...)
}

// helm runs Helm 4 and returns what it printed. A warning is a failure too.
func (m *mesh) helm(t *testing.T, arguments ...string) string {
	t.Helper()
	helm, err := m.cluster.Helm(4)
	require.NoError(t, err)
	result, err := helm.Run(t.Context(), arguments...)
	require.NoError(t, err)
	require.NoError(t, result.Err())
	return result.Stdout
}

// start starts the istiod of a Deployment, and lets the test fail at its end when the API server refused it something.
func (m *mesh) start(t *testing.T, deployment string) *istiod.Istiod {
	t.Helper()
	m.istiods++
	i, err := istiod.Start(soon(t), m.cluster, m.client, istiod.Options{Namespace: system, Deployment: deployment, Number: m.istiods})
	require.NoError(t, err)
	t.Cleanup(func() {
		i.Stop()
		lines, err := i.Log(func(line string) bool { return strings.Contains(line, "forbidden") })
		if err != nil {
			t.Error(err)
		}
		for _, line := range lines[:min(len(lines), 20)] {
			t.Errorf("%s may not do what it wants to: %s", deployment, line)
		}
	})
	return i
}

// apply applies objects and waits for kinds that are new.
func (m *mesh) apply(t *testing.T, text string) []*api.Object {
	t.Helper()
	objects, err := api.Parse(text)
	require.NoError(t, err)
	var applied []*api.Object
	require.NoError(t, api.Poll(soon(t), func(ctx context.Context) (err error) {
		applied, err = m.client.Apply(ctx, api.ApplyOptions{}, objects...)
		return err
	}))
	return applied
}

// pod makes a pod of one container and returns what admission made of it. Labels are in the form {KEY: VALUE}.
func (m *mesh) pod(t *testing.T, namespace, name, labels string) *corev1.Pod {
	t.Helper()
	objects, err := api.Parse(`
apiVersion: v1
kind: Pod
metadata: {name: ` + name + `, namespace: ` + namespace + `, labels: ` + labels + `}
spec: {containers: [{name: app, image: example.com/app, ports: [{containerPort: 8080}]}]}
`)
	require.NoError(t, err)
	pod := &corev1.Pod{}
	// The namespace's service account comes a moment after it.
	require.NoError(t, api.Poll(soon(t), func(ctx context.Context) error {
		made, err := m.client.Create(ctx, objects[0])
		if err != nil {
			return err
		}
		return runtime.DefaultUnstructuredConverter.FromUnstructured(made.Object, pod)
	}))
	return pod
}

// proxy returns the proxy of a pod, or nil.
func proxy(pod *corev1.Pod) *corev1.Container {
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			if containers[i].Name == "istio-proxy" {
				return &containers[i]
			}
		}
	}
	return nil
}

// connect connects as the proxy of a pod, of a kind that istiod knows, to the ClusterIP of a Service of istiod. The proxy may say more
// about itself.
func (m *mesh) connect(t *testing.T, service, kind string, pod *corev1.Pod, more map[string]any) *xds.Client {
	t.Helper()
	metadata := map[string]any{
		"NAMESPACE": pod.Namespace, "SERVICE_ACCOUNT": pod.Spec.ServiceAccountName, "NODE_NAME": pod.Spec.NodeName, "ISTIO_VERSION": "1.31.0",
	}
	maps.Copy(metadata, more)
	token, err := istiod.Token(t.Context(), m.cluster, pod, "istio-ca")
	require.NoError(t, err)
	client, err := xds.Dial(t.Context(), xds.Options{
		Address: m.secure(t, service), ServerName: service + ".istio-system.svc", Roots: m.roots(t, pod.Namespace), Token: token,
		Cluster: "Kubernetes", Node: fmt.Sprintf("%s~10.0.0.9~%s.%s~%[3]s.svc.cluster.local", kind, pod.Name, pod.Namespace),
		Metadata: metadata,
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	return client
}

// secure is the address of istiod's secure port at the ClusterIP of a Service.
func (m *mesh) secure(t *testing.T, service string) string {
	t.Helper()
	o, err := m.client.Get(t.Context(), api.Ref{APIVersion: "v1", Kind: "Service", Namespace: system, Name: service})
	require.NoError(t, err)
	return o.Object["spec"].(map[string]any)["clusterIP"].(string) + ":15012"
}

// roots returns the certificates that istiod left in a namespace for its proxies.
func (m *mesh) roots(t *testing.T, namespace string) []byte {
	t.Helper()
	var roots string
	require.NoError(t, m.client.Wait(soon(t), api.Ref{APIVersion: "v1", Kind: "ConfigMap", Namespace: namespace, Name: "istio-ca-root-cert"},
		func(o *api.Object) error {
			if o == nil {
				return os.ErrNotExist
			}
			data, _ := o.Object["data"].(map[string]any)
			roots, _ = data["root-cert.pem"].(string)
			return nil
		}))
	return []byte(roots)
}

// crds returns the custom resource definitions of a module that istiod was built with, from a folder of it.
func crds(t *testing.T, module, folder string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", module)
	command.Dir = "../tools/istiod"
	out, err := command.Output()
	require.NoError(t, err)
	var downloaded struct{ Dir string }
	require.NoError(t, json.Unmarshal(out, &downloaded))
	files, err := filepath.Glob(filepath.Join(downloaded.Dir, folder, "*_*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var texts []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		texts = append(texts, string(text))
	}
	return strings.Join(texts, "\n---\n")
}

// appVersion is the version of Istio that the charts install.
func appVersion(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(charts, "istiod", "Chart.yaml"))
	require.NoError(t, err)
	var chart struct{ AppVersion string }
	require.NoError(t, yaml.Unmarshal(text, &chart))
	return chart.AppVersion
}

// write puts a text into a file and returns its path.
func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "values.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// selfSigned returns a certificate and its key, as PEM.
func selfSigned(t *testing.T) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"front.example.com"}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	require.NoError(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	encode := func(kind string, der []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	return encode("CERTIFICATE", der), encode("PRIVATE KEY", keyDER)
}
