{{- /* Helpers that every chart of the suite has under its own name. */ -}}

{{- /* A scalar as Kubernetes wants it in a label, an annotation, an environment variable or a data key: "1e+06" becomes 1000000. Maps and lists become JSON. */ -}}
{{- define "CHART.string" -}}
{{- if kindIs "string" . -}}{{ . }}
{{- else if kindIs "invalid" . -}}
{{- else if has (kindOf .) (list "float64" "map" "slice") -}}{{ toRawJson . }}
{{- else -}}{{ toString . }}
{{- end -}}
{{- end -}}

{{- /* Any number of maps as one YAML map of strings, each key once, a later map over an earlier one: (list map map …). Empty text where nothing is in them. */ -}}
{{- define "CHART.strings" -}}
{{- $all := omit (first . | default dict) -}}
{{- range $map := rest . -}}
{{- range $key, $value := $map -}}
{{- $_ := set $all $key $value -}}
{{- end -}}
{{- end -}}
{{- $break := "" -}}
{{- range $key, $value := $all -}}
{{- if not (kindIs "string" $value) -}}
{{- $value = include "CHART.string" $value -}}
{{- end -}}
{{- printf "%s%q: %q" $break $key $value -}}
{{- $break = "\n" -}}
{{- end -}}
{{- end -}}

{{- /* Text as a legal label value: at most 63 characters, + replaced, no punctuation at the ends. */ -}}
{{- define "CHART.labelValue" -}}
{{- regexReplaceAll "[^A-Za-z0-9_.-]" (include "CHART.string" .) "_" | trunc 63 | trimAll "-_." -}}
{{- end -}}

{{- /*
The labels of an object: (list root name map map …). The standard labels for the component NAME, then the given maps, later over earlier.
*/ -}}
{{- define "CHART.labels" -}}
{{- $root := index . 0 -}}
{{- include "CHART.standardLabels" $root -}}
{{- include "CHART.strings" (concat (list $root.Values._overlay.objectLabels (dict "app.kubernetes.io/name" (index . 1))) (slice . 2)) -}}
{{- end -}}

{{- /*
The labels of a pod template: as "CHART.labels", without the chart's version, which would restart every pod with each release of the chart.
*/ -}}
{{- define "CHART.podLabels" -}}
{{- $root := index . 0 -}}
{{- include "CHART.standardLabels" $root -}}
{{- include "CHART.strings" (concat (list $root.Values._overlay.podLabels (dict "app.kubernetes.io/name" (index . 1))) (slice . 2)) -}}
{{- end -}}

{{- /* Computes the labels that all objects share, once: ._overlay.podLabels, and ._overlay.objectLabels with the chart's version. */ -}}
{{- define "CHART.standardLabels" -}}
{{- if not (hasKey .Values._overlay "podLabels") -}}
{{- $labels := dict
  "app.kubernetes.io/managed-by" .Release.Service
  "app.kubernetes.io/instance" (include "CHART.labelValue" .Release.Name)
  "app.kubernetes.io/part-of" "istio"
  "app.kubernetes.io/version" (include "CHART.labelValue" .Chart.AppVersion) -}}
{{- $_ := set .Values._overlay "podLabels" $labels -}}
{{- $_ := set .Values._overlay "objectLabels" (merge (dict "helm.sh/chart" (include "CHART.labelValue" (printf "%s-%s" .Chart.Name .Chart.Version))) $labels) -}}
{{- end -}}
{{- end -}}

{{- /* The revision as text, "" where there is none. It is checked once. */ -}}
{{- define "CHART.revision" -}}
{{- if not (hasKey .Values._overlay "revision") -}}
{{- $_ := set .Values._overlay "revision" (include "CHART.dnsLabel" (list "revision" .Values.revision)) -}}
{{- end -}}
{{- .Values._overlay.revision -}}
{{- end -}}

{{- /*
A value as text: (list name value [length]). Refuses one that cannot stand in a label and at the end of the names of objects: one
that is no DNS label or is longer than length, 56 by default.
*/ -}}
{{- define "CHART.dnsLabel" -}}
{{- $text := include "CHART.string" (index . 1) -}}
{{- $most := slice . 2 | first | default 56 -}}
{{- if and $text (or (gt (len $text) (int $most)) (not (regexMatch "^[a-z0-9]([a-z0-9-]*[a-z0-9])?$" $text))) -}}
{{- fail (printf "%s: %q is not a DNS label of at most %v characters (a-z, 0-9 and - inside); choose a shorter or plainer name, such as 1-31-4" (index . 0) $text $most) -}}
{{- end -}}
{{- $text -}}
{{- end -}}

{{- /*
"true" where resourceScope lets this render hold objects of the given scope: (list root "cluster") or (list root "namespace"). The
value is checked once.
*/ -}}
{{- define "CHART.inScope" -}}
{{- $values := (index . 0).Values -}}
{{- if not (hasKey $values._overlay "scope") -}}
{{- $scope := get $values "resourceScope" | default (dig "global" "resourceScope" "all" (pick $values "global")) | default "all" -}}
{{- if not (has $scope (list "all" "cluster" "namespace")) -}}
{{- fail (printf "resourceScope: %q is unknown; use all, cluster or namespace" (toString $scope)) -}}
{{- end -}}
{{- $_ := set $values._overlay "scope" $scope -}}
{{- end -}}
{{- if has $values._overlay.scope (list "all" (index . 1)) -}}true{{- end -}}
{{- end -}}

{{- /* The pull secrets as a YAML list of {name: …}: those at the root, else those under global; names and objects alike. */ -}}
{{- define "CHART.pullSecrets" -}}
{{- $secrets := get .Values "imagePullSecrets" | default (dig "global" "imagePullSecrets" list (pick .Values "global")) -}}
{{- $all := list -}}
{{- range $secret := $secrets -}}
{{- $all = append $all (ternary $secret (dict "name" (include "CHART.string" $secret)) (kindIs "map" $secret)) -}}
{{- end -}}
{{- if $all -}}{{ toYaml (uniq $all) }}{{- end -}}
{{- end -}}

{{- /* An image reference: (dict "image" name "hub" registry "tag" tag "variant" variant). A name with a slash is a whole reference already. */ -}}
{{- define "CHART.image" -}}
{{- if contains "/" .image -}}{{ .image }}
{{- else -}}
{{- $tag := include "CHART.string" .tag -}}
{{- if not .hub -}}{{- fail (printf "hub: needed for the image %q; set hub or global.hub, or give the image with its registry" .image) -}}{{- end -}}
{{- if not $tag -}}{{- fail (printf "tag: needed for the image %q; set tag or global.tag, or give the image with its registry" .image) -}}{{- end -}}
{{- .hub }}/{{ .image }}:{{ $tag }}{{ with .variant }}-{{ . }}{{ end -}}
{{- end -}}
{{- end -}}

{{- /* One environment variable with a value, unless the user's map has that name: (list user name value). */ -}}
{{- define "CHART.env.value" -}}
{{- if not (hasKey (index . 0) (index . 1)) }}
- name: {{ index . 1 | quote }}
  value: {{ include "CHART.string" (index . 2) | quote }}
{{- end -}}
{{- end -}}

{{- /* One environment variable from a field of the pod, unless the user's map has that name: (list user name fieldPath [apiVersion]). */ -}}
{{- define "CHART.env.field" -}}
{{- if not (hasKey (index . 0) (index . 1)) }}
- name: {{ index . 1 | quote }}
  valueFrom:
    fieldRef:
      {{- range slice . 3 }}
      apiVersion: {{ . }}
      {{- end }}
      fieldPath: {{ index . 2 }}
{{- end -}}
{{- end -}}

{{- /* One environment variable from a resource of the container, unless the user's map has that name: (list user name resource divisor). */ -}}
{{- define "CHART.env.resource" -}}
{{- if not (hasKey (index . 0) (index . 1)) }}
- name: {{ index . 1 | quote }}
  valueFrom:
    resourceFieldRef:
      resource: {{ index . 2 }}
      divisor: {{ index . 3 | quote }}
{{- end -}}
{{- end -}}

{{- /* The user's environment variables, from a map of name to value. */ -}}
{{- define "CHART.env.user" -}}
{{- range $name, $value := . }}
- name: {{ quote $name }}
  value: {{ include "CHART.string" $value | quote }}
{{- end -}}
{{- end -}}

{{- /* The Istio configuration that is looked at. */ -}}
{{- define "CHART.validation.resources" -}}
- apiGroups:
  - security.istio.io
  - networking.istio.io
  - telemetry.istio.io
  - extensions.istio.io
  apiVersions:
  - "*"
  operations:
  - CREATE
  - UPDATE
  resources:
  - "*"
{{- end -}}

{{- /* The failurePolicy of the validation webhook. Without a value of the user: "Ignore" on installation, as nobody answers yet,
and nothing on an upgrade, as istiod has set Fail by then; with a certificate authority given, Fail from the start. */ -}}
{{- define "CHART.validation.failurePolicy" -}}
{{- $base := .Values.base | default dict -}}
{{- if $base.validationFailurePolicy -}}{{ $base.validationFailurePolicy }}
{{- else if $base.validationCABundle -}}Fail
{{- else if .Release.IsInstall -}}Ignore
{{- end -}}
{{- end -}}

{{- /* The certificate authority of the validation webhook, "" where istiod fills it in. Refuses PEM, which the API server would. */ -}}
{{- define "CHART.validation.caBundle" -}}
{{- with (.Values.base | default dict).validationCABundle -}}
{{- if contains "-----BEGIN" . -}}{{- fail "base.validationCABundle: is PEM; give it in base64, as base64 -w0 CA.pem prints it" -}}{{- end -}}
{{- . -}}
{{- end -}}
{{- end -}}

{{- /* What makes configuration stable, as variables and validations of an admission policy: a version such as v1, and no field that
Istio marks as alpha. What is being deleted may stay as it is, or its finalizers could not be removed. */ -}}
{{- define "CHART.validation.stableRules" -}}
variables:
- name: version
  expression: object.apiVersion.split('/')[1]
- name: leaving
  expression: has(object.metadata.deletionTimestamp)
- name: sources
  expression: "object.kind == 'AuthorizationPolicy' ? object.?spec.?rules.orValue([]).map(r, r.?from.orValue([]).map(f, f.?source.orValue({}))) : []"
- name: metrics
  expression: "object.kind == 'Telemetry' ? object.?spec.?metrics.orValue([]) : []"
- name: accessLogs
  expression: "object.kind == 'Telemetry' ? object.?spec.?accessLogging.orValue([]) : []"
- name: tracing
  expression: "object.kind == 'Telemetry' ? object.?spec.?tracing.orValue([]) : []"
validations:
- expression: variables.leaving || variables.version.matches('^v[0-9]+$')
  messageExpression: "object.kind + ' ' + variables.version + ' is not a stable API version, and this control plane takes only those; use v1 where the kind has it'"
  reason: Forbidden
- expression: variables.leaving || !variables.sources.exists(l, l.exists(s, has(s.trustDomains) || has(s.notTrustDomains)))
  message: source.trustDomains and source.notTrustDomains are not stable, and this control plane takes only stable fields; use principals
  reason: Forbidden
- expression: variables.leaving || !variables.metrics.exists(m, has(m.reportingInterval))
  message: metrics.reportingInterval is not stable, and this control plane takes only stable fields
  reason: Forbidden
- expression: variables.leaving || !variables.accessLogs.exists(a, has(a.filter))
  message: accessLogging.filter is not stable, and this control plane takes only stable fields
  reason: Forbidden
- expression: variables.leaving || !variables.tracing.exists(t, has(t.useRequestIdForTraceSampling))
  message: tracing.useRequestIdForTraceSampling is not stable, and this control plane takes only stable fields
  reason: Forbidden
{{- end -}}
