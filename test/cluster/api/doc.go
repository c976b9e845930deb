// Package api reads and writes objects of any kind through a Kubernetes API server, as strictly as it can be asked: unknown and
// duplicate fields are errors, and warnings are kept.
package api
