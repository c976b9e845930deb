package istiod

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/stratamesh/strata/test/cluster/api"
)

// forwarder is what kube-proxy is to a cluster, for one pod: connections to the ClusterIP of a Service end at the pod.
type forwarder struct {
	listeners []net.Listener
	group     sync.WaitGroup
}

// forward listens on every port of the Services that select the pod. ip is where the pod listens.
func forward(ctx context.Context, client *api.Client, pod *corev1.Pod, ip string) (*forwarder, error) {
	list, err := client.List(ctx, api.Ref{APIVersion: "v1", Kind: "Service", Namespace: pod.Namespace}, "")
	if err != nil {
		return nil, err
	}
	f := &forwarder{}
	for _, o := range list {
		var service corev1.Service
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &service); err != nil {
			f.close()
			return nil, err
		}
		selector := service.Spec.Selector
		if len(selector) == 0 || service.Spec.ClusterIP == corev1.ClusterIPNone || !labels.SelectorFromSet(selector).Matches(labels.Set(pod.Labels)) {
			continue
		}
		for _, p := range service.Spec.Ports {
			port, err := target(&pod.Spec.Containers[0], p.TargetPort)
			if err == nil {
				err = f.listen(ctx, service.Spec.ClusterIP, p.Port, net.JoinHostPort(ip, strconv.Itoa(port)))
			}
			if err != nil {
				f.close()
				return nil, fmt.Errorf("port %s of the Service %s: %w", p.Name, service.Name, err)
			}
		}
	}
	if len(f.listeners) == 0 {
		return nil, fmt.Errorf("no Service selects the pod %s/%s", pod.Namespace, pod.Name)
	}
	return f, nil
}

// target returns the number of a port of a container.
func target(container *corev1.Container, port intstr.IntOrString) (int, error) {
	if port.Type == intstr.Int {
		return port.IntValue(), nil
	}
	for _, p := range container.Ports {
		if p.Name == port.StrVal {
			return int(p.ContainerPort), nil
		}
	}
	return 0, fmt.Errorf("container %s has no port %q", container.Name, port.StrVal)
}

func (f *forwarder) listen(ctx context.Context, ip string, port int32, to string) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(ip, strconv.Itoa(int(port))))
	if errors.Is(err, os.ErrPermission) {
		return fmt.Errorf("%w: ports below 1024 need root or a network namespace; see package netns", err)
	}
	if err != nil {
		return err
	}
	f.listeners = append(f.listeners, listener)
	f.group.Go(func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return // closed
			}
			f.group.Go(func() { pass(from, to) })
		}
	})
	return nil
}

// pass connects two ends until one of them closes.
func pass(from net.Conn, address string) {
	defer func() { _ = from.Close() }() // the other end may have done so
	to, err := net.Dial("tcp", address)
	if err != nil {
		return // the other end sees a connection that is closed
	}
	defer func() { _ = to.Close() }()
	done := make(chan struct{}, 2)
	for _, ends := range [][2]net.Conn{{from, to}, {to, from}} {
		go func() {
			_, _ = io.Copy(ends[0], ends[1])
			done <- struct{}{}
		}()
	}
	<-done
}

// close ends the listeners, and waits for the connections, which end with the pod.
func (f *forwarder) close() {
	for _, l := range f.listeners {
		_ = l.Close() // nobody else closes it
	}
	f.group.Wait()
}
