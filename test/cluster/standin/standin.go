package standin

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	admission "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/stratamesh/strata/test/cluster/api"
	"github.com/stratamesh/strata/test/cluster/harness"
)

// Manager is the field manager of istiod, named after its program.
const Manager = "pilot-discovery"

// StandIn plays istiod and a cloud in one cluster.
type StandIn struct {
	cluster *harness.Cluster
	client  *api.Client
	server  *http.Server
	// listeners are by the uid of the Service.
	listeners map[types.UID]net.Listener
	remote    string
	reviews   atomic.Int64
	paused    atomic.Bool
	finishing sync.Mutex
	stop      context.CancelFunc
	done      chan struct{}
}

// Start begins to play, until Stop. It needs the right to listen on port 443, that of istiod's Service.
func Start(c *harness.Cluster) (*StandIn, error) {
	client, err := api.New(c.Kubeconfig)
	if err != nil {
		return nil, err
	}
	client.Manager = Manager
	s := &StandIn{cluster: c, client: client, listeners: map[types.UID]net.Listener{}, done: make(chan struct{})}
	s.server = &http.Server{
		Handler:           http.HandlerFunc(s.review),
		ReadHeaderTimeout: 10 * time.Second,
		// A client that does not trust it yet says so, often.
		ErrorLog: log.New(io.Discard, "", 0),
		TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			host := hello.ServerName
			if host == "" { // called by its address
				host, _, err := net.SplitHostPort(hello.Conn.LocalAddr().String())
				if err != nil {
					return nil, err
				}
				return c.ServerCertificate(host)
			}
			return c.ServerCertificate(host)
		}},
	}
	remote, err := net.Listen("tcp", c.Loopback(2)+":443")
	if err != nil {
		return nil, fmt.Errorf("%w\nrun as root, or allow the port: sysctl net.ipv4.ip_unprivileged_port_start=443", err)
	}
	s.remote = remote.Addr().String()
	go s.serve(remote)
	ctx, cancel := context.WithCancel(context.Background())
	s.stop = cancel
	go func() {
		defer close(s.done)
		s.play(ctx)
	}()
	return s, nil
}

// Stop ends the play.
func (s *StandIn) Stop() {
	s.stop()
	<-s.done
	_ = s.server.Close() // it is thrown away
}

// Remote is the address, with a port, of an istiod outside of the cluster.
func (s *StandIn) Remote() string { return s.remote }

// Reviews counts the calls of webhooks so far.
func (s *StandIn) Reviews() int64 { return s.reviews.Load() }

// Pause stops the work on webhooks and load balancers until Resume. Webhooks are still answered.
func (s *StandIn) Pause() { s.paused.Store(true) }

// Resume ends a Pause.
func (s *StandIn) Resume() { s.paused.Store(false) }

func (s *StandIn) serve(l net.Listener) {
	// It ends when the listener or the server is closed.
	_ = s.server.ServeTLS(l, "", "")
}

// review allows whatever it is asked about.
func (s *StandIn) review(w http.ResponseWriter, r *http.Request) {
	s.reviews.Add(1)
	var review admission.AdmissionReview
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil || review.Request == nil {
		http.Error(w, "no admission review", http.StatusBadRequest)
		return
	}
	review.Response = &admission.AdmissionResponse{UID: review.Request.UID, Allowed: true}
	review.Request = nil
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(review) // nobody listens any more where it fails
}

// play does in a loop what controllers do on events. An API server that is away is asked again later.
func (s *StandIn) play(ctx context.Context) {
	for {
		if !s.paused.Load() {
			_ = errors.Join(s.services(ctx), s.Finish(ctx)) // the next turn tries again
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(1500 * time.Millisecond):
		}
	}
}

// services listens where Services of istiod are, and gives load balancers an address.
func (s *StandIn) services(ctx context.Context) error {
	services, err := s.client.List(ctx, api.Ref{APIVersion: "v1", Kind: "Service"}, "")
	if err != nil {
		return err
	}
	seen := map[types.UID]bool{}
	for _, service := range services {
		ip, _, _ := unstructured.NestedString(service.Object, "spec", "clusterIP")
		kind, _, _ := unstructured.NestedString(service.Object, "spec", "type")
		if strings.HasPrefix(service.GetName(), "istiod") && net.ParseIP(ip) != nil {
			seen[service.GetUID()] = true
			if s.listeners[service.GetUID()] == nil {
				l, err := net.Listen("tcp", net.JoinHostPort(ip, "443"))
				if err != nil {
					return fmt.Errorf("instead of istiod: %w", err)
				}
				s.listeners[service.GetUID()] = l
				go s.serve(l)
			}
		}
		if addresses, _, _ := unstructured.NestedSlice(service.Object, "status", "loadBalancer", "ingress"); kind == "LoadBalancer" && len(addresses) == 0 {
			if _, err := s.client.Patch(ctx, api.RefOf(&service), types.MergePatchType,
				`{"status":{"loadBalancer":{"ingress":[{"ip":"192.0.2.10"}]}}}`, "status"); err != nil {
				return err
			}
		}
	}
	for uid, l := range s.listeners {
		if !seen[uid] {
			delete(s.listeners, uid)
			_ = l.Close() // the Service is gone, and its address may be another's soon
		}
	}
	return nil
}

// Finish gives the webhooks of Istio what istiod gives them: a caBundle, and to validators failurePolicy Fail. After it there is
// nothing left to do for the ones that are there.
func (s *StandIn) Finish(ctx context.Context) error {
	s.finishing.Lock()
	defer s.finishing.Unlock()
	var err error
	// Where somebody wrote in between, the patch is refused as invalid: again, with what is there now.
	for range 5 {
		if err = s.finish(ctx); !apierrors.IsInvalid(err) {
			return err
		}
	}
	return err
}

func (s *StandIn) finish(ctx context.Context) error {
	bundle := base64.StdEncoding.EncodeToString(s.cluster.CAPEM)
	for _, kind := range []string{"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"} {
		configurations, err := s.client.List(ctx, api.Ref{APIVersion: "admissionregistration.k8s.io/v1", Kind: kind}, "")
		if err != nil {
			return err
		}
		for _, configuration := range configurations {
			if !strings.HasPrefix(configuration.GetName(), "istio") {
				continue
			}
			patch, err := finished(&configuration, bundle)
			if err != nil {
				return err
			}
			if patch == "" {
				continue
			}
			if _, err := s.client.Patch(ctx, api.RefOf(&configuration), types.JSONPatchType, patch); err != nil && !api.IsNotFound(err) {
				return err
			}
		}
	}
	return nil
}

// finished is the patch that a configuration lacks, or empty.
func finished(o *api.Object, bundle string) (string, error) {
	type operation struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		Value any    `json:"value"`
	}
	var patch []operation
	webhooks, _, err := unstructured.NestedSlice(o.Object, "webhooks")
	if err != nil {
		return "", err
	}
	for i, w := range webhooks {
		webhook, ok := w.(map[string]any)
		if !ok {
			return "", fmt.Errorf("%s: webhook %d is a %T", api.RefOf(o), i, w)
		}
		if b, _, _ := unstructured.NestedString(webhook, "clientConfig", "caBundle"); b != bundle {
			patch = append(patch, operation{"add", fmt.Sprintf("/webhooks/%d/clientConfig/caBundle", i), bundle})
		}
		if o.GetKind() == "ValidatingWebhookConfiguration" && webhook["failurePolicy"] != "Fail" {
			patch = append(patch, operation{"add", fmt.Sprintf("/webhooks/%d/failurePolicy", i), "Fail"})
		}
	}
	if len(patch) == 0 {
		return "", nil
	}
	// The places are those of this version.
	patch = append([]operation{{"test", "/metadata/resourceVersion", o.GetResourceVersion()}}, patch...)
	data, err := json.Marshal(patch)
	return string(data), err
}
