// Package lint finds what is wrong, or looks wrong, in the values of charts before anything is rendered: keys that no chart knows
// or reads, values that YAML reads otherwise than they are written, leaves of profiles that change nothing, and settings of several
// charts that do not fit together. Every kind of finding is a [Rule] with a stable id.
//
// What is known of a chart comes from the chart itself: its schema says which keys and types there are, its templates which values
// are read. What has to fit across charts is knowledge about Istio and stands in this package.
package lint
