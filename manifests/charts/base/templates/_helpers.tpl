{{- /* Named templates of this chart alone; those that all charts share are in _shared.tpl. */ -}}

{{- /* The namespace of istiod and of the reader account. */ -}}
{{- define "base.istioNamespace" -}}
{{- dig "global" "istioNamespace" "" (pick .Values "global") | default .Release.Namespace | toString -}}
{{- end -}}

{{- /* "true" where Istio's CRDs are to be rendered. */ -}}
{{- define "base.renderCRDs" -}}
{{- if dig "base" "enableIstioConfigCRDs" true (pick .Values "base") -}}
{{- include "base.inScope" (list . "cluster") -}}
{{- end -}}
{{- end -}}

{{- /* The default revision as text, "" where there is none. Refuses one that cannot stand in a label and in the name of istiod's Service. */ -}}
{{- define "base.defaultRevision" -}}
{{- $revision := include "base.string" .Values.defaultRevision -}}
{{- if and $revision (or (gt (len $revision) 56) (not (regexMatch "^[a-z0-9]([a-z0-9-]*[a-z0-9])?$" $revision))) -}}
{{- fail (printf "defaultRevision: %q is not a DNS label of at most 56 characters (a-z, 0-9 and - inside); give the revision of an istiod, or \"\" for none" $revision) -}}
{{- end -}}
{{- $revision -}}
{{- end -}}

{{- /* The labels of what stands in for the default revision: (list root revision map map …). */ -}}
{{- define "base.istiodLabels" -}}
{{- $root := index . 0 -}}
{{- $own := dict "istio" "istiod" "istio.io/rev" (index . 1) "release" (include "base.labelValue" $root.Release.Name) -}}
{{- include "base.labels" (concat (list $root "istiod" $own) (slice . 2)) -}}
{{- end -}}

{{- /* The Istio configuration that validation looks at: the list of rules, the same for a webhook and an admission policy. */ -}}
{{- define "base.validatedResources" -}}
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

{{- /*
The failurePolicy of the default validator. Without a value it is "Ignore" on install and "" on upgrade, when istiod owns the
field; a validator that brings its CA bundle works without istiod's help and so begins with "Fail", which istiod sets too.
*/ -}}
{{- define "base.failurePolicy" -}}
{{- $base := .Values.base | default dict -}}
{{- if $base.validationFailurePolicy -}}{{ $base.validationFailurePolicy }}
{{- else if $base.validationCABundle -}}Fail
{{- else if .Release.IsInstall -}}Ignore
{{- end -}}
{{- end -}}

{{- /* "true" where the policy that admits only stable API versions is to be rendered. */ -}}
{{- define "base.stablePolicy" -}}
{{- if dig "experimental" "stableValidationPolicy" false (pick .Values "experimental") -}}
{{- if include "base.defaultRevision" . -}}
{{- include "base.inScope" (list . "cluster") -}}
{{- end -}}
{{- end -}}
{{- end -}}
