{{- /* The labels of an object: (list root map map …). The standard ones, those of the installation, then the given maps. */ -}}
{{- define "istio-cni.objectLabels" -}}
{{- $root := index . 0 -}}
{{- $installation := dict
  "install.operator.istio.io/owning-resource" (include "istio-cni.labelValue" ($root.Values.ownerName | default "unknown"))
  "istio.io/rev" (include "istio-cni.revision" $root | default "default")
  "operator.istio.io/component" "Cni"
  "release" (include "istio-cni.labelValue" $root.Release.Name) -}}
{{- include "istio-cni.labels" (concat (list $root "istio-cni" $installation) (slice . 1)) -}}
{{- end -}}

{{- /* The label by which the DaemonSet, and the NetworkPolicy, find the pods. */ -}}
{{- define "istio-cni.selector" -}}
k8s-app: istio-cni-node
{{- end -}}

{{- /* The labels of the pods. The selector comes last: a DaemonSet whose pods it does not match is refused. */ -}}
{{- define "istio-cni.nodeLabels" -}}
{{- $mesh := dict "istio.io/dataplane-mode" "none" "sidecar.istio.io/inject" "false" -}}
{{- include "istio-cni.podLabels" (list . "istio-cni" $mesh .Values.podLabels (dict "k8s-app" "istio-cni-node")) -}}
{{- end -}}

{{- /* The annotations of the pods. */ -}}
{{- define "istio-cni.nodeAnnotations" -}}
{{- $own := dict
  "prometheus.io/path" "/metrics"
  "prometheus.io/port" "15014"
  "prometheus.io/scrape" "true"
  "sidecar.istio.io/inject" "false" -}}
{{- include "istio-cni.strings" (list $own .Values.podAnnotations) -}}
{{- end -}}

{{- /* A value at the root, else the one of that name under global, as text: (list root name). */ -}}
{{- define "istio-cni.ownOrGlobal" -}}
{{- $values := (index . 0).Values -}}
{{- $name := index . 1 -}}
{{- include "istio-cni.string" (get $values $name | default (dig "global" $name "" (pick $values "global"))) -}}
{{- end -}}

{{- /* A value without which the agent cannot run, as text: (list root name). Fails where it is absent. */ -}}
{{- define "istio-cni.required" -}}
{{- $name := index . 1 -}}
{{- with get (index . 0).Values $name -}}
{{- include "istio-cni.string" . -}}
{{- else -}}
{{- fail (printf "%s: the node agent needs it; set %s, or leave the value out for the default" $name $name) -}}
{{- end -}}
{{- end -}}

{{- /* The reference of the agent's image. */ -}}
{{- define "istio-cni.nodeImage" -}}
{{- include "istio-cni.image" (dict
  "image" (include "istio-cni.required" (list . "image"))
  "hub" (include "istio-cni.ownOrGlobal" (list . "hub"))
  "tag" (include "istio-cni.ownOrGlobal" (list . "tag"))
  "variant" (include "istio-cni.ownOrGlobal" (list . "variant"))) -}}
{{- end -}}

{{- /* The log level: the chart's own, else that of global. */ -}}
{{- define "istio-cni.logLevel" -}}
{{- dig "logging" "level" "" (pick .Values "logging") | default (dig "global" "logging" "level" "" (pick .Values "global")) -}}
{{- end -}}

{{- /* "true" on GKE: by the platform, else by the version that the API server reports. */ -}}
{{- define "istio-cni.onGKE" -}}
{{- if or (eq (.Values.platform | default "") "gke") (contains "-gke" .Capabilities.KubeVersion.Version) -}}true{{- end -}}
{{- end -}}

{{- /* The directory of the CNI plugins. GKE nodes have a read-only /opt, so theirs is elsewhere. */ -}}
{{- define "istio-cni.binDir" -}}
{{- .Values.cniBinDir | default (ternary "/home/kubernetes/bin" "/opt/cni/bin" (eq (include "istio-cni.onGKE" .) "true")) -}}
{{- end -}}

{{- /* "true" where a switch inside a section is on: (list root section switch). */ -}}
{{- define "istio-cni.on" -}}
{{- if dig (index . 1) (index . 2) false (pick (index . 0).Values (index . 1)) -}}true{{- end -}}
{{- end -}}

{{- /* "true" where the pods share the network namespace of their node. */ -}}
{{- define "istio-cni.hostNetwork" -}}
{{- if and (include "istio-cni.on" (list . "ambient" "enabled")) (include "istio-cni.on" (list . "ambient" "shareHostNetworkNamespace")) -}}true{{- end -}}
{{- end -}}

{{- /* The priority class of the pods. Empty text where the user wants none. */ -}}
{{- define "istio-cni.priorityClass" -}}
{{- ternary .Values.priorityClassName "system-node-critical" (hasKey .Values "priorityClassName") -}}
{{- end -}}

{{- /* The resources of the container as YAML: the chart's own, else those of global. Empty text where there are none. */ -}}
{{- define "istio-cni.resources" -}}
{{- with .Values.resources | default (dig "global" "defaultResources" dict (pick .Values "global")) -}}
{{- toYaml . -}}
{{- end -}}
{{- end -}}

{{- /* The environment variables of the container. The rest of the agent's settings comes from the ConfigMap. */ -}}
{{- define "istio-cni.nodeEnv" -}}
{{- $user := .Values.env | default dict -}}
{{- include "istio-cni.env.field" (list $user "NODE_NAME" "spec.nodeName" "v1") -}}
{{- include "istio-cni.env.field" (list $user "POD_NAME" "metadata.name") -}}
{{- include "istio-cni.env.field" (list $user "POD_NAMESPACE" "metadata.namespace") -}}
{{- include "istio-cni.env.resource" (list $user "GOMEMLIMIT" "limits.memory" "1") -}}
{{- include "istio-cni.env.resource" (list $user "GOMAXPROCS" "limits.cpu" "1") -}}
{{- include "istio-cni.env.field" (list $user "REPAIR_NODE_NAME" "spec.nodeName") -}}
{{- include "istio-cni.env.value" (list $user "REPAIR_RUN_AS_DAEMON" "true") -}}
{{- include "istio-cni.env.value" (list $user "REPAIR_SIDECAR_ANNOTATION" "sidecar.istio.io/status") -}}
{{- if not (include "istio-cni.hostNetwork" .) -}}
{{- include "istio-cni.env.value" (list $user "ALLOW_SWITCH_TO_HOST_NS" "true") -}}
{{- end -}}
{{- include "istio-cni.env.user" $user -}}
{{- end -}}

{{- /* The data of the ConfigMap, which the agent reads as environment variables. A switch that is absent is off. */ -}}
{{- define "istio-cni.config" -}}
{{- $ambient := .Values.ambient | default dict -}}
{{- $repair := .Values.repair | default dict -}}
{{- $data := dict
  "CURRENT_AGENT_VERSION" (include "istio-cni.ownOrGlobal" (list . "tag"))
  "AMBIENT_ENABLED" ($ambient.enabled | default false)
  "AMBIENT_DNS_CAPTURE" ($ambient.dnsCapture | default false)
  "AMBIENT_IPV6" ($ambient.ipv6 | default false)
  "AMBIENT_RECONCILE_POD_RULES_ON_STARTUP" ($ambient.reconcileIptablesOnStartup | default false)
  "ENABLE_AMBIENT_DETECTION_RETRY" ($ambient.enableAmbientDetectionRetry | default false)
  "CHAINED_CNI_PLUGIN" (.Values.chained | default false)
  "ISTIO_OWNED_CNI_CONFIG" (.Values.istioOwnedCNIConfig | default false)
  "EXCLUDE_NAMESPACES" (.Values.excludeNamespaces | default list | join ",")
  "NATIVE_NFTABLES" (eq (include "istio-cni.on" (list . "global" "nativeNftables")) "true")
  "REPAIR_ENABLED" ($repair.enabled | default false)
  "REPAIR_LABEL_PODS" ($repair.labelPods | default false)
  "REPAIR_DELETE_PODS" ($repair.deletePods | default false)
  "REPAIR_REPAIR_PODS" ($repair.repairPods | default false) -}}
{{- if hasKey $ambient "enablementSelectors" -}}
{{- $_ := set $data "AMBIENT_ENABLEMENT_SELECTOR" (toYaml $ambient.enablementSelectors) -}}
{{- end -}}
{{- with .Values.cniConfFileName -}}
{{- $_ := set $data "CNI_CONF_NAME" . -}}
{{- end -}}
{{- if .Values.istioOwnedCNIConfig -}}
{{- $_ := set $data "ISTIO_OWNED_CNI_CONF_FILENAME" (.Values.istioOwnedCNIConfigFileName | default "") -}}
{{- end -}}
{{- range $name, $key := dict
  "REPAIR_INIT_CONTAINER_NAME" "initContainerName"
  "REPAIR_BROKEN_POD_LABEL_KEY" "brokenPodLabelKey"
  "REPAIR_BROKEN_POD_LABEL_VALUE" "brokenPodLabelValue" -}}
{{- if hasKey $repair $key -}}
{{- $_ := set $data $name (get $repair $key) -}}
{{- end -}}
{{- end -}}
{{- include "istio-cni.strings" (list $data .Values.env) -}}
{{- end -}}

{{- /* The number of pods that the quota allows. */ -}}
{{- define "istio-cni.quotaPods" -}}
{{- if hasKey .Values.resourceQuotas "pods" -}}
{{- include "istio-cni.string" .Values.resourceQuotas.pods -}}
{{- else -}}
{{- fail "resourceQuotas.pods: the quota needs it; set resourceQuotas.pods, or resourceQuotas.enabled to false" -}}
{{- end -}}
{{- end -}}

{{- /* Warnings about settings that do not work together, for NOTES.txt. */ -}}
{{- define "istio-cni.warnings" -}}
{{- if and (include "istio-cni.onGKE" .) (eq (include "istio-cni.binDir" .) "/opt/cni/bin") }}

WARNING: this cluster is GKE, whose nodes do not let the agent write to /opt/cni/bin; set platform=gke and leave cniBinDir out.
{{- end }}
{{- if and (eq (.Values.provider | default "") "multus") .Values.chained }}

WARNING: provider is multus, which reads a configuration file of the plugin's own, but chained is on; set chained=false.
{{- end }}
{{- if and .Values.istioOwnedCNIConfig (not .Values.chained) }}

WARNING: istioOwnedCNIConfig has no effect while chained is off.
{{- end }}
{{- if and (include "istio-cni.on" (list . "repair" "enabled")) (not (include "istio-cni.on" (list . "repair" "repairPods"))) (not (include "istio-cni.on" (list . "repair" "deletePods"))) (not (include "istio-cni.on" (list . "repair" "labelPods"))) }}

WARNING: repair.enabled is on, but none of repair.repairPods, repair.deletePods and repair.labelPods: broken pods stay broken.
{{- end }}
{{- if and (include "istio-cni.on" (list . "resourceQuotas" "enabled")) (not (include "istio-cni.priorityClass" .)) }}

WARNING: resourceQuotas.enabled has no effect, because priorityClassName is empty.
{{- end }}
{{- end -}}
