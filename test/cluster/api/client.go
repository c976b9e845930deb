package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
)

// Object is an object of any kind.
type Object = unstructured.Unstructured

// Ref names an object. Namespace is empty for one of the cluster. For a list, Name is empty, and Namespace may be.
type Ref struct {
	// APIVersion is the group and version, such as apps/v1.
	APIVersion string
	// Kind is the kind, such as Deployment.
	Kind            string
	Namespace, Name string
}

// RefOf returns the name of an object.
func RefOf(o *Object) Ref {
	return Ref{o.GetAPIVersion(), o.GetKind(), o.GetNamespace(), o.GetName()}
}

// String is for messages: apps/v1 Deployment istio-system/istiod.
func (r Ref) String() string {
	name := r.Name
	if r.Namespace != "" {
		name = r.Namespace + "/" + name
	}
	return strings.TrimSpace(r.APIVersion + " " + r.Kind + " " + name)
}

// Client is a client of one API server. It may be used by several goroutines.
type Client struct {
	// Manager is the field manager of writes; by default "test".
	Manager string

	dynamic dynamic.Interface
	mapper  *restmapper.DeferredDiscoveryRESTMapper
	found   discovery.CachedDiscoveryInterface

	mu       sync.Mutex
	warnings []string
}

// New returns a client with the rights of a kubeconfig.
func New(kubeconfig string) (*Client, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kubeconfig, err)
	}
	config.QPS, config.Burst = 500, 1000
	c := &Client{Manager: "test"}
	config.WarningHandlerWithContext = warnings{c}
	return c, c.connect(config)
}

func (c *Client) connect(config *rest.Config) error {
	found, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return err
	}
	c.found = memory.NewMemCacheClient(found)
	c.mapper = restmapper.NewDeferredDiscoveryRESTMapper(c.found)
	c.dynamic, err = dynamic.NewForConfig(config)
	return err
}

type warnings struct{ client *Client }

func (w warnings) HandleWarningHeaderWithContext(_ context.Context, code int, _, text string) {
	if code != 299 || text == "" {
		return
	}
	w.client.mu.Lock()
	defer w.client.mu.Unlock()
	w.client.warnings = append(w.client.warnings, text)
}

// Warnings returns the warnings of the API server since the last call.
func (c *Client) Warnings() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.warnings
	c.warnings = nil
	return w
}

// resource finds where objects of a kind are. A kind that is unknown is looked up anew, since a CRD may have come.
func (c *Client) resource(r Ref) (dynamic.ResourceInterface, error) {
	gv, err := schema.ParseGroupVersion(r.APIVersion)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r, err)
	}
	kind := gv.WithKind(r.Kind)
	mapping, err := c.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) {
		c.mapper.Reset()
		mapping, err = c.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r, err)
	}
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace && r.Namespace != "" {
		return c.dynamic.Resource(mapping.Resource).Namespace(r.Namespace), nil
	}
	return c.dynamic.Resource(mapping.Resource), nil
}

// Get returns an object. IsNotFound tells whether it is missing.
func (c *Client) Get(ctx context.Context, r Ref) (*Object, error) {
	resource, err := c.resource(r)
	if err != nil {
		return nil, err
	}
	o, err := resource.Get(ctx, r.Name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r, err)
	}
	return o, nil
}

// List returns the objects of a kind, in one namespace or in all, that a label selector selects; an empty one selects all.
func (c *Client) List(ctx context.Context, r Ref, selector string) ([]Object, error) {
	resource, err := c.resource(r)
	if err != nil {
		return nil, err
	}
	list, err := resource.List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r, err)
	}
	return list.Items, nil
}

// Create makes an object.
func (c *Client) Create(ctx context.Context, o *Object) (*Object, error) {
	resource, err := c.resource(RefOf(o))
	if err != nil {
		return nil, err
	}
	made, err := resource.Create(ctx, o, metav1.CreateOptions{FieldManager: c.Manager, FieldValidation: metav1.FieldValidationStrict})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", RefOf(o), err)
	}
	return made, nil
}

// ApplyOptions say how objects are applied.
type ApplyOptions struct {
	// Manager is the name of the field manager; by default the client's.
	Manager string
	// Force takes over fields of other managers. Without it they are a conflict, which is an error.
	Force bool
	// DryRun writes nothing.
	DryRun bool
}

// Apply applies objects on the server's side, in order, and returns what the server made of them. An object's faults do not keep
// the next one from being applied.
func (c *Client) Apply(ctx context.Context, o ApplyOptions, objects ...*Object) ([]*Object, error) {
	if o.Manager == "" {
		o.Manager = c.Manager
	}
	options := metav1.PatchOptions{FieldManager: o.Manager, Force: &o.Force, FieldValidation: metav1.FieldValidationStrict}
	if o.DryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	var applied []*Object
	var faults []error
	for _, object := range objects {
		data, err := object.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", RefOf(object), err)
		}
		got, err := c.patch(ctx, RefOf(object), types.ApplyPatchType, data, options)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		applied = append(applied, got)
	}
	return applied, errors.Join(faults...)
}

// Patch changes an object. With the subresource "status" it changes its status.
func (c *Client) Patch(ctx context.Context, r Ref, kind types.PatchType, data string, subresources ...string) (*Object, error) {
	return c.patch(ctx, r, kind, []byte(data), metav1.PatchOptions{FieldManager: c.Manager, FieldValidation: metav1.FieldValidationStrict}, subresources...)
}

func (c *Client) patch(ctx context.Context, r Ref, kind types.PatchType, data []byte, o metav1.PatchOptions, subresources ...string) (*Object, error) {
	resource, err := c.resource(r)
	if err != nil {
		return nil, err
	}
	got, err := resource.Patch(ctx, r.Name, kind, data, o, subresources...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r, err)
	}
	return got, nil
}

// Delete deletes an object and what it owns. One that is missing is no error.
func (c *Client) Delete(ctx context.Context, r Ref) error {
	resource, err := c.resource(r)
	if err != nil {
		return err
	}
	background := metav1.DeletePropagationBackground
	if err := resource.Delete(ctx, r.Name, metav1.DeleteOptions{PropagationPolicy: &background}); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("%s: %w", r, err)
	}
	return nil
}

// Wait waits until an object is as a condition wants it: until it returns nil. An object that is missing is nil. The last error
// of the condition is in the error.
func (c *Client) Wait(ctx context.Context, r Ref, condition func(*Object) error) error {
	return Poll(ctx, func(ctx context.Context) error {
		o, err := c.Get(ctx, r)
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
		return condition(o)
	})
}

// Poll calls a check until it returns nil. When ctx ends first, the last error of the check is in the error.
func Poll(ctx context.Context, check func(context.Context) error) error {
	for {
		last := check(ctx)
		if last == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ctx.Err(), last)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// All returns every object of the kinds that can be listed, without Events and Leases, which come and go by themselves.
func (c *Client) All(ctx context.Context) ([]Object, error) {
	c.found.Invalidate()
	lists, err := discovery.ServerPreferredResources(c.found)
	if err != nil {
		return nil, err
	}
	var all []Object
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, err
		}
		for _, r := range list.APIResources {
			if !slices.Contains(r.Verbs, "list") || r.Kind == "Event" || r.Kind == "Lease" {
				continue
			}
			got, err := c.dynamic.Resource(gv.WithResource(r.Name)).List(ctx, metav1.ListOptions{})
			if apierrors.IsNotFound(err) {
				continue // its CRD went a moment ago
			}
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", list.GroupVersion, r.Name, err)
			}
			all = append(all, got.Items...)
		}
	}
	return all, nil
}

// IsNotFound tells whether an error says that an object, or its kind, is not there.
func IsNotFound(err error) bool { return apierrors.IsNotFound(err) || meta.IsNoMatchError(err) }

// Parse reads objects from a YAML stream. Empty documents are left out.
func Parse(text string) ([]*Object, error) {
	decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(text), 4096)
	var objects []*Object
	for {
		o := &Object{}
		if err := decoder.Decode(&o.Object); errors.Is(err, io.EOF) {
			return objects, nil
		} else if err != nil {
			return nil, fmt.Errorf("document %d: %w", len(objects)+1, err)
		}
		if len(o.Object) > 0 {
			objects = append(objects, o)
		}
	}
}
