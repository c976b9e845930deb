// Package xds plays a data plane: it connects to istiod as a ztunnel or a proxy does, subscribes over delta ADS, remembers what
// istiod serves, and asks for certificates.
package xds
