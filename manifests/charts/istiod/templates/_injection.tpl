{{- /* What sidecar injection needs: the values of its templates, and its webhooks. */ -}}

{{- /* The values that the injection templates read, as JSON. Of istiod's environment, which may hold a secret, only what they read. */ -}}
{{- define "istiod.injection.values" -}}
{{- $global := dict -}}
{{- include "istiod.ownGlobals" (dict "root" . "from" (.Values.global | default dict) "into" $global) -}}
{{- $global = deepCopy $global -}}
{{- include "istiod.injection.typed" $global -}}
{{- $_ := set $global "istioNamespace" .Release.Namespace -}}
{{- $secrets := list -}}
{{- range $global.imagePullSecrets -}}
{{- if kindIs "map" . -}}
{{- $secrets = append $secrets .name -}}
{{- else -}}
{{- $secrets = append $secrets (include "istiod.string" .) -}}
{{- end -}}
{{- end -}}
{{- $_ := set $global "imagePullSecrets" $secrets -}}
{{- $cni := .Values.cni | default dict -}}
{{- toPrettyJson (dict
  "global" $global
  "gateways" (.Values.gateways | default dict)
  "pilot" (dict
    "cni" (dict "enabled" ($cni.enabled | default false) "provider" ($cni.provider | default "default"))
    "env" (pick (.Values.env | default dict) "ENABLE_CLUSTER_TRUST_BUNDLE_API"))
  "revision" (include "istiod.revision" .)
  "sidecarInjectorWebhook" (.Values.sidecarInjectorWebhook | default dict)) -}}
{{- end -}}

{{- /* Makes strings of what Istio's injector reads as strings only, in the global values. */ -}}
{{- define "istiod.injection.typed" -}}
{{- $proxy := .proxy | default dict -}}
{{- $waypoint := .waypoint | default dict -}}
{{- include "istiod.injection.texts" (list $proxy "excludeInboundPorts" "excludeOutboundPorts" "includeInboundPorts" "includeOutboundPorts") -}}
{{- with $waypoint.nodeSelector -}}
{{- include "istiod.injection.texts" (prepend (keys .) .) -}}
{{- end -}}
{{- range $resources := list $proxy.resources $waypoint.resources .defaultResources -}}
{{- range $part := list "limits" "requests" -}}
{{- with get ($resources | default dict) $part -}}
{{- include "istiod.injection.texts" (prepend (keys .) .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Makes strings of the named values of a map, where it has them: (list map name name …). */ -}}
{{- define "istiod.injection.texts" -}}
{{- $map := index . 0 -}}
{{- range $name := slice . 1 -}}
{{- if hasKey $map $name -}}
{{- $_ := set $map $name (include "istiod.string" (get $map $name)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /*
The webhooks that inject pods: (dict "root" root "rev" value of istio.io/rev "unlabelled" bool). Exactly one of them is
called for a pod: its namespace names the revision, or the pod does; and, for the control plane that serves pods that name
no revision (unlabelled), the namespace asks for injection, or the pod does, or all are injected.
*/ -}}
{{- define "istiod.injection.webhooks" -}}
{{- $injector := .root.Values.sidecarInjectorWebhook | default dict -}}
{{- $context := dict "client" (include "istiod.injection.client" .root) "reinvocation" $injector.reinvocationPolicy -}}
{{- $isRevision := printf "istio.io/rev In %s" .rev -}}
{{- $notRefused := "sidecar.istio.io/inject NotIn false" -}}
{{- $noRevision := "istio.io/rev DoesNotExist" -}}
{{- $noInjection := "istio-injection DoesNotExist" -}}
{{- include "istiod.injection.webhook" (merge (dict "name" "rev.namespace"
  "namespace" (list $isRevision $noInjection)
  "object" (list $notRefused)) $context) }}
{{ include "istiod.injection.webhook" (merge (dict "name" "rev.object"
  "namespace" (list $noRevision $noInjection)
  "object" (list $notRefused $isRevision)) $context) }}
{{- if .unlabelled }}
{{ include "istiod.injection.webhook" (merge (dict "name" "namespace"
  "namespace" (list "istio-injection In enabled")
  "object" (list $notRefused)) $context) }}
{{ include "istiod.injection.webhook" (merge (dict "name" "object"
  "namespace" (list $noInjection $noRevision)
  "object" (list "sidecar.istio.io/inject In true" $noRevision)) $context) }}
{{- if $injector.enableNamespacesByDefault }}
{{ include "istiod.injection.webhook" (merge (dict "name" "auto"
  "namespace" (list $noInjection $noRevision "kubernetes.io/metadata.name NotIn kube-system,kube-public,kube-node-lease,local-path-storage")
  "object" (list "sidecar.istio.io/inject DoesNotExist" $noRevision)) $context) }}
{{- end }}
{{- end }}
{{- end -}}

{{- /* One such webhook: (dict "name" prefix "namespace" conditions "object" conditions "client" YAML "reinvocation" policy). */ -}}
{{- define "istiod.injection.webhook" -}}
- name: {{ .name }}.sidecar-injector.istio.io
  admissionReviewVersions:
  - v1
  clientConfig:
    {{- .client | nindent 4 }}
  failurePolicy: Fail
  {{- with .reinvocation }}
  reinvocationPolicy: {{ . }}
  {{- end }}
  sideEffects: None
  rules:
  - apiGroups:
    - ""
    apiVersions:
    - v1
    operations:
    - CREATE
    resources:
    - pods
  namespaceSelector:
    {{- include "istiod.injection.selector" .namespace | nindent 4 }}
  objectSelector:
    {{- include "istiod.injection.selector" .object | nindent 4 }}
{{- end -}}

{{- /* A label selector from conditions, each as "KEY OPERATOR" or "KEY OPERATOR VALUE,VALUE". */ -}}
{{- define "istiod.injection.selector" -}}
matchExpressions:
{{- range . }}
{{- $words := splitList " " . }}
- key: {{ index $words 0 }}
  operator: {{ index $words 1 }}
  {{- if gt (len $words) 2 }}
  values:
  {{- range splitList "," (index $words 2) }}
  - {{ . | quote }}
  {{- end }}
  {{- end }}
{{- end }}
{{- end -}}

{{- /* Where the injection webhooks are called. Without a given authority, istiod fills caBundle in. */ -}}
{{- define "istiod.injection.client" -}}
{{- $remote := .Values.istiodRemote | default dict -}}
{{- if $remote.injectionURL -}}
url: {{ $remote.injectionURL | quote }}
{{- else -}}
service:
  name: {{ include "istiod.fullname" . }}
  namespace: {{ .Release.Namespace | quote }}
  path: {{ $remote.injectionPath | default "/inject" | quote }}
  port: 443
{{- end }}
{{- with $remote.injectionCABundle }}
caBundle: {{ . | quote }}
{{- end }}
{{- end -}}

{{- /* The labels of the objects with injection webhooks: (list root map map …). */ -}}
{{- define "istiod.injection.labels" -}}
{{- include "istiod.objectLabels" (concat . (list (dict "app" "sidecar-injector"))) -}}
{{- end -}}

{{- /* The revision tags joined by commas, each once. Refuses one that cannot be a label and the end of a Service's name. */ -}}
{{- define "istiod.injection.tags" -}}
{{- $tags := list -}}
{{- range .Values.revisionTags -}}
{{- $tag := include "istiod.string" . -}}
{{- if or (gt (len $tag) 43) (not (regexMatch "^[a-z0-9]([a-z0-9-]*[a-z0-9])?$" $tag)) -}}
{{- fail (printf "revisionTags: %q is not a DNS label of at most 43 characters (a-z, 0-9 and - inside); choose a shorter or plainer name, such as prod" $tag) -}}
{{- end -}}
{{- $tags = append $tags $tag -}}
{{- end -}}
{{- uniq $tags | join "," -}}
{{- end -}}
