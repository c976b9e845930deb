// Package strata holds the charts and profiles of this repository, so that programs can carry them along.
package strata

import "embed"

// Files has strata.yaml, manifests/charts and manifests/profiles.
//
//go:embed strata.yaml all:manifests/charts manifests/profiles
var Files embed.FS
