{{- /* Parts of istiod's Deployment. */ -}}

{{- /* How a rollout replaces pods. */ -}}
{{- define "istiod.deployment.rollingUpdate" -}}
{{- $update := dict -}}
{{- if hasKey .Values "rollingMaxSurge" -}}
{{- $_ := set $update "maxSurge" .Values.rollingMaxSurge -}}
{{- end -}}
{{- if hasKey .Values "rollingMaxUnavailable" -}}
{{- $_ := set $update "maxUnavailable" .Values.rollingMaxUnavailable -}}
{{- end -}}
{{- if $update -}}{{ toYaml $update }}{{- end -}}
{{- end -}}

{{- /* The labels of the pods. Those by which Services and the Deployment select come last: another value would cut the pods off. */ -}}
{{- define "istiod.deployment.podLabels" -}}
{{- include "istiod.podLabels" (list . "istiod"
  (dict
    "install.operator.istio.io/owning-resource" (include "istiod.owner" .)
    "istio.io/dataplane-mode" "none"
    "operator.istio.io/component" "Pilot"
    "sidecar.istio.io/inject" "false")
  .Values.podLabels
  (dict
    "app" "istiod"
    "istio" (ternary "pilot" "istiod" (eq (include "istiod.revision" .) ""))
    "istio.io/rev" (include "istiod.rev" .))) -}}
{{- end -}}

{{- /* The image reference. */ -}}
{{- define "istiod.deployment.image" -}}
{{- $global := .Values.global | default dict -}}
{{- include "istiod.image" (dict
  "image" (.Values.image | default "pilot")
  "hub" (.Values.hub | default $global.hub)
  "tag" (.Values.tag | default $global.tag)
  "variant" (.Values.variant | default $global.variant)) -}}
{{- end -}}

{{- /* The arguments of the container. */ -}}
{{- define "istiod.deployment.args" -}}
{{- $global := .Values.global | default dict -}}
{{- $taint := .Values.taint | default dict -}}
{{- $args := list "discovery" "--monitoringAddr=:15014" -}}
{{- with dig "logging" "level" "" $global -}}
{{- $args = append $args (printf "--log_output_level=%s" .) -}}
{{- end -}}
{{- if $global.logAsJson -}}
{{- $args = append $args "--log_as_json" -}}
{{- end -}}
{{- $args = append $args "--domain" -}}
{{- $args = append $args (dig "proxy" "clusterDomain" "" $global | default "cluster.local") -}}
{{- if and $taint.enabled $taint.namespace -}}
{{- $args = append $args (printf "--cniNamespace=%s" $taint.namespace) -}}
{{- end -}}
{{- with .Values.keepaliveMaxServerConnectionAge -}}
{{- $args = concat $args (list "--keepaliveMaxServerConnectionAge" .) -}}
{{- end -}}
{{- range .Values.extraContainerArgs -}}
{{- $args = append $args (include "istiod.string" .) -}}
{{- end -}}
{{- toYaml $args -}}
{{- end -}}

{{- /* The environment: the chart's variables, then the user's, each name once. */ -}}
{{- define "istiod.deployment.env" -}}
{{- $global := .Values.global | default dict -}}
{{- $taint := .Values.taint | default dict -}}
{{- $env := deepCopy (.Values.env | default dict) -}}
{{- $last := dict -}}
{{- range $n, $entry := .Values.envVarFrom -}}
{{- if not $entry.name -}}{{- fail "envVarFrom: an entry has no name; give each the name of its variable" -}}{{- end -}}
{{- $_ := set $last $entry.name $n -}}
{{- $_ := unset $env $entry.name -}}
{{- end -}}
{{- $user := merge dict $env $last -}}
{{- $namespace := .Release.Namespace -}}
{{- $ztunnel := printf "%s/%s" (.Values.trustedZtunnelNamespace | default $namespace) (.Values.trustedZtunnelName | default "ztunnel") -}}
{{- include "istiod.env.value" (list $user "REVISION" (include "istiod.rev" .)) }}
{{- include "istiod.env.value" (list $user "PILOT_CERT_PROVIDER" ($global.pilotCertProvider | default "istiod")) }}
{{- include "istiod.env.field" (list $user "POD_NAME" "metadata.name" "v1") }}
{{- include "istiod.env.field" (list $user "POD_NAMESPACE" "metadata.namespace" "v1") }}
{{- include "istiod.env.field" (list $user "SERVICE_ACCOUNT" "spec.serviceAccountName" "v1") }}
{{- include "istiod.env.value" (list $user "KUBECONFIG" "/var/run/secrets/remote/config") }}
{{- include "istiod.env.value" (list $user "CA_TRUSTED_NODE_ACCOUNTS" $ztunnel) }}
{{- if hasKey .Values "traceSampling" }}
{{- include "istiod.env.value" (list $user "PILOT_TRACE_SAMPLING" .Values.traceSampling) }}
{{- end }}
{{- if $global.externalIstiod }}
{{- include "istiod.env.value" (list $user "EXTERNAL_ISTIOD" "true") }}
{{- end }}
{{- include "istiod.env.value" (list $user "PILOT_ENABLE_ANALYSIS" (dig "istiod" "enableAnalysis" false $global)) }}
{{- include "istiod.env.value" (list $user "CLUSTER_ID" (dig "multiCluster" "clusterName" "" $global | default "Kubernetes")) }}
{{- include "istiod.env.resource" (list $user "GOMAXPROCS" "limits.cpu" "1") }}
{{- include "istiod.env.value" (list $user "PLATFORM" (.Values.platform | default "")) }}
{{- with .Values.crlConfigMapName }}
{{- include "istiod.env.value" (list $user "PILOT_CRL_CONFIGMAP" .) }}
{{- end }}
{{- with $global.trustBundleName }}
{{- include "istiod.env.value" (list $user "PILOT_CA_CERT_CONFIGMAP" .) }}
{{- end }}
{{- if $taint.enabled }}
{{- include "istiod.env.value" (list $user "PILOT_ENABLE_NODE_UNTAINT_CONTROLLERS" "true") }}
{{- with $taint.name }}
{{- include "istiod.env.value" (list $user "PILOT_NODE_UNTAINT_CONTROLLERS_TAINT_NAME" .) }}
{{- end }}
{{- end }}
{{- if eq (include "istiod.envValue" (list . "COMPLIANCE_POLICY")) "fips-140-3" }}
{{- include "istiod.env.value" (list $user "GODEBUG" "fips140=only") }}
{{- end }}
{{- include "istiod.env.user" $env }}
{{- range $n, $entry := .Values.envVarFrom }}
{{- if eq $n (get $last $entry.name) }}
{{ toYaml (list $entry) }}
{{- end }}
{{- end }}
{{- end -}}

{{- /* The volume mounts of the container. */ -}}
{{- define "istiod.deployment.volumeMounts" -}}
- name: istio-token
  mountPath: /var/run/secrets/tokens
  readOnly: true
- name: local-certs
  mountPath: /var/run/secrets/istio-dns
- name: cacerts
  mountPath: /etc/cacerts
  readOnly: true
- name: istio-kubeconfig
  mountPath: /var/run/secrets/remote
  readOnly: true
- name: istio-csr-dns-cert
  mountPath: /var/run/secrets/istiod/tls
  readOnly: true
- name: istio-csr-ca-configmap
  mountPath: /var/run/secrets/istiod/ca
  readOnly: true
{{- if .Values.jwksResolverExtraRootCA }}
- name: extracacerts
  mountPath: /cacerts
{{- end }}
{{- with .Values.volumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* The volumes of the pods: own key material, and optional objects that bring it from elsewhere. */ -}}
{{- define "istiod.deployment.volumes" -}}
{{- $global := .Values.global | default dict -}}
- name: local-certs
  emptyDir:
    medium: Memory
- name: istio-token
  projected:
    sources:
    - serviceAccountToken:
        audience: {{ dig "sds" "token" "aud" "istio-ca" $global | quote }}
        expirationSeconds: 43200
        path: istio-token
- name: cacerts
  secret:
    secretName: cacerts
    optional: true
- name: istio-kubeconfig
  secret:
    secretName: istio-kubeconfig
    optional: true
- name: istio-csr-dns-cert
  secret:
    secretName: istiod-tls
    optional: true
- name: istio-csr-ca-configmap
  {{- if eq (include "istiod.envValue" (list . "ENABLE_CLUSTER_TRUST_BUNDLE_API")) "true" }}
  projected:
    sources:
    - clusterTrustBundle:
        name: istio.io:istiod-ca:root-cert
        path: root-cert.pem
        optional: true
  {{- else }}
  configMap:
    name: {{ $global.trustBundleName | default "istio-ca-root-cert" | quote }}
    defaultMode: 420
    optional: true
  {{- end }}
{{- if .Values.jwksResolverExtraRootCA }}
- name: extracacerts
  configMap:
    name: pilot-jwks-extra-cacerts{{ include "istiod.suffix" . }}
{{- end }}
{{- with .Values.volumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}
