{{- /*
CHART.overlay turns the values that Helm passes into the values that the templates read, once per chart:
defaults, then profile, compatibility version, platform, flattened globals and explicit values, each on top of the last.
Every template calls it on its first line, so no file order matters. It replaces the content of .Values and leaves
the mark _overlay there: the layers applied, the warnings for NOTES.txt, the explicit values with the section at the root, and the
keys of the chart's defaults, at the root and under global. The rules are those of docs/layers.md.
*/ -}}
{{- define "CHART.overlay" -}}
{{- if not (hasKey .Values "_overlay") -}}
{{- template "CHART.overlay.run" . -}}
{{- end -}}
{{- end -}}

{{- /*
The run. Named templates return only text, so they pass results by writing into the dictionary $s:
  errors, warnings  lists of sentences
  defaults          the chart's own defaults
  files             overlay files looked for so far, as id -> path; an id is "profile NAME", "compatibilityVersion X.YY" or "platform NAME"
  loaded            overlay layers read so far, as id -> values
  order             ids of the layers to apply, lowest first
*/ -}}
{{- define "CHART.overlay.run" -}}
{{- $annotations := .Chart.Annotations | default dict -}}
{{- $s := dict "root" . "errors" list "warnings" list "files" dict "loaded" dict "order" list
  "section" (index $annotations "stratamesh.io/section" | default "")
  "sections" (index $annotations "stratamesh.io/sections" | default "" | splitList ",") -}}
{{- template "CHART.overlay.defaults.check" $s -}}
{{- template "CHART.overlay.failIfErrors" $s -}}
{{- $explicit := dict -}}
{{- template "CHART.overlay.layer" (dict "s" $s "title" "explicit values" "from" (omit .Values "defaults") "into" $explicit "own" true) -}}
{{- template "CHART.overlay.select" (dict "s" $s "layer" $explicit "title" "explicit values") -}}
{{- template "CHART.overlay.failIfErrors" $s -}}

{{- $keys := keys $s.defaults -}}
{{- $globals := list -}}
{{- if kindIs "map" (get $s.defaults "global") -}}
{{- $globals = keys $s.defaults.global -}}
{{- end -}}
{{- $values := $s.defaults -}}
{{- template "CHART.overlay.defaults.integers" (dict "s" $s "into" $values) -}}
{{- range $id := $s.order -}}
{{- template "CHART.overlay.apply" (dict "s" $s "title" $id "layer" (get $s.loaded $id) "into" $values) -}}
{{- end -}}
{{- with index $annotations "stratamesh.io/flatten-globals" -}}
{{- $names := splitList "," . -}}
{{- range $id := $s.order -}}
{{- template "CHART.overlay.flatten" (dict "s" $s "title" $id "names" $names "layer" (get $s.loaded $id) "into" $values) -}}
{{- end -}}
{{- template "CHART.overlay.flatten" (dict "s" $s "title" "explicit values" "names" $names "layer" $explicit "into" $values) -}}
{{- end -}}
{{- template "CHART.overlay.apply" (dict "s" $s "title" "explicit values" "layer" $explicit "into" $values) -}}
{{- template "CHART.overlay.failIfErrors" $s -}}

{{- range $key := keys .Values -}}
{{- $_ := unset $.Values $key -}}
{{- end -}}
{{- range $key, $value := $values -}}
{{- $_ := set $.Values $key $value -}}
{{- end -}}
{{- $_ := set .Values "_overlay" (dict "layers" $s.order "warnings" $s.warnings "explicit" $explicit "keys" $keys "globals" $globals) -}}
{{- end -}}

{{- /* Stops the render with all errors found so far, in order and without repetition. */ -}}
{{- define "CHART.overlay.failIfErrors" -}}
{{- if .errors -}}
{{- $all := .errors | uniq | sortAlpha -}}
{{- fail (printf "%s%s" (ternary "" "\n  " (eq (len $all) 1)) (join "\n  " $all)) -}}
{{- end -}}
{{- end -}}

{{- /* Adds one error: (dict "s" state "text" sentence). */ -}}
{{- define "CHART.overlay.error" -}}
{{- $_ := set .s "errors" (append .s.errors .text) -}}
{{- end -}}

{{- /* Adds one warning, once: (dict "s" state "text" sentence). */ -}}
{{- define "CHART.overlay.warn" -}}
{{- $_ := set .s "warnings" (append .s.warnings .text | uniq) -}}
{{- end -}}

{{- /*
Fills .defaults, and refuses defaults that are not this chart's own: set by the user, or brought along by helm upgrade
--reuse-values.
*/ -}}
{{- define "CHART.overlay.defaults.check" -}}
{{- $values := .root.Values -}}
{{- $hint := "" -}}
{{- if .root.Release.IsUpgrade -}}
{{- $hint = "; if helm upgrade --reuse-values brought the defaults of another chart version, use --reset-then-reuse-values" -}}
{{- end -}}
{{- if hasKey $values "_internal_defaults_do_not_set" -}}
{{- template "CHART.overlay.error" (dict "s" . "text" "_internal_defaults_do_not_set: these are the defaults of another chart; upgrade with --reset-then-reuse-values instead of --reuse-values, and set the keys at the root of the values") -}}
{{- else if not (kindIs "map" $values.defaults) -}}
{{- template "CHART.overlay.error" (dict "s" . "text" (printf "defaults: the chart's own defaults are missing; do not set this key%s" $hint)) -}}
{{- else -}}
{{- $own := include "CHART.overlay.defaults" .root -}}
{{- $_ := set . "defaults" (fromJson $own) -}}
{{- if ne $own (toJson $values.defaults) -}}
{{- template "CHART.overlay.defaults.compare" (dict "s" . "path" "" "own" .defaults "got" $values.defaults "hint" $hint) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Adds an error for each key in which two defaults differ: (dict "s" state "path" prefix "own" map "got" map "hint" text). */ -}}
{{- define "CHART.overlay.defaults.compare" -}}
{{- $c := . -}}
{{- range $key := concat (keys .own) (keys .got) | uniq -}}
{{- $path := printf "%s%s" $c.path $key -}}
{{- $own := get $c.own $key -}}
{{- $got := get $c.got $key -}}
{{- if and (kindIs "map" $own) (kindIs "map" $got) -}}
{{- template "CHART.overlay.defaults.compare" (dict "s" $c.s "path" (printf "%s." $path) "own" $own "got" $got "hint" $c.hint) -}}
{{- else if or (ne (hasKey $c.own $key) (hasKey $c.got $key)) (ne (toJson $own) (toJson $got)) -}}
{{- template "CHART.overlay.error" (dict "s" $c.s "text" (printf "defaults.%s: the chart's defaults are not for users; set %s instead%s" $path $path $c.hint)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /*
Makes integers of the whole numbers in the defaults, which JSON gives as floats: (dict "s" state "into" values). Where they are
is known beforehand: the walk over all defaults would cost more than all else that the engine does.
*/ -}}
{{- define "CHART.overlay.defaults.integers" -}}
{{- $c := . -}}
{{- range $path := include "CHART.overlay.defaults.numbers" .s.root | splitList "," | compact -}}
{{- $keys := splitList "." $path -}}
{{- $name := last $keys -}}
{{- $parent := $c.into -}}
{{- range $key := initial $keys -}}
{{- $parent = get $parent $key -}}
{{- end -}}
{{- $value := get $parent $name -}}
{{- if kindIs "float64" $value -}}
{{- $_ := set $parent $name (int64 $value) -}}
{{- else -}}
{{- template "CHART.overlay.merge" (dict "s" $c.s "title" "defaults" "path" "" "from" (dict $name $value) "into" $parent "keepNull" false) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /*
Puts the file of one overlay into .files, where it ships with the chart: (dict as "CHART.overlay.resolve" gets it). A file that is
empty, and a name that is no file, take the list of all files.
*/ -}}
{{- define "CHART.overlay.find" -}}
{{- $prefix := get (dict "compatibilityVersion" "compatibility-version-" "platform" "platform-") .name -}}
{{- $path := printf "files/profiles/%s%s.yaml" $prefix .item -}}
{{- if hasKey .s.files .id -}}
{{- else if or (contains "/" .item) (hasPrefix "platform-" .item) (hasPrefix "compatibility-version-" .item) (not (.s.root.Files.Get $path)) -}}
{{- template "CHART.overlay.files" .s -}}
{{- else -}}
{{- $_ := set .s.files .id $path -}}
{{- end -}}
{{- end -}}

{{- /* Fills .files with the overlay files that ship with the chart. */ -}}
{{- define "CHART.overlay.files" -}}
{{- $s := . -}}
{{- range $path, $_ := .root.Files.Glob "files/profiles/*.yaml" -}}
{{- $name := base $path | trimSuffix ".yaml" -}}
{{- $id := printf "profile %s" $name -}}
{{- if hasPrefix "platform-" $name -}}
{{- $id = printf "platform %s" (trimPrefix "platform-" $name) -}}
{{- else if hasPrefix "compatibility-version-" $name -}}
{{- $id = printf "compatibilityVersion %s" (trimPrefix "compatibility-version-" $name) -}}
{{- end -}}
{{- $_ := set $s.files $id $path -}}
{{- end -}}
{{- end -}}

{{- /*
Copies one layer as written into one as merged: (dict "s" state "title" name "from" values "into" dictionary "own" bool).
The chart's own section moves to the root and wins over the root spelling. With own=false (a shipped layer) the sections
of other components are dropped.
*/ -}}
{{- define "CHART.overlay.layer" -}}
{{- $section := get .from .s.section -}}
{{- $from := omit .from .s.section -}}
{{- if not .own -}}
{{- range $other := .s.sections -}}
{{- $from = omit $from $other -}}
{{- end -}}
{{- end -}}
{{- template "CHART.overlay.merge" (dict "s" .s "title" .title "path" "" "from" $from "into" .into "keepNull" true) -}}
{{- if kindIs "map" $section -}}
{{- template "CHART.overlay.merge" (dict "s" .s "title" .title "path" (printf "%s." .s.section) "from" $section "into" .into "keepNull" true) -}}
{{- else if and .s.section (hasKey .from .s.section) (not (kindIs "invalid" $section)) -}}
{{- template "CHART.overlay.error" (dict "s" .s "text" (printf "%s: %s: is a %s where a map belongs" .title .s.section (include "CHART.overlay.kind" $section))) -}}
{{- end -}}
{{- end -}}

{{- /*
Merges one layer over .into: (dict "s" state "title" name "layer" values "into" values). A platform or compatibility version
that it selects then stands at the root and under global alike; one that it takes away with null in one place goes from both.
*/ -}}
{{- define "CHART.overlay.apply" -}}
{{- $c := . -}}
{{- template "CHART.overlay.merge" (dict "s" .s "title" .title "path" "" "from" .layer "into" .into "keepNull" false) -}}
{{- range $name := list "compatibilityVersion" "platform" -}}
{{- $global := get $c.layer "global" -}}
{{- if or (hasKey $c.layer $name) (and (kindIs "map" $global) (hasKey $global $name)) -}}
{{- $selector := dict -}}
{{- template "CHART.overlay.selector" (dict "layer" $c.layer "name" $name "into" $selector) -}}
{{- $both := dict $name $selector.value -}}
{{- if or $selector.found (kindIs "map" (get $c.into "global")) -}}
{{- $_ := set $both "global" (dict $name $selector.value) -}}
{{- end -}}
{{- template "CHART.overlay.merge" (dict "s" $c.s "title" $c.title "path" "" "from" $both "into" $c.into "keepNull" false) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Looks a selector up at the root, else under global: (dict "layer" values "name" key "into" dictionary for found, value, path). */ -}}
{{- define "CHART.overlay.selector" -}}
{{- $path := .name -}}
{{- $value := get .layer .name -}}
{{- $found := and (hasKey .layer .name) (not (kindIs "invalid" $value)) -}}
{{- if and (not $found) (kindIs "map" (get .layer "global")) -}}
{{- $path = printf "global.%s" .name -}}
{{- $value = get .layer.global .name -}}
{{- $found = and (hasKey .layer.global .name) (not (kindIs "invalid" $value)) -}}
{{- end -}}
{{- $_ := set .into "found" $found -}}
{{- $_ := set .into "value" (ternary $value nil $found) -}}
{{- $_ := set .into "path" $path -}}
{{- end -}}

{{- /*
Resolves the selectors of one layer into .s.order: (dict "s" state "layer" values "title" name "stack" ids "user" dictionary).
The call for the explicit values has no stack and no user; there, what is found becomes the user's selection, which
replaces the platform and the compatibility version inside profiles.
*/ -}}
{{- define "CHART.overlay.select" -}}
{{- $c := . -}}
{{- $top := not (hasKey . "user") -}}
{{- $user := .user | default dict -}}
{{- $selected := dict -}}
{{- $paths := dict -}}
{{- range $name := list "profile" "compatibilityVersion" "platform" -}}
{{- $selector := dict -}}
{{- template "CHART.overlay.selector" (dict "layer" $c.layer "name" $name "into" $selector) -}}
{{- $names := list -}}
{{- if not $selector.found -}}
{{- else if kindIs "string" $selector.value -}}
{{- $names = ternary (splitList "+" $selector.value) (list $selector.value) (eq $name "profile") -}}
{{- else if and (eq $name "profile") (kindIs "slice" $selector.value) -}}
{{- range $item := $selector.value -}}
{{- if kindIs "string" $item -}}
{{- $names = concat $names (splitList "+" $item) -}}
{{- else -}}
{{- template "CHART.overlay.error" (dict "s" $c.s "text" (printf "%s: %s: the list holds a %s; each item is the name of a profile" $c.title $selector.path (include "CHART.overlay.kind" $item))) -}}
{{- end -}}
{{- end -}}
{{- else if has (kindOf $selector.value) (list "float64" "int64" "int") -}}
{{- template "CHART.overlay.error" (dict "s" $c.s "text" (printf "%s: %s: %v is a number; quote it, as in %s: \"%s\"" $c.title $selector.path $selector.value $name (ternary "1.30" "NAME" (eq $name "compatibilityVersion")))) -}}
{{- else -}}
{{- template "CHART.overlay.error" (dict "s" $c.s "text" (printf "%s: %s: is a %s where a name belongs" $c.title $selector.path (include "CHART.overlay.kind" $selector.value))) -}}
{{- end -}}
{{- if and $top $selector.found -}}
{{- $_ := set $user $name $names -}}
{{- end -}}
{{- $_ := set $selected $name $names -}}
{{- $_ := set $paths $name $selector.path -}}
{{- end -}}
{{- range $name := list "profile" "compatibilityVersion" "platform" -}}
{{- range $item := get $selected $name -}}
{{- $item = trim $item -}}
{{- if not $item -}}
{{- else if or $top (eq $name "profile") (not (hasKey $user $name)) (not (hasPrefix "profile " $c.title)) -}}
{{- template "CHART.overlay.resolve" (dict "s" $c.s "id" (printf "%s %s" $name $item) "name" $name "item" $item "path" (get $paths $name) "title" $c.title "stack" ($c.stack | default list) "user" $user) -}}
{{- else if not (has $item (get $user $name)) -}}
{{- template "CHART.overlay.warn" (dict "s" $c.s "text" (printf "%s builds on %s %s; the %s that you select replaces it" $c.title $name $item $name)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Puts one overlay file, and below it what it builds on, at the end of .s.order: (dict as "CHART.overlay.select" makes it). */ -}}
{{- define "CHART.overlay.resolve" -}}
{{- template "CHART.overlay.find" . -}}
{{- if has .id .stack -}}
{{- template "CHART.overlay.error" (dict "s" .s "text" (printf "%s: a cycle: %s" (first .stack) (join " -> " (append .stack .id)))) -}}
{{- else if not (hasKey .s.files .id) -}}
{{- $known := list -}}
{{- $prefix := printf "%s " .name -}}
{{- range $id := keys .s.files | sortAlpha -}}
{{- if hasPrefix $prefix $id -}}
{{- $known = append $known (trimPrefix $prefix $id) -}}
{{- end -}}
{{- end -}}
{{- template "CHART.overlay.error" (dict "s" .s "text" (printf "%s: %s: unknown name %q; known: %s" .title .path .item (join ", " $known))) -}}
{{- else -}}
{{- if not (hasKey .s.loaded .id) -}}
{{- template "CHART.overlay.load" . -}}
{{- end -}}
{{- $layer := get .s.loaded .id -}}
{{- template "CHART.overlay.select" (dict "s" .s "layer" $layer "title" .id "stack" (append .stack .id) "user" .user) -}}
{{- $_ := set .s "order" (append (without .s.order .id) .id) -}}
{{- end -}}
{{- end -}}

{{- /* Reads one overlay file into .s.loaded. */ -}}
{{- define "CHART.overlay.load" -}}
{{- $path := get .s.files .id -}}
{{- $from := .s.root.Files.Get $path | fromYaml -}}
{{- $layer := dict -}}
{{- if hasKey $from "Error" -}}
{{- $line := regexFind "line [0-9]+" $from.Error | replace "line " ":" -}}
{{- $text := regexReplaceAll "^(error [a-z]+ (YAML to )?JSON: )?(yaml: )?(line [0-9]+: )?" $from.Error "" -}}
{{- if contains "cannot unmarshal" $text -}}
{{- $text = "a values file is a map of keys to values" -}}
{{- end -}}
{{- template "CHART.overlay.error" (dict "s" .s "text" (printf "%s%s: cannot be read: %s" $path $line $text)) -}}
{{- else -}}
{{- template "CHART.overlay.layer" (dict "s" .s "title" .id "from" $from "into" $layer "own" false) -}}
{{- end -}}
{{- $_ := set .s.loaded .id $layer -}}
{{- end -}}

{{- /*
Merges the named keys of a layer's global map into the root: (dict "s" state "title" name "names" keys "layer" values "into" values).
*/ -}}
{{- define "CHART.overlay.flatten" -}}
{{- if kindIs "map" (get .layer "global") -}}
{{- $from := dict -}}
{{- $global := .layer.global -}}
{{- range $name := .names -}}
{{- if hasKey $global $name -}}
{{- $_ := set $from $name (get $global $name) -}}
{{- end -}}
{{- end -}}
{{- template "CHART.overlay.merge" (dict "s" .s "title" .title "path" "global." "from" $from "into" .into "keepNull" false) -}}
{{- end -}}
{{- end -}}

{{- /*
Merges .from over .into: (dict "s" state "title" name "path" prefix "from" map "into" dictionary "keepNull" bool).
Maps merge key by key, an empty map says nothing, null removes the key, all else replaces; a map over a list or a scalar
is an error. .from is only read and nothing of it is shared. keepNull=true keeps null as a value: for a layer that is yet to be merged.
*/ -}}
{{- define "CHART.overlay.merge" -}}
{{- $c := . -}}
{{- range $key, $value := .from -}}
{{- if kindIs "map" $value -}}
{{- $lower := get $c.into $key -}}
{{- if kindIs "map" $lower -}}
{{- if $value -}}
{{- template "CHART.overlay.merge" (dict "s" $c.s "title" $c.title "path" (printf "%s%s." $c.path $key) "from" $value "into" $lower "keepNull" $c.keepNull) -}}
{{- end -}}
{{- else if or (not (hasKey $c.into $key)) (kindIs "invalid" $lower) -}}
{{- $new := dict -}}
{{- template "CHART.overlay.merge" (dict "s" $c.s "title" $c.title "path" (printf "%s%s." $c.path $key) "from" $value "into" $new "keepNull" $c.keepNull) -}}
{{- $_ := set $c.into $key $new -}}
{{- else -}}
{{- template "CHART.overlay.error" (dict "s" $c.s "text" (printf "%s: %s%s: is a map where a %s belongs" $c.title $c.path $key (include "CHART.overlay.kind" $lower))) -}}
{{- end -}}
{{- else if kindIs "invalid" $value -}}
{{- if $c.keepNull -}}
{{- $_ := set $c.into $key nil -}}
{{- else -}}
{{- $_ := unset $c.into $key -}}
{{- end -}}
{{- else if kindIs "slice" $value -}}
{{- $list := dict -}}
{{- template "CHART.overlay.list" (dict "s" $c.s "title" $c.title "path" (printf "%s%s" $c.path $key) "from" $value "into" $list) -}}
{{- $_ := set $c.into $key $list.items -}}
{{- else if kindIs "float64" $value -}}
{{- $_ := set $c.into $key (ternary (int64 $value) $value (and (eq (floor $value) $value) (lt $value 9223372036854775808.0) (ge $value -9223372036854775808.0))) -}}
{{- else -}}
{{- $_ := set $c.into $key $value -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Copies a list into .into.items, without the nulls in it: (dict "s" state "title" name "path" path "from" list "into" dictionary). */ -}}
{{- define "CHART.overlay.list" -}}
{{- $c := . -}}
{{- $items := list -}}
{{- range $n, $value := .from -}}
{{- if kindIs "string" $value -}}
{{- $items = append $items $value -}}
{{- else -}}
{{- $one := dict -}}
{{- template "CHART.overlay.merge" (dict "s" $c.s "title" $c.title "path" (printf "%s[%d]." $c.path $n) "from" (dict "item" $value) "into" $one "keepNull" false) -}}
{{- if hasKey $one "item" -}}
{{- $items = append $items $one.item -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $_ := set .into "items" $items -}}
{{- end -}}

{{- /* The kind of a value, in the words of YAML. */ -}}
{{- define "CHART.overlay.kind" -}}
{{- if kindIs "map" . -}}map
{{- else if kindIs "slice" . -}}list
{{- else if kindIs "string" . -}}string
{{- else if kindIs "bool" . -}}boolean
{{- else if kindIs "invalid" . -}}null
{{- else -}}number
{{- end -}}
{{- end -}}
