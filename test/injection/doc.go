// Package injection tests what becomes of pods and Gateways in a cluster with the istiod chart: it runs the injection webhook
// and the gateway deployment controller of Istio itself with what the chart renders to. See README.md.
package injection
