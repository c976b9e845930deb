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

{{- /* The default revision as text, "" where there is none. */ -}}
{{- define "base.defaultRevision" -}}
{{- include "base.dnsLabel" (list "defaultRevision" .Values.defaultRevision) -}}
{{- end -}}

{{- /* The labels of what stands in for the default revision: (list root revision map map …). */ -}}
{{- define "base.istiodLabels" -}}
{{- $root := index . 0 -}}
{{- $own := dict "istio" "istiod" "istio.io/rev" (index . 1) "release" (include "base.labelValue" $root.Release.Name) -}}
{{- include "base.labels" (concat (list $root "istiod" $own) (slice . 2)) -}}
{{- end -}}

{{- /* "true" where the policy that admits only stable API versions is to be rendered. */ -}}
{{- define "base.stablePolicy" -}}
{{- if dig "experimental" "stableValidationPolicy" false (pick .Values "experimental") -}}
{{- if include "base.defaultRevision" . -}}
{{- include "base.inScope" (list . "cluster") -}}
{{- end -}}
{{- end -}}
{{- end -}}
