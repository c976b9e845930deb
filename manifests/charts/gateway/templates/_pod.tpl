{{- /* The pod template of the Deployment and the DaemonSet. */ -}}
{{- define "gateway.podTemplate" -}}
{{- $labels := dict "sidecar.istio.io/inject" "true" -}}
{{- template "gateway.identity" (dict "root" . "into" $labels) -}}
{{- with include "gateway.revision" . -}}
{{- $_ := set $labels "istio.io/rev" . -}}
{{- end -}}
{{- with include "gateway.network" . -}}
{{- $_ := set $labels "topology.istio.io/network" . -}}
{{- end -}}
metadata:
  labels:
    {{- include "gateway.podLabels" (list . (include "gateway.name" .) $labels .Values.labels) | nindent 4 }}
  {{- with include "gateway.strings" (list .Values.podAnnotations) }}
  annotations:
    {{- . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "gateway.serviceAccountName" . | quote }}
  {{- with include "gateway.pullSecrets" . }}
  imagePullSecrets:
    {{- . | nindent 4 }}
  {{- end }}
  {{- with .Values.securityContext }}
  securityContext:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.dnsPolicy }}
  dnsPolicy: {{ . }}
  {{- end }}
  {{- with .Values.dnsConfig }}
  dnsConfig:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . | quote }}
  {{- end }}
  {{- if hasKey .Values "terminationGracePeriodSeconds" }}
  terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
  {{- end }}
  {{- with include "gateway.strings" (list .Values.nodeSelector) }}
  nodeSelector:
    {{- . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.initContainers }}
  initContainers:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: istio-proxy
      {{- /* A word that the injector knows: it puts the proxy of its revision in. */}}
      image: auto
      {{- with .Values.imagePullPolicy }}
      imagePullPolicy: {{ . }}
      {{- end }}
      {{- with .Values.containerSecurityContext }}
      securityContext:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with include "gateway.env" . }}
      env:
        {{- . | trim | nindent 8 }}
      {{- end }}
      ports:
        - name: http-envoy-prom
          containerPort: 15090
          protocol: TCP
      {{- with .Values.resources }}
      resources:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .Values.readinessProbe }}
      readinessProbe:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .Values.lifecycle }}
      lifecycle:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .Values.volumeMounts }}
      volumeMounts:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    {{- with .Values.additionalContainers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .Values.volumes }}
  volumes:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
