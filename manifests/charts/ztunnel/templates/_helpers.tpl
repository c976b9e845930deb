{{- /* The name of the chart's objects. */ -}}
{{- define "ztunnel.name" -}}
{{- include "ztunnel.dnsLabel" (list "resourceName" .Values.resourceName 63) | default "ztunnel" -}}
{{- end -}}

{{- /* The name of the NetworkPolicy: one for each revision. */ -}}
{{- define "ztunnel.policyName" -}}
{{ include "ztunnel.name" . }}{{ with include "ztunnel.revision" . }}-{{ . }}{{ end }}
{{- end -}}

{{- /* The priority class of the pods, which is also the one that the quota admits. */ -}}
{{- define "ztunnel.priorityClassName" -}}
{{ .Values.priorityClassName | default "system-node-critical" }}
{{- end -}}

{{- /* The annotations of an object: the revision, then the user's. */ -}}
{{- define "ztunnel.annotations" -}}
{{- include "ztunnel.strings" (list (include "ztunnel.revisionAnnotation" . | fromYaml) .Values.annotations) -}}
{{- end -}}

{{- /* The annotation that names the revision, where there is one. */ -}}
{{- define "ztunnel.revisionAnnotation" -}}
{{- with include "ztunnel.revision" . -}}
istio.io/rev: {{ . | quote }}
{{- end -}}
{{- end -}}

{{- /* The labels of the objects that installers used to track: (list root map …), the maps over the standard ones. */ -}}
{{- define "ztunnel.ownedLabels" -}}
{{- $root := index . 0 -}}
{{- $owned := dict
  "app" "ztunnel"
  "release" (include "ztunnel.labelValue" $root.Release.Name)
  "install.operator.istio.io/owning-resource" (include "ztunnel.labelValue" ($root.Values.ownerName | default "unknown")) -}}
{{- include "ztunnel.labels" (concat (list $root "ztunnel" $owned) (slice . 1) (list $root.Values.labels)) -}}
{{- end -}}

{{- /* "true" where the SCC of OpenShift must be granted to the service account. */ -}}
{{- define "ztunnel.needsSCC" -}}
{{- if eq (.Values.platform | default "") "openshift" -}}
{{- include "ztunnel.inScope" (list . "cluster") -}}
{{- end -}}
{{- end -}}

{{- /* The labels of the pods. Refuses another label app: the selector of a DaemonSet cannot follow it. */ -}}
{{- define "ztunnel.allPodLabels" -}}
{{- if ne (include "ztunnel.string" (dig "podLabels" "app" "ztunnel" (pick .Values "podLabels"))) "ztunnel" -}}
{{- fail "podLabels.app: the DaemonSet selects its pods by app: ztunnel; leave podLabels.app out" -}}
{{- end -}}
{{- $own := dict "app" "ztunnel" "istio.io/dataplane-mode" "none" "sidecar.istio.io/inject" "false" -}}
{{- include "ztunnel.podLabels" (list . "ztunnel" $own .Values.podLabels) -}}
{{- end -}}

{{- /* The image of the container. */ -}}
{{- define "ztunnel.containerImage" -}}
{{- if not .Values.image -}}{{- fail "image: needed for the container; set image to ztunnel or to a whole reference" -}}{{- end -}}
{{- include "ztunnel.image" (pick .Values "image" "hub" "tag" "variant") -}}
{{- end -}}

{{- /* The address of istiod. */ -}}
{{- define "ztunnel.istiod" -}}
{{- if not .Values.istioNamespace -}}
{{- fail "istioNamespace: needed for the address of istiod; set istioNamespace, or both caAddress and xdsAddress" -}}
{{- end -}}
istiod{{ with include "ztunnel.revision" . }}-{{ . }}{{ end }}.{{ .Values.istioNamespace }}.svc:15012
{{- end -}}

{{- /* Copies the user's environment variables into a dictionary: (list root dictionary). Those of env win over proxyMetadata. */ -}}
{{- define "ztunnel.env.collect" -}}
{{- $values := (index . 0).Values -}}
{{- $into := index . 1 -}}
{{- range $map := list (dig "meshConfig" "defaultConfig" "proxyMetadata" dict (pick $values "meshConfig")) $values.env -}}
{{- range $name, $value := $map -}}
{{- $_ := set $into $name $value -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* The environment variables of the container: (list root user). */ -}}
{{- define "ztunnel.env" -}}
{{- $root := index . 0 -}}
{{- $values := $root.Values -}}
{{- $user := index . 1 -}}
{{- range $name, $address := dict "CA_ADDRESS" $values.caAddress "XDS_ADDRESS" $values.xdsAddress -}}
{{- if not (hasKey $user $name) -}}
{{- if not $address -}}{{- $address = include "ztunnel.istiod" $root -}}{{- end -}}
{{- include "ztunnel.env.value" (list $user $name $address) -}}
{{- end -}}
{{- end -}}
{{- include "ztunnel.env.value" (list $user "ISTIO_META_CLUSTER_ID" (dig "multiCluster" "clusterName" "" (pick $values "multiCluster") | default "Kubernetes")) -}}
{{- with $values.network -}}
{{- include "ztunnel.env.value" (list $user "NETWORK" .) -}}
{{- end -}}
{{- include "ztunnel.env.value" (list $user "INPOD_ENABLED" true) -}}
{{- if hasKey $values "terminationGracePeriodSeconds" -}}
{{- include "ztunnel.env.value" (list $user "TERMINATION_GRACE_PERIOD_SECONDS" $values.terminationGracePeriodSeconds) -}}
{{- end -}}
{{- with $values.logLevel -}}
{{- include "ztunnel.env.value" (list $user "RUST_LOG" .) -}}
{{- end -}}
{{- include "ztunnel.env.value" (list $user "RUST_BACKTRACE" 1) -}}
{{- if $values.logAsJson -}}
{{- include "ztunnel.env.value" (list $user "LOG_FORMAT" "json") -}}
{{- end -}}
{{- if dig "peerCaCrl" "enabled" false (pick $values "peerCaCrl") -}}
{{- include "ztunnel.env.value" (list $user "CRL_PATH" "/var/run/secrets/istio/crl/ca-crl.pem") -}}
{{- end -}}
{{- include "ztunnel.env.field" (list $user "POD_NAME" "metadata.name") -}}
{{- include "ztunnel.env.field" (list $user "POD_NAMESPACE" "metadata.namespace") -}}
{{- include "ztunnel.env.field" (list $user "NODE_NAME" "spec.nodeName") -}}
{{- include "ztunnel.env.field" (list $user "INSTANCE_IP" "status.podIP") -}}
{{- include "ztunnel.env.field" (list $user "SERVICE_ACCOUNT" "spec.serviceAccountName") -}}
{{- include "ztunnel.env.resource" (list $user "ZTUNNEL_CPU_LIMIT" "limits.cpu" "1") -}}
{{- if dig "resources" "requests" "cpu" "" (pick $values "resources") -}}
{{- include "ztunnel.env.resource" (list $user "ZTUNNEL_RESOURCE_CPU_REQUEST" "requests.cpu" "1") -}}
{{- end -}}
{{- if dig "resources" "limits" "cpu" "" (pick $values "resources") -}}
{{- include "ztunnel.env.resource" (list $user "ZTUNNEL_RESOURCE_CPU_LIMIT" "limits.cpu" "1") -}}
{{- end -}}
{{- include "ztunnel.env.user" $user -}}
{{- end -}}

{{- /* The update strategy. Refuses what the API server would refuse; there, an absent maxUnavailable is 1. */ -}}
{{- define "ztunnel.updateStrategy" -}}
{{- if eq (.type | default "") "OnDelete" -}}
type: OnDelete
{{- else -}}
{{- with .rollingUpdate -}}
{{- $none := list "0" "0%" -}}
{{- $noSurge := has (include "ztunnel.string" (dig "maxSurge" 0 .)) $none -}}
{{- if eq $noSurge (has (include "ztunnel.string" (dig "maxUnavailable" 1 .)) $none) -}}
{{- fail (printf "updateStrategy.rollingUpdate: maxSurge and maxUnavailable are both %s 0; Kubernetes wants exactly one of them to be 0" (ternary "at" "above" $noSurge)) -}}
{{- end -}}
{{- end -}}
{{- $strategy := pick . "type" -}}
{{- with pick (.rollingUpdate | default dict) "maxSurge" "maxUnavailable" -}}
{{- $_ := set $strategy "rollingUpdate" . -}}
{{- end -}}
{{ toYaml $strategy }}
{{- end -}}
{{- end -}}

{{- /* Settings that render but cannot work, or need another chart to agree, as a JSON list of sentences. */ -}}
{{- define "ztunnel.warnings" -}}
{{- $all := list -}}
{{- $name := include "ztunnel.name" . -}}
{{- $namespace := .Release.Namespace -}}
{{- $scoped := include "ztunnel.inScope" (list . "namespace") -}}
{{- $trusted := ternary "kube-system" (.Values.istioNamespace | default "istio-system") (eq (.Values.platform | default "") "openshift") -}}
{{- if and $scoped (ne $namespace $trusted) -}}
{{- $all = append $all (printf "istiod signs for ztunnel in the namespace %s; install ztunnel there, or set trustedZtunnelNamespace=%s in istiod" $trusted $namespace) -}}
{{- end -}}
{{- if and $scoped (ne $name "ztunnel") -}}
{{- $all = append $all (printf "istiod signs for the service account ztunnel; set trustedZtunnelName=%s in istiod" $name) -}}
{{- end -}}
{{- if not (or $scoped (include "ztunnel.needsSCC" .)) -}}
{{- $all = append $all "resourceScope=cluster makes nothing here: only platform=openshift needs cluster objects" -}}
{{- end -}}
{{- toJson $all -}}
{{- end -}}
