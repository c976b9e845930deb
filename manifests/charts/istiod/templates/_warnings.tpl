{{- /* Settings that render but cannot work as they stand, as a JSON list of sentences for the notes. */ -}}
{{- define "istiod.warnings" -}}
{{- $global := .Values.global | default dict -}}
{{- $remote := .Values.istiodRemote | default dict -}}
{{- $base := .Values.base | default dict -}}
{{- $revision := include "istiod.revision" . -}}
{{- $warnings := list -}}
{{- if and (not (include "istiod.local" .)) (not $remote.injectionURL) (not $global.remotePilotAddress) -}}
{{- $warnings = append $warnings (printf "istiodRemote.enabled: nothing here answers the injection webhook, so new pods are refused where it applies; set global.remotePilotAddress or istiodRemote.injectionURL, or bring a Service %s of your own" (include "istiod.fullname" .)) -}}
{{- end -}}
{{- if and $remote.enabledLocalInjectorIstiod (not $remote.enabled) -}}
{{- $warnings = append $warnings "istiodRemote.enabledLocalInjectorIstiod has no effect without istiodRemote.enabled" -}}
{{- end -}}
{{- if and $remote.enabledLocalInjectorIstiod $remote.enabled (not $global.remotePilotAddress) -}}
{{- $warnings = append $warnings "istiodRemote.enabledLocalInjectorIstiod: proxies get their configuration from the local istiod, too; set global.remotePilotAddress to have it from the remote one" -}}
{{- end -}}
{{- if and $revision (not .Values.revisionTags) -}}
{{- $warnings = append $warnings (printf "revision: no tag points at %s, so only what is labelled istio.io/rev=%s is injected; for istio-injection=enabled set revisionTags to [default] in one revision" $revision $revision) -}}
{{- end -}}
{{- if and $global.istioNamespace (ne $global.istioNamespace .Release.Namespace) -}}
{{- $warnings = append $warnings (printf "global.istioNamespace is %s, but this release is in %s: istiod is there, and only the reader account is taken from %s" $global.istioNamespace .Release.Namespace $global.istioNamespace) -}}
{{- end -}}
{{- if eq (toString $base.validationFailurePolicy) "Ignore" -}}
{{- $warnings = append $warnings "base.validationFailurePolicy: Ignore does not last: istiod sets Fail once it is ready, and an upgrade with Helm 4 then reports a conflict" -}}
{{- end -}}
{{- $replicas := ternary .Values.autoscaleMin .Values.replicaCount (not (not .Values.autoscaleEnabled)) | default 1 -}}
{{- $stay := dig "minAvailable" 1 (.Values.pdb | default dict) -}}
{{- if and (include "istiod.replicated" .) (kindIs "int64" $stay) (ge (int $stay) (int $replicas)) -}}
{{- $warnings = append $warnings (printf "pdb.minAvailable: with %d of %d replicas to stay, no node can be drained; lower it or run more replicas" (int $stay) (int $replicas)) -}}
{{- end -}}
{{- toJson $warnings -}}
{{- end -}}
