{{- /* Named templates of this chart alone; those that all charts share are in _shared.tpl. */ -}}

{{- /* The name of the gateway and of its objects: the value name, else the name of the release. It is checked once. */ -}}
{{- define "gateway.name" -}}
{{- if not (hasKey .Values._overlay "name") -}}
{{- $name := include "gateway.dnsLabel" (list "name" (include "gateway.string" .Values.name | trunc 63 | trimSuffix "-") 63) -}}
{{- if not $name -}}
{{- $name = .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- if not (regexMatch "^[a-z]([a-z0-9-]*[a-z0-9])?$" $name) -}}
{{- fail (printf "name: the release is called %q, which cannot be the name of a Service (a letter, then a-z, 0-9 and -); set name" .Release.Name) -}}
{{- end -}}
{{- end -}}
{{- $_ := set .Values._overlay "name" $name -}}
{{- end -}}
{{- .Values._overlay.name -}}
{{- end -}}

{{- /* Sets the two labels that select the gateway, app and istio, in a dictionary: (dict "root" root "into" dictionary). */ -}}
{{- define "gateway.identity" -}}
{{- $name := include "gateway.name" .root -}}
{{- $labels := .root.Values.labels | default dict -}}
{{- $_ := set .into "app" (dig "app" $name $labels) -}}
{{- $_ := set .into "istio" (dig "istio" (trimPrefix "istio-" $name) $labels) -}}
{{- end -}}

{{- /* What selects the gateway's pods, as YAML: (list root map map …), with further labels in the maps. */ -}}
{{- define "gateway.selectorLabels" -}}
{{- $own := dict -}}
{{- template "gateway.identity" (dict "root" (first .) "into" $own) -}}
{{- include "gateway.strings" (prepend (rest .) $own) -}}
{{- end -}}

{{- /*
The metadata of an object: (dict "root" root), and where they differ from the usual "name" text, "labels" map for further
labels, "annotations" list of maps.
*/ -}}
{{- define "gateway.metadata" -}}
{{- $values := .root.Values -}}
{{- $name := include "gateway.name" .root -}}
{{- $own := dict -}}
{{- template "gateway.identity" (dict "root" .root "into" $own) -}}
name: {{ .name | default $name | quote }}
namespace: {{ .root.Release.Namespace | quote }}
labels:
  {{- include "gateway.labels" (list .root $name $own .labels $values.labels) | nindent 2 }}
{{- with include "gateway.strings" (.annotations | default (list $values.annotations)) }}
annotations:
  {{- . | nindent 2 }}
{{- end }}
{{- end -}}

{{- /* The name of the service account that the pods run as. */ -}}
{{- define "gateway.serviceAccountName" -}}
{{- $account := .Values.serviceAccount | default dict -}}
{{- if $account.name -}}{{ $account.name }}
{{- else if $account.create -}}{{ include "gateway.name" . }}
{{- else -}}default
{{- end -}}
{{- end -}}

{{- /* The kind of the workload, Deployment or DaemonSet. Refuses any other. */ -}}
{{- define "gateway.kind" -}}
{{- $kind := get .Values "kind" | default "Deployment" -}}
{{- if not (has $kind (list "Deployment" "DaemonSet")) -}}
{{- fail (printf "kind: %q is unknown; use Deployment or DaemonSet" (include "gateway.string" $kind)) -}}
{{- end -}}
{{- $kind -}}
{{- end -}}

{{- /* "true" where an autoscaler owns the number of pods. */ -}}
{{- define "gateway.autoscaled" -}}
{{- $autoscaling := .Values.autoscaling | default dict -}}
{{- if and $autoscaling.enabled (eq (include "gateway.kind" .) "Deployment") -}}true{{- end -}}
{{- end -}}

{{- /* "true" where the values ask for one pod or none, so that a disruption budget would pin it to its node. */ -}}
{{- define "gateway.single" -}}
{{- $pods := 2 -}}
{{- if include "gateway.autoscaled" . -}}
{{- $pods = dig "minReplicas" 1 .Values.autoscaling -}}
{{- else if and (hasKey .Values "replicaCount") (eq (include "gateway.kind" .) "Deployment") -}}
{{- $pods = .Values.replicaCount -}}
{{- end -}}
{{- if lt (int $pods) 2 -}}true{{- end -}}
{{- end -}}

{{- /* "true" where podDisruptionBudget says how many pods may be away. */ -}}
{{- define "gateway.budget" -}}
{{- $budget := .Values.podDisruptionBudget | default dict -}}
{{- if or (hasKey $budget "minAvailable") (hasKey $budget "maxUnavailable") -}}true{{- end -}}
{{- end -}}

{{- /* The network that an east-west gateway leads into, "" where there is none. Refuses one that cannot be a label. */ -}}
{{- define "gateway.network" -}}
{{- $network := get .Values "networkGateway" | include "gateway.string" -}}
{{- if ne $network (include "gateway.labelValue" $network) -}}
{{- fail (printf "networkGateway: %q cannot be the value of a label; use at most 63 letters, digits, -, _ and ., with a letter or digit at both ends" $network) -}}
{{- end -}}
{{- $network -}}
{{- end -}}

{{- /* Puts the ports of the Service into a list: (dict "root" root "into" dictionary), which gets the key ports. */ -}}
{{- define "gateway.ports" -}}
{{- $ports := list -}}
{{- if include "gateway.network" .root -}}
{{- range $name, $port := .root.Values.networkGatewayPorts -}}
{{- if not (hasKey $port "port") -}}
{{- fail (printf "networkGatewayPorts.%s.port: a port of the gateway needs a number; set it, or set networkGatewayPorts.%s to null" $name $name) -}}
{{- end -}}
{{- $own := dict "name" $name "protocol" "TCP" -}}
{{- range $key, $value := pick $port "appProtocol" "name" "nodePort" "port" "protocol" "targetPort" -}}
{{- $_ := set $own $key $value -}}
{{- end -}}
{{- $ports = append $ports $own -}}
{{- end -}}
{{- else -}}
{{- $ports = get (.root.Values.service | default dict) "ports" | default list -}}
{{- range $n, $port := $ports -}}
{{- if not (hasKey $port "port") -}}
{{- fail (printf "service.ports[%d].port: a port of the Service needs a number; set it, or take the entry out" $n) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $_ := set .into "ports" $ports -}}
{{- end -}}

{{- /* The environment of the proxy, each name once: of envVarFrom, then of env, else the chart's. */ -}}
{{- define "gateway.env" -}}
{{- $plain := .Values.env | default dict -}}
{{- $sourced := dict -}}
{{- range .Values.envVarFrom -}}
{{- if not .name -}}{{- fail "envVarFrom: an entry has no name; give each the name of its variable" -}}{{- end -}}
{{- $plain = omit $plain .name -}}
{{- $_ := set $sourced .name . -}}
{{- end -}}
{{- with include "gateway.network" . -}}
{{- include "gateway.env.value" (list (merge (dict) $plain $sourced) "ISTIO_META_REQUESTED_NETWORK_VIEW" .) -}}
{{- end -}}
{{- /* First those from elsewhere, so that a plain value may refer to one as $(NAME). */ -}}
{{- range .Values.envVarFrom -}}
{{- if hasKey $sourced .name }}
{{ list (get $sourced .name) | toYaml }}
{{- $_ := unset $sourced .name -}}
{{- end -}}
{{- end -}}
{{- include "gateway.env.user" $plain -}}
{{- end -}}

{{- /* Sentences about settings that have no effect or cannot work, as a JSON list. */ -}}
{{- define "gateway.warnings" -}}
{{- $warnings := list -}}
{{- $daemonset := eq (include "gateway.kind" .) "DaemonSet" -}}
{{- $autoscaled := ne (include "gateway.autoscaled" .) "" -}}
{{- $budget := .Values.podDisruptionBudget | default dict -}}
{{- if and (hasKey .Values "replicaCount") $daemonset -}}
{{- $warnings = append $warnings "replicaCount: has no effect on a DaemonSet, which runs one pod a node" -}}
{{- else if and (hasKey .Values "replicaCount") $autoscaled -}}
{{- $warnings = append $warnings "replicaCount: has no effect while autoscaling.enabled is true; set autoscaling.minReplicas and maxReplicas" -}}
{{- end -}}
{{- if and (include "gateway.budget" .) (include "gateway.single" .) -}}
{{- $warnings = append $warnings (printf "podDisruptionBudget: left out, because it would keep the one pod on its node; set %s to 2 or more" (ternary "autoscaling.minReplicas" "replicaCount" $autoscaled)) -}}
{{- else if and $daemonset (include "gateway.budget" .) (not (kindIs "int64" $budget.minAvailable)) -}}
{{- $warnings = append $warnings "podDisruptionBudget: for the pods of a DaemonSet Kubernetes only heeds a whole number in minAvailable" -}}
{{- end -}}
{{- $resources := .Values.resources | default dict -}}
{{- range $resource, $target := dict "cpu" "targetCPUUtilizationPercentage" "memory" "targetMemoryUtilizationPercentage" -}}
{{- if and $autoscaled (get $.Values.autoscaling $target) (not (dig "requests" $resource "" $resources)) (not (dig "limits" $resource "" $resources)) -}}
{{- $warnings = append $warnings (printf "autoscaling.%s: is measured against resources.requests.%s, which is not set" $target $resource) -}}
{{- end -}}
{{- end -}}
{{- if eq (dig "sidecar.istio.io/inject" "true" (.Values.labels | default dict) | toString) "false" -}}
{{- $warnings = append $warnings "labels: sidecar.istio.io/inject=false keeps the proxy out of the pods, and the image auto cannot be pulled" -}}
{{- end -}}
{{- toJson $warnings -}}
{{- end -}}
