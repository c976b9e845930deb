package harness

import (
	"context"
	_ "embed"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"
)

const apiServer = "kube-apiserver"

// Ports of the control plane on the network's first address.
const (
	etcdPort = 2379 + iota
	etcdPeerPort
	_
	apiPort
	managerPort
	schedulerPort
	kwokPort
)

// stages tell kwok what becomes of nodes and pods.
//
//go:embed stages.yaml
var stages []byte

// nodeVersion is the version of the kubelets. Istio decides by it whether pods get native sidecars.
const nodeVersion = "v1.37.2"

// files are the paths of what the programs read.
type files struct {
	ca, caKey, server, serverKey           string
	account, accountKey                    string
	frontCA, frontClient, frontKey, stages string
}

func (c *Cluster) start(ctx context.Context) error {
	begin := time.Now()
	var f files
	for _, part := range []struct {
		name  string
		start func(context.Context, *files) error
	}{
		{"certificates", c.writeFiles},
		{"etcd", c.startEtcd},
		{apiServer, c.startAPIServer},
		{"kube-controller-manager", c.startManager},
		{"kube-scheduler", c.startScheduler},
		{"nodes", c.startNodes},
	} {
		t := time.Now()
		if err := part.start(ctx, &f); err != nil {
			return err
		}
		c.Timings[part.name] = time.Since(t)
	}
	c.Timings["total"] = time.Since(begin)
	return nil
}

func (c *Cluster) writeFiles(_ context.Context, f *files) (err error) {
	if c.authority, err = issue(nil, request{name: "test-ca"}); err != nil {
		return err
	}
	server, err := issue(c.authority, request{
		name:      apiServer,
		addresses: []net.IP{net.ParseIP(c.network.ip()), net.ParseIP(c.network.apiService())},
		names:     []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"},
	})
	if err != nil {
		return err
	}
	account, err := issue(nil, request{name: "service-accounts"})
	if err != nil {
		return err
	}
	accountPublic, err := account.publicPEM()
	if err != nil {
		return err
	}
	front, err := issue(nil, request{name: "front-proxy-ca"})
	if err != nil {
		return err
	}
	frontClient, err := issue(front, request{name: "front-proxy-client"})
	if err != nil {
		return err
	}
	for _, file := range []struct {
		path *string
		name string
		data []byte
	}{
		{&f.ca, "ca.crt", c.authority.pem},
		{&f.caKey, "ca.key", c.authority.keyPEM},
		{&f.server, "apiserver.crt", server.pem},
		{&f.serverKey, "apiserver.key", server.keyPEM},
		{&f.account, "sa.pub", accountPublic},
		{&f.accountKey, "sa.key", account.keyPEM},
		{&f.frontCA, "front-proxy-ca.crt", front.pem},
		{&f.frontClient, "front-proxy-client.crt", frontClient.pem},
		{&f.frontKey, "front-proxy-client.key", frontClient.keyPEM},
		{&f.stages, "stages.yaml", stages},
	} {
		if *file.path, err = c.write(file.name, file.data); err != nil {
			return err
		}
	}
	c.CAPEM = c.authority.pem
	c.URL = "https://" + c.network.address(apiPort)
	if c.Client, err = c.administrator(); err != nil {
		return err
	}
	c.Kubeconfig, err = c.WriteKubeconfig("admin", "test-admin", "system:masters")
	return err
}

func (c *Cluster) startEtcd(ctx context.Context, _ *files) error {
	client, peer := "http://"+c.network.address(etcdPort), "http://"+c.network.address(etcdPeerPort)
	p, err := c.Run("etcd", nil, "--name=test", "--data-dir="+filepath.Join(c.options.Dir, "etcd"),
		"--listen-client-urls="+client, "--advertise-client-urls="+client,
		"--listen-peer-urls="+peer, "--initial-advertise-peer-urls="+peer, "--initial-cluster=test="+peer,
		"--unsafe-no-fsync", "--log-level=warn")
	if err != nil {
		return err
	}
	return c.await(ctx, p, func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, client+"/health", http.NoBody)
		if err != nil {
			return err
		}
		_, body, err := send(http.DefaultClient, request)
		if err == nil && !strings.Contains(body, `"true"`) {
			err = fmt.Errorf("health: %s", body)
		}
		return err
	})
}

func (c *Cluster) startAPIServer(ctx context.Context, f *files) error {
	arguments := c.emulated(
		"--etcd-servers=http://"+c.network.address(etcdPort),
		"--bind-address="+c.network.ip(), fmt.Sprintf("--secure-port=%d", apiPort),
		// The address of the Service kubernetes may not be a loopback one; without a reconciler nobody looks.
		"--advertise-address="+c.network.ip(), "--endpoint-reconciler-type=none",
		"--service-cluster-ip-range="+c.network.services(),
		"--tls-cert-file="+f.server, "--tls-private-key-file="+f.serverKey, "--client-ca-file="+f.ca,
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-key-file="+f.account, "--service-account-signing-key-file="+f.accountKey,
		"--requestheader-client-ca-file="+f.frontCA, "--requestheader-allowed-names=front-proxy-client",
		"--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file="+f.frontClient, "--proxy-client-key-file="+f.frontKey,
		"--authorization-mode=Node,RBAC", "--allow-privileged=true",
		"--enable-admission-plugins=NodeRestriction", "--profiling=false",
	)
	p, err := c.Run(apiServer, nil, append(arguments, c.options.APIServerArgs...)...)
	if err != nil {
		return err
	}
	return c.await(ctx, p, c.ready)
}

// ready is whether the API server answers and has made the namespaces of its own.
func (c *Cluster) ready(ctx context.Context) error {
	for _, path := range []string{"/readyz", "/api/v1/namespaces/default", "/api/v1/namespaces/kube-system"} {
		if err := c.exists(ctx, path); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cluster) exists(ctx context.Context, path string) error {
	code, body, err := c.Req(ctx, http.MethodGet, path, "", "")
	if err == nil && code != http.StatusOK {
		err = fmt.Errorf("GET %s: %d %s", path, code, body)
	}
	return err
}

func (c *Cluster) startManager(ctx context.Context, f *files) error {
	config, err := c.WriteKubeconfig("kube-controller-manager", "system:kube-controller-manager")
	if err != nil {
		return err
	}
	p, err := c.Run("kube-controller-manager", nil, c.emulated("--kubeconfig="+config,
		"--authentication-kubeconfig="+config, "--authorization-kubeconfig="+config,
		"--bind-address="+c.network.ip(), fmt.Sprintf("--secure-port=%d", managerPort), "--cert-dir="+c.options.Dir,
		"--leader-elect=false", "--kube-api-qps=500", "--kube-api-burst=1000", "--use-service-account-credentials=true",
		"--service-account-private-key-file="+f.accountKey, "--root-ca-file="+f.ca,
		"--cluster-signing-cert-file="+f.ca, "--cluster-signing-key-file="+f.caKey, "--allocate-node-cidrs=false",
		"--controllers=*,-"+strings.Join(unneeded, ",-"))...)
	if err != nil {
		return err
	}
	return c.await(ctx, p, func(ctx context.Context) error {
		return c.exists(ctx, "/api/v1/namespaces/default/serviceaccounts/default")
	})
}

// unneeded are controllers of what no chart here has. Each would watch something, and there are many clusters.
var unneeded = []string{
	"cronjob-controller", "job-controller", "replicationcontroller-controller", "statefulset-controller", "ttl-after-finished-controller",
	"ephemeral-volume-controller", "persistentvolume-attach-detach-controller", "persistentvolume-binder-controller",
	"persistentvolume-expander-controller", "persistentvolume-protection-controller", "persistentvolumeclaim-protection-controller",
	"selinux-warning-controller", "storage-version-migrator-controller", "volumeattributesclass-protection-controller",
	"resourceclaim-controller",
}

func (c *Cluster) startScheduler(_ context.Context, _ *files) error {
	config, err := c.WriteKubeconfig("kube-scheduler", "system:kube-scheduler")
	if err != nil {
		return err
	}
	_, err = c.Run("kube-scheduler", nil, c.emulated("--kubeconfig="+config, "--authentication-kubeconfig="+config,
		"--authorization-kubeconfig="+config, "--bind-address="+c.network.ip(), "--cert-dir="+c.options.Dir,
		fmt.Sprintf("--secure-port=%d", schedulerPort), "--leader-elect=false")...)
	return err
}

func (c *Cluster) startNodes(ctx context.Context, f *files) error {
	for _, n := range c.options.Nodes {
		code, body, err := c.Req(ctx, http.MethodPost, "/api/v1/nodes", "application/yaml", fmt.Sprintf(`apiVersion: v1
kind: Node
metadata:
  name: %s
  annotations: {kwok.x-k8s.io/node: fake}
  labels: {kubernetes.io/os: linux, kubernetes.io/arch: amd64, kubernetes.io/hostname: %[1]s}
status:
  nodeInfo: {kubeletVersion: %s, operatingSystem: linux, architecture: amd64}
`, n, nodeVersion))
		if err != nil {
			return err
		}
		if code != http.StatusCreated {
			return fmt.Errorf("node %s: %d %s", n, code, body)
		}
	}
	config, err := c.WriteKubeconfig("kwok", "kwok", "system:masters")
	if err != nil {
		return err
	}
	// In its working directory: kwok splits the value at commas, and a path may have some.
	p, err := c.Run("kwok", nil, "--kubeconfig="+config, "--config="+filepath.Base(f.stages), "--manage-all-nodes=true", "--node-ip="+nodeIP,
		"--server-address="+c.network.address(kwokPort), "--node-lease-duration-seconds=40", "--cidr=10.244.0.0/16")
	if err != nil {
		return err
	}
	return c.await(ctx, p, func(ctx context.Context) error {
		for _, n := range c.options.Nodes {
			_, body, err := c.Req(ctx, http.MethodGet, "/api/v1/nodes/"+n, "", "")
			if err != nil {
				return err
			}
			if !strings.Contains(body, `"KubeletReady"`) {
				return fmt.Errorf("node %s is not ready: %s", n, body)
			}
		}
		return nil
	})
}

// nodeIP is that of every node. A loopback address would be refused in the endpoints of pods on the host's network.
const nodeIP = "10.0.0.1"

// emulated adds the emulated version, which all programs of Kubernetes have to agree on.
func (c *Cluster) emulated(arguments ...string) []string {
	if c.options.EmulatedVersion == "" {
		return arguments
	}
	return append(arguments, "--emulated-version="+c.options.EmulatedVersion)
}
