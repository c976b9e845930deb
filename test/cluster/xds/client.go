package xds

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"sync"

	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	discovery "github.com/envoyproxy/go-control-plane/envoy/service/discovery/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
)

// Options say whom to connect to, and as whom.
type Options struct {
	// Address is HOST:PORT of istiod's secure port.
	Address string
	// ServerName is the DNS name that its certificate has to be for.
	ServerName string
	// Roots are the certificates, PEM, that its certificate has to come from.
	Roots []byte
	// Token is that of the service account, for the audience istio-ca.
	Token string
	// Cluster is the name of the cluster in which the proxy is.
	Cluster string
	// Node is the node id of the proxy: TYPE~IP~NAME.NAMESPACE~NAMESPACE.svc.DOMAIN.
	Node string
	// Metadata is that of the node, such as {"NAMESPACE": "shop"}.
	Metadata map[string]any
}

// Client is one connection to istiod.
type Client struct {
	options    Options
	connection *grpc.ClientConn
	stream     discovery.AggregatedDiscoveryService_DeltaAggregatedResourcesClient
	cancel     context.CancelFunc
	done       chan struct{}

	// sending guards the stream, which takes one message at a time.
	sending sync.Mutex

	mutex     sync.Mutex
	resources map[string]map[string]proto.Message
	changed   chan struct{}
	failure   error
}

// Dial connects and opens the stream. Close ends both.
func Dial(ctx context.Context, options Options) (*Client, error) {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(options.Roots) {
		return nil, errors.New("xds: no root certificate of istiod")
	}
	connection, err := grpc.NewClient("passthrough:///"+options.Address,
		grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{
			RootCAs: roots, ServerName: options.ServerName, MinVersion: tls.VersionTLS12,
		})),
		grpc.WithPerRPCCredentials(caller{options.Token, options.Cluster}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20)),
	)
	if err != nil {
		return nil, fmt.Errorf("xds: %s: %w", options.Address, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	stream, err := discovery.NewAggregatedDiscoveryServiceClient(connection).DeltaAggregatedResources(ctx)
	if err != nil {
		cancel()
		return nil, errors.Join(fmt.Errorf("xds: %s: %w", options.Address, err), connection.Close())
	}
	c := &Client{
		options: options, connection: connection, stream: stream, cancel: cancel, done: make(chan struct{}),
		resources: map[string]map[string]proto.Message{}, changed: make(chan struct{}),
	}
	go c.receive()
	return c, nil
}

// Subscribe asks for resources of a type by their names; "*" is all of them.
func (c *Client) Subscribe(typeURL string, names ...string) error {
	return c.send(&discovery.DeltaDiscoveryRequest{TypeUrl: typeURL, ResourceNamesSubscribe: names})
}

// Await waits until the resources of a type, by name, satisfy the condition, which says with an error what it misses. The error
// of Await is the last of these when ctx ends first, or that of the stream.
func (c *Client) Await(ctx context.Context, typeURL string, condition func(map[string]proto.Message) error) error {
	for {
		c.mutex.Lock()
		resources, changed, failure := maps.Clone(c.resources[typeURL]), c.changed, c.failure
		c.mutex.Unlock()
		missing := condition(resources)
		if missing == nil {
			return nil
		}
		if failure != nil {
			return fmt.Errorf("%s: %w (%w)", typeURL, failure, missing)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w: %w", typeURL, ctx.Err(), missing)
		case <-changed:
		}
	}
}

// Close ends the connection.
func (c *Client) Close() error {
	c.cancel()
	err := c.connection.Close()
	<-c.done
	return err
}

func (c *Client) send(request *discovery.DeltaDiscoveryRequest) error {
	metadata, err := structpb.NewStruct(c.options.Metadata)
	if err != nil {
		return fmt.Errorf("xds: metadata of the node: %w", err)
	}
	metadata.Fields["CLUSTER_ID"] = structpb.NewStringValue(c.options.Cluster)
	request.Node = &core.Node{Id: c.options.Node, Metadata: metadata}
	c.sending.Lock()
	defer c.sending.Unlock()
	if err := c.stream.Send(request); err != nil {
		return fmt.Errorf("xds: subscribe to %s: %w", request.GetTypeUrl(), err)
	}
	return nil
}

// receive takes and acknowledges what istiod sends until the stream ends.
func (c *Client) receive() {
	defer close(c.done)
	for {
		response, err := c.stream.Recv()
		if err == nil {
			err = c.store(response)
		}
		if err == nil {
			err = c.send(&discovery.DeltaDiscoveryRequest{TypeUrl: response.GetTypeUrl(), ResponseNonce: response.GetNonce()})
		}
		if err != nil {
			c.mutex.Lock()
			if c.failure = err; status.Code(err) == codes.Canceled {
				c.failure = context.Canceled
			}
			close(c.changed)
			c.changed = make(chan struct{})
			c.mutex.Unlock()
			return
		}
	}
}

// store remembers the resources of a response. A type that this program does not know is an error.
func (c *Client) store(response *discovery.DeltaDiscoveryResponse) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	known := c.resources[response.GetTypeUrl()]
	if known == nil {
		known = map[string]proto.Message{}
		c.resources[response.GetTypeUrl()] = known
	}
	for _, r := range response.GetResources() {
		message, err := r.GetResource().UnmarshalNew()
		if err != nil {
			return fmt.Errorf("xds: %s: %w", r.GetName(), err)
		}
		known[r.GetName()] = message
	}
	for _, name := range response.GetRemovedResources() {
		delete(known, name)
	}
	close(c.changed)
	c.changed = make(chan struct{})
	return nil
}

// caller is who makes a call: a service account, of a cluster.
type caller struct{ token, cluster string }

func (c caller) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + c.token, "clusterid": c.cluster}, nil
}

func (caller) RequireTransportSecurity() bool { return true }
