{{- /* What the validation webhook and the admission policy have in common. */ -}}

{{- /* The Istio configuration that is looked at. */ -}}
{{- define "istiod.validation.resources" -}}
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

{{- /* The objects that belong to this revision. */ -}}
{{- define "istiod.validation.selector" -}}
matchExpressions:
- key: istio.io/rev
  operator: In
  values:
  - {{ include "istiod.rev" . | quote }}
{{- end -}}

{{- /* The failurePolicy of the validation webhook. Without a value of the user: "Ignore" on installation, as nobody answers yet,
and nothing on an upgrade, as istiod has set Fail by then; with a certificate authority given, Fail from the start. */ -}}
{{- define "istiod.validation.failurePolicy" -}}
{{- $base := .Values.base | default dict -}}
{{- if $base.validationFailurePolicy -}}{{ $base.validationFailurePolicy }}
{{- else if $base.validationCABundle -}}Fail
{{- else if .Release.IsInstall -}}Ignore
{{- end -}}
{{- end -}}

{{- /* "true" where the policy for stable APIs is to be rendered. */ -}}
{{- define "istiod.validation.stable" -}}
{{- if dig "stableValidationPolicy" false (.Values.experimental | default dict) -}}
{{- include "istiod.inScope" (list . "cluster") -}}
{{- end -}}
{{- end -}}
