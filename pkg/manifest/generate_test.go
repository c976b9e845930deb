package manifest_test

import (
	"fmt"
	"strings"
)

// generate writes a manifest of n objects as charts render them: Deployments, Services, ConfigMaps with YAML inside,
// RBAC and custom resources. The same arguments give the same text; where edit is true, every tenth object differs in
// one place from that without.
func generate(n int, edit bool) string {
	var b strings.Builder
	for i := range n {
		version := "1.31.0"
		if edit && i%10 == 0 {
			version = "1.31.1"
		}
		name, namespace := fmt.Sprintf("app-%05d", i/8), fmt.Sprintf("team-%02d", i/8%40)
		fmt.Fprintf(&b, "---\n# Source: suite/charts/app/templates/%d.yaml\n", i%8)
		switch i % 8 {
		case 0, 1:
			b.WriteString(deployment(name+[]string{"", "-worker"}[i%8], namespace, version))
		case 2, 3:
			fmt.Fprintf(&b, "apiVersion: v1\nkind: Service\n%sspec:\n  type: ClusterIP\n  selector:\n    app: %s\n  ports:\n", metadata(name+[]string{"", "-metrics"}[i%8-2], namespace, version), name)
			for p, port := range []string{"http", "grpc", "metrics", "admin"} {
				fmt.Fprintf(&b, "  - name: %s\n    port: %d\n    targetPort: %d\n    protocol: TCP\n", port, 80+p, 8080+p)
			}
		case 4:
			fmt.Fprintf(&b, "apiVersion: v1\nkind: ConfigMap\n%sdata:\n  mesh: |-\n    # rendered\n    accessLogFile: /dev/stdout\n    defaultConfig:\n      discoveryAddress: istiod.istio-system.svc:15012\n      proxyMetadata:\n        ISTIO_META_DNS_CAPTURE: \"true\"\n    trustDomain: %s.local\n    enablePrometheusMerge: true\n    extensionProviders:\n", metadata(name, namespace, "1.31.0"), version)
			for p := range 10 {
				fmt.Fprintf(&b, "    - name: provider-%d\n      envoyOtelAls:\n        service: otel-%d.%s.svc.cluster.local\n        port: 4317\n", p, p, namespace)
			}
			fmt.Fprintf(&b, "  values.json: '{\"global\":{\"tag\":%q,\"hub\":\"registry.example.com/mesh\"},\"replicas\":[1,2,3]}'\n", version)
		case 5:
			fmt.Fprintf(&b, "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\n%srules:\n", metadata(name, namespace, version))
			for _, r := range []string{"configmaps", "secrets", "services", "endpoints"} {
				fmt.Fprintf(&b, "- apiGroups: [\"\"]\n  resources: [%q]\n  verbs: [\"get\", \"list\", \"watch\"]\n", r)
			}
		case 6:
			fmt.Fprintf(&b, "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\n%sroleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: Role\n  name: %s\nsubjects:\n- kind: ServiceAccount\n  name: %s\n  namespace: %s\n", metadata(name, namespace, version), name, name, namespace)
		case 7:
			fmt.Fprintf(&b, "apiVersion: networking.istio.io/v1\nkind: VirtualService\n%sspec:\n  hosts:\n  - %s.example.com\n  gateways: [mesh, istio-system/public]\n  http:\n", metadata(name, namespace, version), name)
			for p := range 6 {
				fmt.Fprintf(&b, "  - match:\n    - uri: {prefix: /v%d}\n    route:\n    - destination:\n        host: %s.%s.svc.cluster.local\n        subset: v%d\n      weight: 100\n    timeout: %ds\n", p, name, namespace, p, p+1)
			}
		}
	}
	return b.String()
}

func metadata(name, namespace, version string) string {
	return fmt.Sprintf(`metadata:
  name: %s
  namespace: %s
  labels:
    app: %s
    app.kubernetes.io/name: %s
    app.kubernetes.io/instance: suite
    app.kubernetes.io/managed-by: "Helm"
    app.kubernetes.io/version: "%s"
    helm.sh/chart: app-1.31.0
  annotations:
    example.com/owner: team@example.com
    example.com/revision: "7"
`, name, namespace, name, name, version)
}

func deployment(name, namespace, version string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: apps/v1\nkind: Deployment\n%sspec:\n  replicas: 3\n  selector:\n    matchLabels:\n      app: %s\n  strategy:\n    rollingUpdate:\n      maxSurge: 25%%\n      maxUnavailable: 1\n  template:\n    metadata:\n      labels:\n        app: %s\n        sidecar.istio.io/inject: \"true\"\n    spec:\n      serviceAccountName: %s\n      securityContext:\n        runAsNonRoot: true\n        runAsUser: 1337\n      containers:\n", metadata(name, namespace, "1.31.0"), name, name, name)
	for _, c := range []string{"app", "proxy"} {
		fmt.Fprintf(&b, "      - name: %s\n        image: \"registry.example.com/mesh/%s:%s\"\n        imagePullPolicy: IfNotPresent\n        args:\n        - serve\n        - --log-level=info\n        - --domain\n        - $(POD_NAMESPACE).svc.cluster.local\n        ports:\n        - containerPort: 8080\n          name: http\n          protocol: TCP\n        - containerPort: 15020\n          name: metrics\n          protocol: TCP\n        env:\n        - name: POD_NAMESPACE\n          valueFrom:\n            fieldRef:\n              fieldPath: metadata.namespace\n", c, c, version)
		for e := range 8 {
			fmt.Fprintf(&b, "        - name: SETTING_%d\n          value: \"%d\"\n", e, e*100)
		}
		b.WriteString("        resources:\n          requests:\n            cpu: 100m\n            memory: 128Mi\n          limits:\n            cpu: 2000m\n            memory: 1024Mi\n        readinessProbe:\n          httpGet:\n            path: /healthz/ready\n            port: 8080\n          periodSeconds: 15\n        volumeMounts:\n        - mountPath: /etc/config\n          name: config\n          readOnly: true\n        - mountPath: /tmp\n          name: tmp\n")
	}
	fmt.Fprintf(&b, "      volumes:\n      - name: config\n        configMap:\n          name: %s\n      - name: tmp\n        emptyDir: {}\n      tolerations:\n      - key: cni.istio.io/not-ready\n        operator: \"Exists\"\n", name)
	return b.String()
}
