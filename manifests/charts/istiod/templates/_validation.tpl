{{- /* What the validation webhook and the admission policy have in common. */ -}}

{{- /* The objects that belong to this revision. */ -}}
{{- define "istiod.validation.selector" -}}
matchExpressions:
- key: istio.io/rev
  operator: In
  values:
  - {{ include "istiod.rev" . | quote }}
{{- end -}}

{{- /* "true" where the policy for stable APIs is to be rendered. */ -}}
{{- define "istiod.validation.stable" -}}
{{- if dig "stableValidationPolicy" false (.Values.experimental | default dict) -}}
{{- include "istiod.inScope" (list . "cluster") -}}
{{- end -}}
{{- end -}}
