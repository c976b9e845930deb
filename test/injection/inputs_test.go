package injection

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	openshiftappsv1 "github.com/openshift/api/apps/v1"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gateway "sigs.k8s.io/gateway-api/apis/v1"
	"sigs.k8s.io/yaml"
)

const (
	inputsDir        = "testdata/inputs"
	defaultNamespace = "shop"
)

// An input is a file with what a user creates in a cluster.
type input struct {
	name string
	text []byte
	// namespaces that the file describes.
	namespaces []*corev1.Namespace
	// pods as the controllers of the file's workloads create them.
	pods []*corev1.Pod
	// gateways of the Gateway API, and the ConfigMaps with their parameters.
	gateways   []*gateway.Gateway
	parameters []*corev1.ConfigMap
}

// inputs reads all files of testdata/inputs, sorted by name.
func inputs(t *testing.T) []*input {
	t.Helper()
	files, err := filepath.Glob(inputsDir + "/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d inputs, %v", inputsDir, len(files), err)
	}
	var all []*input
	for _, file := range files {
		in, err := readInput(file)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, in)
	}
	return all
}

// inputNamed reads one file of testdata/inputs.
func inputNamed(t *testing.T, name string) *input {
	t.Helper()
	in, err := readInput(filepath.Join(inputsDir, name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func readInput(file string) (*input, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	in := &input{name: strings.TrimSuffix(filepath.Base(file), ".yaml"), text: text}
	for _, doc := range separator.Split(string(text), -1) {
		var head metav1.TypeMeta
		if err := yaml.Unmarshal([]byte(doc), &head); err != nil {
			return nil, err
		}
		if err := in.add(head.Kind, []byte(doc)); err != nil {
			return nil, fmt.Errorf("%s: %w", head.Kind, err)
		}
	}
	if len(in.pods)+len(in.gateways) == 0 {
		return nil, fmt.Errorf("neither workload nor Gateway")
	}
	return in, nil
}

// add takes one object of the file.
func (in *input) add(kind string, doc []byte) error {
	switch kind {
	case "Namespace":
		o, err := decode[corev1.Namespace](doc)
		in.namespaces = append(in.namespaces, o)
		return err
	case "ConfigMap":
		o, err := decode[corev1.ConfigMap](doc)
		o.Namespace = orDefault(o.Namespace)
		in.parameters = append(in.parameters, o)
		return err
	case "Gateway":
		o, err := decode[gateway.Gateway](doc)
		o.Namespace, o.UID = orDefault(o.Namespace), "uid-of-the-gateway"
		in.gateways = append(in.gateways, o)
		return err
	}
	pod, err := createdPod(kind, doc)
	if err != nil {
		return err
	}
	pod.APIVersion, pod.Kind = "v1", "Pod"
	if pod.Spec.ServiceAccountName == "" {
		// An admission plugin before the webhooks does so.
		pod.Spec.ServiceAccountName = "default"
	}
	in.pods = append(in.pods, pod)
	return nil
}

// createdPod returns the pod that the controllers of Kubernetes (and of OpenShift) create for a workload.
func createdPod(kind string, doc []byte) (*corev1.Pod, error) {
	switch kind {
	case "Pod":
		pod, err := decode[corev1.Pod](doc)
		pod.Namespace = orDefault(pod.Namespace)
		return pod, err
	case "Deployment":
		o, err := decode[appsv1.Deployment](doc)
		return podFor(o.ObjectMeta, o.Spec.Template, "apps/v1", "ReplicaSet", o.Name+"-6d4cf56db6", map[string]string{
			"pod-template-hash": "6d4cf56db6",
		}), err
	case "ReplicaSet":
		o, err := decode[appsv1.ReplicaSet](doc)
		return podFor(o.ObjectMeta, o.Spec.Template, "apps/v1", kind, o.Name, nil), err
	case "StatefulSet":
		o, err := decode[appsv1.StatefulSet](doc)
		pod := podFor(o.ObjectMeta, o.Spec.Template, "apps/v1", kind, o.Name, map[string]string{
			"apps.kubernetes.io/pod-index":       "0",
			"controller-revision-hash":           o.Name + "-7c9f5d8b4",
			"statefulset.kubernetes.io/pod-name": o.Name + "-0",
		})
		pod.Name = o.Name + "-0"
		for _, claim := range o.Spec.VolumeClaimTemplates {
			pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: claim.Name, VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim.Name + "-" + pod.Name},
			}})
		}
		return pod, err
	case "DaemonSet":
		o, err := decode[appsv1.DaemonSet](doc)
		return podFor(o.ObjectMeta, o.Spec.Template, "apps/v1", kind, o.Name, map[string]string{
			"controller-revision-hash": "5b8d6c7f9", "pod-template-generation": "1",
		}), err
	case "Job":
		o, err := decode[batchv1.Job](doc)
		return jobPod(o.ObjectMeta, o.Spec.Template, o.Name), err
	case "CronJob":
		o, err := decode[batchv1.CronJob](doc)
		return jobPod(o.ObjectMeta, o.Spec.JobTemplate.Spec.Template, o.Name+"-29387520"), err
	case "DeploymentConfig":
		o, err := decode[openshiftappsv1.DeploymentConfig](doc)
		if err != nil {
			return nil, err
		}
		return podFor(o.ObjectMeta, *o.Spec.Template, "v1", "ReplicationController", o.Name+"-1", map[string]string{
			"deployment": o.Name + "-1", "deploymentconfig": o.Name,
		}), nil
	}
	return nil, fmt.Errorf("no workload that this suite knows")
}

// jobPod returns a pod of a Job.
func jobPod(owner metav1.ObjectMeta, template corev1.PodTemplateSpec, job string) *corev1.Pod {
	return podFor(owner, template, "batch/v1", "Job", job, map[string]string{
		"batch.kubernetes.io/job-name": job, "job-name": job,
	})
}

// podFor returns a pod of a template, with a controller as its owner and the labels that this controller adds.
func podFor(workload metav1.ObjectMeta, template corev1.PodTemplateSpec, apiVersion, kind, controller string, more map[string]string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: *template.ObjectMeta.DeepCopy(), Spec: *template.Spec.DeepCopy()}
	pod.Namespace = orDefault(workload.Namespace)
	pod.GenerateName = controller + "-"
	yes := true
	pod.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: apiVersion, Kind: kind, Name: controller, UID: types.UID("uid-of-" + controller),
		Controller: &yes, BlockOwnerDeletion: &yes,
	}}
	for k, v := range more {
		if pod.Labels == nil {
			pod.Labels = map[string]string{}
		}
		pod.Labels[k] = v
	}
	return pod
}

// decode reads one object; a field that its type does not have is an error.
func decode[T any](doc []byte) (*T, error) {
	o := new(T)
	return o, strictYAML(doc, o)
}

func orDefault(namespace string) string {
	if namespace == "" {
		return defaultNamespace
	}
	return namespace
}
