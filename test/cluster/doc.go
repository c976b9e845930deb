// Package cluster tests the charts on a real Kubernetes API server with real Helm. docs/testing.md says how to run it, and
// what it proves.
package cluster
