// Package standin plays what the charts need in a cluster and that does not run in these tests: an istiod that answers the webhooks
// and finishes them as the real one does (caBundle, failurePolicy), and a cloud that gives load balancers an address. Injection by
// it changes no pod.
package standin
