// Package istiod runs the real istiod as the pod of a Deployment in a test's cluster: with the arguments, the environment, the
// files and the service account that the pod has, and behind the ClusterIPs of the Services that select it. So a fault of the chart
// in any of these is seen.
package istiod
