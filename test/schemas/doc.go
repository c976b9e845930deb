// Package schemas holds what the charts render against what each minor of Kubernetes publishes about its API, without a cluster
// or a network. README.md says how.
package schemas
