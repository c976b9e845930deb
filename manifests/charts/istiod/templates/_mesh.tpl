{{- /* The mesh configuration. */ -}}

{{- /* MeshConfig as YAML: what follows from other values, and over it the user's meshConfig. */ -}}
{{- define "istiod.mesh" -}}
{{- $global := .Values.global | default dict -}}
{{- $user := .Values.meshConfig | default dict -}}
{{- $host := include "istiod.fullname" . -}}
{{- if include "istiod.remoteAddress" . -}}
{{- $host = include "istiod.remoteName" . -}}
{{- end -}}
{{- $proxy := dict "discoveryAddress" (printf "%s.%s.svc:15012" $host .Release.Namespace) -}}
{{- with $global.meshID -}}
{{- $_ := set $proxy "meshId" . -}}
{{- end -}}
{{- with $global.variant -}}
{{- $_ := set $proxy "image" (dict "imageType" .) -}}
{{- end -}}
{{- include "istiod.mesh.tracing" (dict "root" . "user" (dig "defaultConfig" "tracing" dict $user) "into" $proxy) -}}
{{- $mesh := dict "rootNamespace" .Release.Namespace "trustDomain" "cluster.local" "defaultConfig" $proxy -}}
{{- include "istiod.mesh.providers" (dict "telemetry" (.Values.telemetry | default dict) "into" $mesh) -}}
{{- mustMergeOverwrite $mesh $user | toYaml -}}
{{- end -}}

{{- /* Sets tracing for the tracer that global.proxy.tracer names, unless the user's mesh configuration names one itself:
(dict "root" root "user" the user's tracing "into" dictionary). */ -}}
{{- define "istiod.mesh.tracing" -}}
{{- $global := .root.Values.global | default dict -}}
{{- $name := dig "proxy" "tracer" "" $global | default "none" -}}
{{- if not (has $name (list "none" "datadog" "lightstep" "stackdriver" "zipkin")) -}}
{{- fail (printf "global.proxy.tracer: %q is unknown; use none, datadog, lightstep, stackdriver or zipkin, or leave it and set meshConfig.defaultConfig.tracing" (toString $name)) -}}
{{- end -}}
{{- if and (ne $name "none") (not (pick .user "datadog" "lightstep" "openCensusAgent" "stackdriver" "zipkin")) -}}
{{- $settings := dict -}}
{{- range $key, $value := dig "tracer" $name dict $global -}}
{{- /* x- begins the keys that users keep for anchors. */ -}}
{{- if not (hasPrefix "x-" $key) -}}
{{- $_ := set $settings $key $value -}}
{{- end -}}
{{- end -}}
{{- if and (eq $name "zipkin") (not $settings.address) -}}
{{- $_ := set $settings "address" (printf "zipkin.%s:9411" .root.Release.Namespace) -}}
{{- end -}}
{{- if and (ne $name "stackdriver") (not $settings.address) -}}
{{- fail (printf "global.tracer.%s.address: needed while global.proxy.tracer is %s; set it to host:port, or global.proxy.tracer to none" $name $name) -}}
{{- end -}}
{{- $_ := set .into "tracing" (dict $name $settings) -}}
{{- end -}}
{{- end -}}

{{- /* Sets the default providers of metrics and access logs: (dict "telemetry" values "into" dictionary). */ -}}
{{- define "istiod.mesh.providers" -}}
{{- $v2 := .telemetry.v2 | default dict -}}
{{- if and .telemetry.enabled $v2.enabled -}}
{{- $providers := dict -}}
{{- if dig "prometheus" "enabled" false $v2 -}}
{{- $_ := set $providers "metrics" (list "prometheus") -}}
{{- end -}}
{{- if dig "stackdriver" "enabled" false $v2 -}}
{{- $_ := set $providers "metrics" (append ($providers.metrics | default list) "stackdriver") -}}
{{- $_ := set $providers "accessLogging" (list "stackdriver") -}}
{{- end -}}
{{- if $providers -}}
{{- $_ := set .into "defaultProviders" $providers -}}
{{- end -}}
{{- end -}}
{{- end -}}
