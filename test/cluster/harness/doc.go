// Package harness boots a real Kubernetes control plane on loopback: etcd, kube-apiserver, kube-controller-manager,
// kube-scheduler, and kwok, which plays the kubelets of nodes that do not exist. It needs no privileges and nothing but the
// programs. Each cluster has a loopback network and a folder of its own, so any number of them run side by side. All processes end
// with the program that started them.
package harness
