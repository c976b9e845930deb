package istiod

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/stratamesh/strata/test/cluster/api"
	"github.com/stratamesh/strata/test/cluster/harness"
)

// environment returns the variables of a container as a kubelet would, in the form NAME=VALUE.
func environment(pod *corev1.Pod, container *corev1.Container) ([]string, error) {
	if len(container.EnvFrom) > 0 {
		return nil, fmt.Errorf("container %s: envFrom is not implemented here", container.Name)
	}
	var variables []string
	for _, e := range container.Env {
		value := e.Value
		if from := e.ValueFrom; from != nil {
			var err error
			switch {
			case from.FieldRef != nil:
				value, err = field(pod, from.FieldRef.FieldPath)
			case from.ResourceFieldRef != nil:
				value, err = resource(container, from.ResourceFieldRef.Resource)
			default:
				err = fmt.Errorf("only fields and resources are implemented here")
			}
			if err != nil {
				return nil, fmt.Errorf("container %s: variable %s: %w", container.Name, e.Name, err)
			}
		}
		variables = append(variables, e.Name+"="+value)
	}
	return variables, nil
}

func field(pod *corev1.Pod, path string) (string, error) {
	switch path {
	case "metadata.name":
		return pod.Name, nil
	case "metadata.namespace":
		return pod.Namespace, nil
	case "spec.serviceAccountName":
		return pod.Spec.ServiceAccountName, nil
	case "spec.nodeName":
		return pod.Spec.NodeName, nil
	case "status.podIP":
		return pod.Status.PodIP, nil
	}
	if key, ok := strings.CutPrefix(path, "metadata.labels['"); ok {
		return pod.Labels[strings.TrimSuffix(key, "']")], nil
	}
	return "", fmt.Errorf("field %s is not implemented here", path)
}

// resource is the limit of a container, or what stands for the node's where it has none.
func resource(container *corev1.Container, name string) (string, error) {
	limits := container.Resources.Limits
	switch name {
	case "limits.cpu":
		if cpu, ok := limits[corev1.ResourceCPU]; ok {
			return fmt.Sprint(cpu.Value()), nil
		}
		return "2", nil
	case "limits.memory":
		if memory, ok := limits[corev1.ResourceMemory]; ok {
			return fmt.Sprint(memory.Value()), nil
		}
		return fmt.Sprint(2 << 30), nil
	}
	return "", fmt.Errorf("resource %s is not implemented here", name)
}

// mount writes below root what the volumes of a container hold. istiod looks for most of its files relative to its working
// directory, which is / in its image.
func mount(ctx context.Context, c *harness.Cluster, client *api.Client, root string, pod *corev1.Pod, container *corev1.Container) error {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return err
	}
	for _, m := range container.VolumeMounts {
		for _, v := range pod.Spec.Volumes {
			if v.Name != m.Name {
				continue
			}
			files, err := content(ctx, c, client, pod, &v)
			if err != nil {
				return fmt.Errorf("volume %s: %w", v.Name, err)
			}
			dir := filepath.Join(root, m.MountPath)
			if err := os.MkdirAll(dir, 0o700); err != nil {
				return err
			}
			for name, data := range files {
				if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// content returns the files of a volume, by name.
func content(ctx context.Context, c *harness.Cluster, client *api.Client, pod *corev1.Pod, v *corev1.Volume) (map[string][]byte, error) {
	optional := func(o *bool) bool { return o != nil && *o }
	switch {
	case v.EmptyDir != nil:
		return nil, nil
	case v.ConfigMap != nil:
		return data(ctx, client, "ConfigMap", pod.Namespace, v.ConfigMap.Name, optional(v.ConfigMap.Optional))
	case v.Secret != nil:
		return data(ctx, client, "Secret", pod.Namespace, v.Secret.SecretName, optional(v.Secret.Optional))
	case v.Projected != nil:
		files := map[string][]byte{}
		for _, source := range v.Projected.Sources {
			switch {
			case source.ServiceAccountToken != nil:
				token, err := Token(ctx, c, pod, source.ServiceAccountToken.Audience)
				if err != nil {
					return nil, err
				}
				files[source.ServiceAccountToken.Path] = []byte(token)
			case source.ConfigMap != nil:
				found, err := data(ctx, client, "ConfigMap", pod.Namespace, source.ConfigMap.Name, optional(source.ConfigMap.Optional))
				if err != nil {
					return nil, err
				}
				for name, text := range found {
					files[name] = text
				}
			case source.DownwardAPI != nil:
			default:
				return nil, fmt.Errorf("a projected source of this kind is not implemented here")
			}
		}
		return files, nil
	}
	return nil, fmt.Errorf("a volume of this kind is not implemented here")
}

// data returns the entries of a ConfigMap or Secret. One that is missing has none where it is optional.
func data(ctx context.Context, client *api.Client, kind, namespace, name string, optional bool) (map[string][]byte, error) {
	o, err := client.Get(ctx, api.Ref{APIVersion: "v1", Kind: kind, Namespace: namespace, Name: name})
	if api.IsNotFound(err) && optional {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	entries, _ := o.Object["data"].(map[string]any)
	files := map[string][]byte{}
	for key, value := range entries {
		text, _ := value.(string)
		files[key] = []byte(text)
		if kind == "Secret" {
			if files[key], err = base64.StdEncoding.DecodeString(text); err != nil {
				return nil, fmt.Errorf("key %s of the Secret %s/%s: %w", key, namespace, name, err)
			}
		}
	}
	return files, nil
}
