package injection

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"
	gateway "sigs.k8s.io/gateway-api/apis/v1"

	"istio.io/istio/pilot/pkg/config/kube/gatewaycommon"
	"istio.io/istio/pkg/cluster"
	"istio.io/istio/pkg/kube"
	"istio.io/istio/pkg/kube/inject"
	"istio.io/istio/pkg/revisions"
)

// A deployer runs Istio's gateway deployment controller in a cluster that only remembers what is applied to it.
type deployer struct {
	controller *gatewaycommon.DeploymentController
	mu         sync.Mutex
	applied    []*unstructured.Unstructured
}

// newDeployer starts the controller with the Gateways and ConfigMaps of the inputs, and the values in place of the plane's own.
func (p *plane) newDeployer(inputs []*input, values inject.ValuesConfig) (*deployer, error) {
	var objects []runtime.Object
	names := map[string]bool{}
	for _, in := range inputs {
		for _, cm := range in.parameters {
			objects = append(objects, cm.DeepCopy())
		}
		for _, gw := range in.gateways {
			if names[gw.Namespace+"/"+gw.Name] {
				return nil, fmt.Errorf("two inputs have the Gateway %s", gw.Name)
			}
			names[gw.Namespace+"/"+gw.Name] = true
		}
	}
	for _, cm := range p.classes {
		objects = append(objects, cm.DeepCopy())
	}
	for _, ns := range p.namespaces {
		objects = append(objects, ns.DeepCopy())
	}
	for _, webhook := range p.configurations {
		objects = append(objects, webhook.DeepCopyObject())
	}
	client := kube.NewFakeClient(objects...)
	for _, in := range inputs {
		for _, gw := range in.gateways {
			if _, err := client.GatewayAPI().GatewayV1().Gateways(gw.Namespace).Create(context.Background(), gw.DeepCopy(), metav1.CreateOptions{}); err != nil {
				return nil, err
			}
		}
	}
	d := &deployer{}
	dynamic, ok := client.Dynamic().(*dynamicfake.FakeDynamicClient)
	if !ok {
		return nil, fmt.Errorf("the fake cluster has another dynamic client: %T", client.Dynamic())
	}
	dynamic.PrependReactor("patch", "*", d.apply)
	tags := revisions.NewTagWatcher(client, p.variables["REVISION"], p.namespace)
	d.controller = gatewaycommon.NewDeploymentController(client, cluster.ID(p.variables["CLUSTER_ID"]), p.environment,
		func() inject.WebhookConfig {
			return inject.WebhookConfig{Templates: p.config.Templates, Values: values, MeshConfig: p.mesh}
		},
		func(func()) {}, tags, p.variables["REVISION"], p.namespace)
	if !client.RunAndWait(stop) {
		return nil, fmt.Errorf("the caches of the cluster do not fill")
	}
	go tags.Run(stop)
	if !kube.WaitForCacheSync("tags", stop, tags.HasSynced) {
		return nil, fmt.Errorf("the revision tags are not read")
	}
	return d, nil
}

// apply remembers what the controller applies.
func (d *deployer) apply(action clienttesting.Action) (bool, runtime.Object, error) {
	patch, ok := action.(clienttesting.PatchAction)
	if !ok || patch.GetPatchType() != types.ApplyPatchType {
		return true, nil, fmt.Errorf("the controller does other things than to apply: %v", action)
	}
	object := &unstructured.Unstructured{}
	if err := json.Unmarshal(patch.GetPatch(), &object.Object); err != nil {
		return true, nil, err
	}
	if action.GetSubresource() == "" {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.applied = append(d.applied, object)
	}
	return true, object, nil
}

// deploy returns the objects that the controller applies for a Gateway.
func (d *deployer) deploy(gw *gateway.Gateway) ([]*unstructured.Unstructured, error) {
	d.mu.Lock()
	d.applied = nil
	d.mu.Unlock()
	if err := d.controller.Reconcile(types.NamespacedName{Namespace: gw.Namespace, Name: gw.Name}); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.applied, nil
}

// podOf returns the pod of the Deployment among the objects.
func podOf(objects []*unstructured.Unstructured) (*corev1.Pod, error) {
	for _, o := range objects {
		if o.GetKind() != "Deployment" {
			continue
		}
		d := &appsv1.Deployment{}
		if err := strict(o, d); err != nil {
			return nil, err
		}
		return &corev1.Pod{ObjectMeta: d.Spec.Template.ObjectMeta, Spec: d.Spec.Template.Spec}, nil
	}
	return nil, fmt.Errorf("no Deployment among %d objects", len(objects))
}
