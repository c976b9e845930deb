// Package profiles computes the values of a chart from layers, and says where each value came from.
//
// It is the Go twin of the engine inside the charts (manifests/overlay/overlay.tpl): for every input both give the
// same values, and refuse the same inputs.
//
// # Layers
//
// From lowest to highest; a higher layer wins:
//
//  1. the chart's defaults
//  2. the profiles, in the order in which they are selected
//  3. the compatibility version
//  4. the platform
//  5. the globals that the chart flattens into its root: those of layers 2 to 4, then the explicit ones
//  6. the explicit values: files and flags, a later one over an earlier one
//
// The selectors profile, compatibilityVersion and platform are read from the explicit values, at the root, else under
// global. A root selector "" opts out of the one under global. A profile is one name, a list of names, or names joined
// by "+". A profile builds on others with the same selectors, which puts those layers right below it; a platform or
// compatibility version that the user selects replaces the one inside a profile.
//
// In each layer, before layers are merged, the chart's own section (Chart.Section) moves to the root, where it wins over
// the root spelling. In layers 2 to 4 the sections of other components are dropped. A platform or compatibility version
// that a layer selects stands in it at the root and under global alike.
//
// # Merging
//
// See [Merge] for the rules, and the table in docs/layers.md, which is printed from the cases that the tests run.
//
// # Shapes
//
// Values are maps with string keys, lists, strings, booleans, numbers and null. Maps and lists of any Go type are read;
// results hold map[string]any and []any only. A float64 without a fraction that fits an int64 becomes an int64, as does
// a json.Number; other integer types stay what they are. Other Go types are refused.
//
// Nothing here changes an input or shares a map or list with it, and all functions may run at the same time on the same
// inputs. The package knows no Helm, no Istio and no file system; package load reads documents and profiles.
package profiles
