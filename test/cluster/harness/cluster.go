package harness

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/stratamesh/strata/test/cluster/process"
)

// Options say what cluster to start.
type Options struct {
	// Binaries holds the path of each program: etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kwok, and for Helm
	// helm3, helm4.
	Binaries map[string]string
	// Dir is a folder for keys, data and logs. It is made where it is missing. A log is NAME.log.
	Dir string
	// Nodes are the names of the nodes; by default node-1 and node-2.
	Nodes []string
	// APIServerArgs are further arguments of kube-apiserver.
	APIServerArgs []string
	// EmulatedVersion is the minor of Kubernetes that the control plane behaves as, such as 1.34; by default its own.
	EmulatedVersion string
}

// Cluster is a control plane that runs.
type Cluster struct {
	// Kubeconfig is the path of a kubeconfig of a cluster administrator.
	Kubeconfig string
	// URL is where the API server is.
	URL string
	// CAPEM is the certificate of the authority that signed the API server's.
	CAPEM []byte
	// Client is an HTTP client with the rights of the administrator.
	Client *http.Client
	// Timings tell how long each part took to start.
	Timings map[string]time.Duration

	options   Options
	network   *network
	authority *identity
	// In the order in which they were started.
	running []*running
}

// tuning trades memory for time: the programs collect garbage less often, which is a third of their work otherwise.
const tuning = "GOGC=400"

// running is a program with what it takes to start it again.
type running struct {
	*process.Process
	arguments []string
}

// Start starts a cluster and waits until its API server answers and its nodes are ready. ctx bounds the start only. After an
// error nothing runs.
func Start(ctx context.Context, o Options) (*Cluster, error) {
	if len(o.Nodes) == 0 {
		o.Nodes = []string{"node-1", "node-2"}
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, err
	}
	reserved, err := reserve()
	if err != nil {
		return nil, err
	}
	c := &Cluster{Timings: map[string]time.Duration{}, options: o, network: reserved}
	if err := c.start(ctx); err != nil {
		c.Stop()
		return nil, fmt.Errorf("%w\nlogs are in %s", err, o.Dir)
	}
	return c, nil
}

// Dir is the folder with keys, data and logs.
func (c *Cluster) Dir() string { return c.options.Dir }

// Binary returns the path of a program.
func (c *Cluster) Binary(name string) (string, error) {
	if path, ok := c.options.Binaries[name]; ok {
		return path, nil
	}
	return "", fmt.Errorf("no program %s among those of this cluster", name)
}

// ServiceRange is the range of ClusterIPs: loopback addresses that a program of the test may bind.
func (c *Cluster) ServiceRange() string { return c.network.services() }

// Loopback returns an address of the cluster's own network on loopback, for programs of the test: n is 2 to 254. The control plane
// has the first one.
func (c *Cluster) Loopback(n int) string { return c.network.loopback(n) }

// Run starts a program of this cluster. It runs in the cluster's folder, writes to NAME.log there, and ends with the cluster.
// The variables in the environment are all that it gets besides PATH and HOME.
func (c *Cluster) Run(name string, environment []string, arguments ...string) (*process.Process, error) {
	path, err := c.Binary(name)
	if err != nil {
		return nil, err
	}
	// Appended to, for one that is started again.
	log, err := os.OpenFile(c.log(name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	command := exec.Command(path, arguments...)
	command.Dir = c.options.Dir
	command.Stdout, command.Stderr = log, log
	command.Env = append([]string{tuning, "PATH=" + os.Getenv("PATH"), "HOME=" + c.options.Dir}, environment...)
	p, err := process.Start(name, command)
	err = errors.Join(err, log.Close())
	if err != nil {
		return nil, err
	}
	c.running = append(c.running, &running{p, arguments})
	return p, nil
}

func (c *Cluster) log(name string) string { return filepath.Join(c.options.Dir, name+".log") }

// Kill kills a program of the control plane, as a node that fails would.
func (c *Cluster) Kill(name string) error {
	r, err := c.named(name)
	if err != nil {
		return err
	}
	r.Kill()
	return nil
}

// Restart starts a program again that has ended, with the arguments that it had. For kube-apiserver it waits until it is ready.
func (c *Cluster) Restart(ctx context.Context, name string) error {
	old, err := c.named(name)
	if err != nil {
		return err
	}
	select {
	case <-old.Done():
	default:
		return fmt.Errorf("%s still runs", name)
	}
	p, err := c.Run(name, nil, old.arguments...)
	if err != nil {
		return err
	}
	if name == apiServer {
		return c.await(ctx, p, c.ready)
	}
	return nil
}

// named returns the last started program of a name.
func (c *Cluster) named(name string) (*running, error) {
	for i := len(c.running) - 1; i >= 0; i-- {
		if c.running[i].Name == name {
			return c.running[i], nil
		}
	}
	return nil, fmt.Errorf("%s was not started in this cluster", name)
}

// Stop ends every program of the cluster, the last one first. The folder stays.
func (c *Cluster) Stop() {
	for i := len(c.running) - 1; i >= 0; i-- {
		if p := c.running[i]; p.Name == apiServer || p.Name == "etcd" {
			p.Kill() // draining connections takes long, and the data is thrown away
		} else {
			p.Stop(5 * time.Second)
		}
	}
	c.running = nil
	_ = c.network.release() // a listener that was closed before is closed
	if c.Client != nil {
		c.Client.CloseIdleConnections()
	}
}

// WriteKubeconfig issues a certificate for a user with groups and writes NAME.kubeconfig into the folder. It returns its path.
func (c *Cluster) WriteKubeconfig(name, user string, groups ...string) (string, error) {
	id, err := issue(c.authority, request{name: user, groups: groups})
	if err != nil {
		return "", err
	}
	b64 := base64.StdEncoding.EncodeToString
	return c.writeKubeconfig(name, fmt.Sprintf("{client-certificate-data: %s, client-key-data: %s}", b64(id.pem), b64(id.keyPEM)))
}

// WriteTokenKubeconfig writes NAME.kubeconfig with a bearer token, such as that of a service account. It returns its path.
func (c *Cluster) WriteTokenKubeconfig(name, token string) (string, error) {
	return c.writeKubeconfig(name, fmt.Sprintf("{token: %q}", token))
}

func (c *Cluster) writeKubeconfig(name, user string) (string, error) {
	return c.write(name+".kubeconfig", fmt.Appendf(nil, `apiVersion: v1
kind: Config
clusters:
- name: test
  cluster: {server: %q, certificate-authority-data: %s}
users:
- name: test
  user: %s
contexts:
- name: test
  context: {cluster: test, user: test}
current-context: test
`, c.URL, base64.StdEncoding.EncodeToString(c.CAPEM), user))
}

func (c *Cluster) write(name string, data []byte) (string, error) {
	path := filepath.Join(c.options.Dir, name)
	return path, os.WriteFile(path, data, 0o600)
}

// Req sends a request to the API server and returns the code and the body of the answer. path begins with a slash.
func (c *Cluster) Req(ctx context.Context, method, path, contentType, body string) (int, string, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.URL+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	return send(c.Client, request)
}

func send(client *http.Client, request *http.Request) (int, string, error) {
	response, err := client.Do(request)
	if err != nil {
		return 0, "", err
	}
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, string(body), errors.Join(err, response.Body.Close())
}

// administrator makes the client of the tests.
func (c *Cluster) administrator() (*http.Client, error) {
	id, err := issue(c.authority, request{name: "test-admin", groups: []string{"system:masters"}})
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(id.pem, id.keyPEM)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	pool.AddCert(c.authority.certificate)
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{
		RootCAs: pool, Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12,
	}}}, nil
}

// await calls a check until it passes, the program ends, or the time is over.
func (c *Cluster) await(ctx context.Context, p *process.Process, check func(context.Context) error) error {
	for {
		last := check(ctx)
		if last == nil {
			return nil
		}
		select {
		case <-p.Done():
			return fmt.Errorf("%s ended: %w (before: %w)%s", p.Name, p.Err(), last, c.tail(p.Name))
		case <-ctx.Done():
			return fmt.Errorf("%s: %w (before: %w)%s", p.Name, ctx.Err(), last, c.tail(p.Name))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// tail is the end of a log, for messages.
func (c *Cluster) tail(name string) string {
	data, err := os.ReadFile(c.log(name))
	if err != nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return "\n" + strings.Join(lines[max(0, len(lines)-15):], "\n")
}
