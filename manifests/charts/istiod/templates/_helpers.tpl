{{- /* Helpers of this chart alone; those that all charts have are in _shared.tpl. */ -}}

{{- /* The revision as the end of a name: "-canary", "" where there is none. */ -}}
{{- define "istiod.suffix" -}}
{{- with include "istiod.revision" . }}-{{ . }}{{ end -}}
{{- end -}}

{{- /* The name of istiod's Deployment and Service, and of what goes with them. */ -}}
{{- define "istiod.fullname" -}}
istiod{{ include "istiod.suffix" . }}
{{- end -}}

{{- /* The end of the name of an object that has no namespace, where several control planes must not meet. */ -}}
{{- define "istiod.clusterSuffix" -}}
{{ include "istiod.suffix" . }}-{{ .Release.Namespace }}
{{- end -}}

{{- /* The value of the label istio.io/rev. */ -}}
{{- define "istiod.rev" -}}
{{- include "istiod.revision" . | default "default" -}}
{{- end -}}

{{- /* The name of the Service for the control plane in another cluster. Beside a local istiod it is the one name, whatever
the revision, that every istiod's certificate holds. */ -}}
{{- define "istiod.remoteName" -}}
{{- if include "istiod.local" . -}}istiod-remote{{- else -}}{{ include "istiod.fullname" . }}{{- end -}}
{{- end -}}

{{- /* "true" where an istiod runs in this cluster. */ -}}
{{- define "istiod.local" -}}
{{- $remote := .Values.istiodRemote | default dict -}}
{{- if or (not $remote.enabled) $remote.enabledLocalInjectorIstiod -}}true{{- end -}}
{{- end -}}

{{- /* "true" where this cluster holds the configuration of the mesh: for an istiod of its own or one outside. */ -}}
{{- define "istiod.config" -}}
{{- if or (include "istiod.local" .) (dig "configCluster" false (.Values.global | default dict)) -}}true{{- end -}}
{{- end -}}

{{- /* "true" where the discovery of this cluster is at global.remotePilotAddress. */ -}}
{{- define "istiod.remoteAddress" -}}
{{- if and (dig "enabled" false (.Values.istiodRemote | default dict)) (dig "remotePilotAddress" "" (.Values.global | default dict)) -}}true{{- end -}}
{{- end -}}

{{- /* The EndpointSlice address type of global.remotePilotAddress, "" where that is a host name. */ -}}
{{- define "istiod.remoteAddressType" -}}
{{- $address := .Values.global.remotePilotAddress -}}
{{- if regexMatch "^[0-9]{1,3}([.][0-9]{1,3}){3}$" $address -}}IPv4
{{- else if contains ":" $address -}}IPv6
{{- end -}}
{{- end -}}

{{- /* "true" where istiod deploys gateways and waypoints, which needs rights of their own. */ -}}
{{- define "istiod.gatewayController" -}}
{{- if ne (include "istiod.envValue" (list . "PILOT_ENABLE_GATEWAY_API_DEPLOYMENT_CONTROLLER")) "false" -}}
{{- include "istiod.config" . -}}
{{- end -}}
{{- end -}}

{{- /* The API group of ServiceExport and ServiceImport. */ -}}
{{- define "istiod.mcsGroup" -}}
{{- include "istiod.envValue" (list . "MCS_API_GROUP") | default "multicluster.x-k8s.io" -}}
{{- end -}}

{{- /* "true" where several replicas are sure to run, so that a PodDisruptionBudget does not block the drain of a node. */ -}}
{{- define "istiod.replicated" -}}
{{- $replicas := ternary .Values.autoscaleMin .Values.replicaCount (not (not .Values.autoscaleEnabled)) -}}
{{- if gt (int ($replicas | default 1)) 1 -}}true{{- end -}}
{{- end -}}

{{- /* The value of one of istiod's environment variables as text, from the user's map: (list root name). */ -}}
{{- define "istiod.envValue" -}}
{{- include "istiod.string" (get ((index . 0).Values.env | default dict) (index . 1)) -}}
{{- end -}}

{{- /* The labels of most objects: (list root map map …). */ -}}
{{- define "istiod.objectLabels" -}}
{{- $root := index . 0 -}}
{{- $own := dict
  "istio.io/rev" (include "istiod.rev" $root)
  "install.operator.istio.io/owning-resource" (include "istiod.owner" $root)
  "operator.istio.io/component" "Pilot"
  "release" $root.Release.Name -}}
{{- include "istiod.labels" (concat (list $root "istiod" $own) (slice . 1)) -}}
{{- end -}}

{{- /* The label value for the resource that owns this installation. */ -}}
{{- define "istiod.owner" -}}
{{- include "istiod.labelValue" .Values.ownerName | default "unknown" -}}
{{- end -}}

{{- /* The labels of roles, bindings and accounts: (list root name). */ -}}
{{- define "istiod.rbacLabels" -}}
{{- $root := index . 0 -}}
{{- $name := index . 1 -}}
{{- include "istiod.labels" (list $root $name (dict "app" $name "release" $root.Release.Name)) -}}
{{- end -}}

{{- /* The labels by which Services and budgets select istiod's pods. */ -}}
{{- define "istiod.selector" -}}
app: istiod
{{- with include "istiod.revision" . }}
istio.io/rev: {{ . | quote }}
{{- else }}
istio: pilot
{{- end }}
{{- end -}}

{{- /* The spec of a Service for istiod's pods. */ -}}
{{- define "istiod.serviceSpec" -}}
{{- with .Values.ipFamilyPolicy -}}
ipFamilyPolicy: {{ . }}
{{ end -}}
{{- with .Values.ipFamilies -}}
ipFamilies:
{{ toYaml . }}
{{ end -}}
{{- with .Values.trafficDistribution -}}
trafficDistribution: {{ . }}
{{ end -}}
ports:
- name: grpc-xds
  port: 15010
  protocol: TCP
- name: https-dns
  port: 15012
  protocol: TCP
- name: https-webhook
  port: 443
  targetPort: 15017
  protocol: TCP
- name: http-monitoring
  port: 15014
  protocol: TCP
selector:
  {{- include "istiod.selector" . | nindent 2 }}
{{- end -}}

{{- /* Copies the global values that are this chart's own: (dict "root" root "from" map "into" dictionary). Keys of other
charts may hold their secrets, and the settings of a tracer, with its token, belong into the mesh configuration alone. */ -}}
{{- define "istiod.ownGlobals" -}}
{{- $c := . -}}
{{- range $key := concat (without .root.Values._overlay.globals "tracer") (list "ipFamilies" "ipFamilyPolicy" "platform" "profile" "trustBundleName") -}}
{{- if hasKey $c.from $key -}}
{{- $_ := set $c.into $key (get $c.from $key) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Values as JSON, for the record: (dict "root" root "from" values). What has an object of its own and may hold a secret,
as env and the mesh configuration do, is not repeated here. */ -}}
{{- define "istiod.recordedValues" -}}
{{- $from := .from -}}
{{- $record := dict -}}
{{- range $key := concat (without .root.Values._overlay.keys "cni" "env" "envVarFrom" "gatewayClasses" "global" "initContainers" "jwksResolverExtraRootCA" "meshConfig" "sidecarInjectorWebhook") (list "compatibilityVersion" "crlConfigMapName" "platform" "profile" "terminationMessagePolicy" "trafficDistribution") -}}
{{- if hasKey $from $key -}}
{{- $_ := set $record $key (get $from $key) -}}
{{- end -}}
{{- end -}}
{{- with get $from "cni" -}}
{{- $_ := set $record "cni" (pick . "enabled" "provider") -}}
{{- end -}}
{{- with get $from "sidecarInjectorWebhook" -}}
{{- $_ := set $record "sidecarInjectorWebhook" (omit . "templates") -}}
{{- end -}}
{{- with get $from "global" -}}
{{- $_ := set $record "global" dict -}}
{{- include "istiod.ownGlobals" (dict "root" $.root "from" . "into" $record.global) -}}
{{- end -}}
{{- toPrettyJson $record -}}
{{- end -}}

{{- /* The resources of the container as YAML: the chart's own, else those of global. Empty text where there are none. */ -}}
{{- define "istiod.resources" -}}
{{- with .Values.resources | default (dig "global" "defaultResources" dict (pick .Values "global")) -}}
{{- toYaml . -}}
{{- end -}}
{{- end -}}
