package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stratamesh/strata/pkg/profiles"
)

// ambientSwitches are where ambient mode is turned on.
func (s *selection) ambientSwitches() (control, node setting) {
	return s.setting(istiod, "env", "PILOT_ENABLE_AMBIENT"), s.setting(cni, "ambient", "enabled")
}

// usesZtunnel says whether ztunnel has to fit: it is installed for sure, or ambient mode is on.
func (s *selection) usesZtunnel() bool {
	control, node := s.ambientSwitches()
	return s.has(ztunnel) && s.has(istiod) && (s.hasForSure(ztunnel) || control.on() || node.on() && s.has(cni))
}

// ambient asks whether ambient mode is on everywhere or nowhere.
func ambient(s *selection) {
	control, node := s.ambientSwitches()
	hbone := s.setting(istiod, "meshConfig", "defaultConfig", "proxyMetadata", "ISTIO_META_ENABLE_HBONE")
	if s.has(istiod) && s.has(cni) && control.on() != node.on() {
		on, off, fix := node, control, `set pilot.env.PILOT_ENABLE_AMBIENT to "true", or select profile ambient`
		if control.on() {
			on, off, fix = control, node, "set cni.ambient.enabled to true, or select profile ambient"
		}
		s.report(Finding{
			Rule: ambientMismatch, Fix: fix,
			Message: fmt.Sprintf("ambient mode is on in %s (%s) and off in %s (%s)", on.chart, on.path, off.chart, off.path),
		}, off, on)
	}
	if s.has(istiod) && control.on() != hbone.on() {
		f := Finding{
			Rule:    hboneMismatch,
			Message: "ambient mode is on in istiod, but sidecars do not speak HBONE: " + hbone.path.String() + " is not true",
			Fix:     `set ISTIO_META_ENABLE_HBONE there to "true", or select profile ambient`,
		}
		if hbone.on() {
			f.Message = "sidecars speak HBONE (" + hbone.path.String() + "), but ambient mode is off in istiod"
			f.Fix = "take it out, or select profile ambient"
		}
		s.report(f, control, hbone)
	}
	controlOn, nodeOn := control.on() && s.has(istiod), node.on() && s.has(cni)
	if controlOn && s.lacks(cni) {
		s.report(Finding{
			Rule: ambientWithoutCNI, Message: "ambient mode is on in istiod, but istio-cni is not installed", Fix: "install istio-cni with profile ambient",
		}, control)
	}
	if (controlOn || nodeOn) && s.lacks(ztunnel) {
		s.report(Finding{
			Rule: ambientWithoutZtunnel, Message: "ambient mode is on, but ztunnel is not installed", Fix: "install ztunnel with profile ambient",
		}, control, node)
	}
	if s.hasForSure(ztunnel) && s.has(istiod) && !control.on() {
		s.report(Finding{
			Rule: ztunnelWithoutAmbient, Message: "ztunnel is installed, but ambient mode is off in istiod", Fix: "select profile ambient",
		}, control)
	}
}

// ztunnelTrust asks whether istiod signs for ztunnel where it runs.
func ztunnelTrust(s *selection) {
	if !s.usesZtunnel() || !s.places(istiod, ztunnel) {
		return
	}
	accounts := s.setting(istiod, "env", "CA_TRUSTED_NODE_ACCOUNTS")
	namespace, name := s.setting(istiod, "trustedZtunnelNamespace"), s.setting(istiod, "trustedZtunnelName")
	resource := s.setting(ztunnel, "resourceName")
	trusted := []string{namespace.or(s.namespace(istiod)) + "/" + name.or("ztunnel")}
	if text := accounts.text(); text != "" {
		trusted = strings.Split(text, ",")
	}
	account := s.namespace(ztunnel) + "/" + resource.or("ztunnel")
	if slices.Contains(trusted, account) {
		return
	}
	s.report(Finding{
		Rule:    ztunnelNotTrusted,
		Message: fmt.Sprintf("istiod trusts %s, but ztunnel is %s", strings.Join(trusted, ", "), account),
		Fix: fmt.Sprintf("set trustedZtunnelNamespace to %s and trustedZtunnelName to %s in istiod, or install ztunnel where istiod expects it",
			s.namespace(ztunnel), resource.or("ztunnel")),
	}, accounts, namespace, name, resource)
}

// istiodPlace asks whether the others look for istiod where it is.
func istiodPlace(s *selection) {
	if !s.has(istiod) || !s.places(istiod) {
		return
	}
	is := s.namespace(istiod)
	say := func(chart, looks string, v setting) {
		if looks == is {
			return
		}
		s.report(Finding{
			Rule:    istiodNotThere,
			Message: fmt.Sprintf("%s looks for istiod in the namespace %s, but istiod goes to %s", chart, looks, is),
			Fix:     fmt.Sprintf("set %s to %s, or install istiod in %s", v.path, is, looks),
		}, v)
	}
	if s.has(base) && s.setting(base, "defaultRevision").text() != "" && s.setting(base, "base", "validationURL").text() == "" {
		v := s.setting(base, "global", "istioNamespace")
		if looks := v.or(s.namespace(base)); looks != "" {
			say(base, looks, v)
		}
	}
	if s.usesZtunnel() && (s.setting(ztunnel, "caAddress").text() == "" || s.setting(ztunnel, "xdsAddress").text() == "") {
		v := s.setting(ztunnel, "istioNamespace")
		say(ztunnel, v.text(), v)
	}
}

// revisions asks whether the others name the revision of istiod.
func revisions(s *selection) {
	if !s.has(istiod) {
		return
	}
	control := s.setting(istiod, "revision")
	is := control.or("default")
	if v := s.setting(base, "defaultRevision"); s.has(base) && v.text() != "" && v.text() != is && s.setting(base, "base", "validationURL").text() == "" {
		s.report(Finding{
			Rule:    defaultRevision,
			Message: fmt.Sprintf("the default validator calls the istiod of revision %s, but this one has the revision %s", v.text(), is),
			Fix:     fmt.Sprintf("set defaultRevision of base to %s once this istiod is the default one", is),
		}, v, control)
	}
	if v := s.setting(ztunnel, "revision"); s.usesZtunnel() && v.or("default") != is {
		s.report(Finding{
			Rule:    revisionMismatch,
			Message: fmt.Sprintf("ztunnel connects to the istiod of revision %s, but this one has the revision %s", v.or("default"), is),
			Fix:     fmt.Sprintf("set revision of ztunnel to %s", is),
		}, v, control)
	}
	tags := s.setting(istiod, "revisionTags")
	if v := s.setting(gateway, "revision"); s.has(gateway) && v.text() != "" && v.text() != is {
		if list, ok := tags.value.([]any); ok && slices.ContainsFunc(list, func(tag any) bool { return fmt.Sprint(tag) == v.text() }) {
			return
		}
		s.report(Finding{
			Rule:    revisionMismatch,
			Message: fmt.Sprintf("the gateway asks for the revision %s, but istiod has the revision %s and no tag of that name", v.text(), is),
			Fix:     fmt.Sprintf("set revision of gateway to %s, or add the tag to revisionTags", is),
		}, v, control)
	}
}

// networks asks whether all name the same network.
func networks(s *selection) {
	if !s.has(istiod) {
		return
	}
	control := s.setting(istiod, "global", "network")
	if proxy := s.first(ztunnel, profiles.Path{"env", "NETWORK"}, profiles.Path{"network"}); s.usesZtunnel() && proxy.text() != control.text() {
		s.report(Finding{
			Rule:    networkMismatch,
			Message: fmt.Sprintf("istiod is in %s (%s), ztunnel in %s (%s)", network(control.text()), control.path, network(proxy.text()), proxy.path),
			Fix:     "set global.network, which counts for both",
		}, proxy, control)
	}
	if v := s.setting(gateway, "networkGateway"); s.has(gateway) && v.text() != "" && v.text() != control.text() {
		s.report(Finding{
			Rule:    networkMismatch,
			Message: fmt.Sprintf("the gateway leads into %s (%s), but istiod is in %s (%s)", network(v.text()), v.path, network(control.text()), control.path),
			Fix:     "set global.network to " + v.text() + ", or networkGateway to the network of the cluster",
		}, v, control)
	}
	if v, _, net := s.injectionPath(); net != "" && control.text() != "" && net != control.text() {
		s.report(Finding{
			Rule:    networkMismatch,
			Message: fmt.Sprintf("%s names the network %s, but %s is %s", v.path, net, control.path, control.text()),
			Fix:     "let both name the same network",
		}, v, control)
	}
}

func network(name string) string {
	if name == "" {
		return "no network"
	}
	return "network " + name
}

// first returns the first of several settings that has a value, or the last one.
func (s *selection) first(chart string, paths ...profiles.Path) setting {
	var v setting
	for _, path := range paths {
		if v = s.setting(chart, path...); v.text() != "" {
			break
		}
	}
	return v
}

// injectionPath returns what the path of the injection webhook says: /inject/cluster/NAME/net/NETWORK.
func (s *selection) injectionPath() (v setting, cluster, network string) {
	v = s.setting(istiod, "istiodRemote", "injectionPath")
	parts := strings.Split(strings.Trim(v.text(), "/"), "/")
	for n := 1; n+1 < len(parts); n += 2 {
		switch parts[n] {
		case "cluster":
			cluster = parts[n+1]
		case "net":
			network = parts[n+1]
		}
	}
	return v, cluster, network
}

// clusterNames asks whether all name the same cluster.
func clusterNames(s *selection) {
	if !s.has(istiod) {
		return
	}
	const preset = "Kubernetes"
	control := s.first(istiod, profiles.Path{"env", "CLUSTER_ID"}, profiles.Path{"global", "multiCluster", "clusterName"})
	proxy := s.first(ztunnel, profiles.Path{"env", "ISTIO_META_CLUSTER_ID"}, profiles.Path{"multiCluster", "clusterName"})
	if s.usesZtunnel() && proxy.or(preset) != control.or(preset) {
		s.report(Finding{
			Rule: clusterNameMismatch,
			Message: fmt.Sprintf("the cluster is called %s in istiod (%s) and %s in ztunnel (%s)",
				control.or(preset), control.path, proxy.or(preset), proxy.path),
			Fix: "set global.multiCluster.clusterName, which counts for both",
		}, proxy, control)
	}
	if v, cluster, _ := s.injectionPath(); cluster != "" && control.text() != "" && cluster != control.text() {
		s.report(Finding{
			Rule:    clusterNameMismatch,
			Message: fmt.Sprintf("%s names the cluster %s, but %s is %s", v.path, cluster, control.path, control.text()),
			Fix:     "let both name the same cluster",
		}, v, control)
	}
}

// trustBundle asks whether istiod and ztunnel name the same ConfigMap with the root certificate.
func trustBundle(s *selection) {
	const preset = "istio-ca-root-cert"
	control, proxy := s.setting(istiod, "global", "trustBundleName"), s.setting(ztunnel, "trustBundleName")
	if s.usesZtunnel() && control.or(preset) != proxy.or(preset) {
		s.report(Finding{
			Rule:    trustBundleMismatch,
			Message: fmt.Sprintf("istiod keeps the root certificate in the ConfigMap %s, ztunnel reads it from %s", control.or(preset), proxy.or(preset)),
			Fix:     "set global.trustBundleName, which counts for both",
		}, proxy, control)
	}
}

// nodeAgent asks whether istiod and istio-cni agree.
func nodeAgent(s *selection) {
	if !s.has(istiod) {
		return
	}
	enabled := s.setting(istiod, "cni", "enabled")
	if enabled.on() && s.lacks(cni) {
		s.report(Finding{
			Rule: cniNotInstalled, Message: "istiod relies on istio-cni (cni.enabled), which is not installed",
			Fix: "install istio-cni, or set pilot.cni.enabled to false",
		}, enabled)
	}
	if node := s.setting(cni, "ambient", "enabled"); s.hasForSure(cni) && !enabled.on() && !node.on() {
		s.report(Finding{
			Rule: cniNotUsed, Message: "istio-cni is installed, but istiod does not rely on it (cni.enabled)", Fix: "set pilot.cni.enabled to true",
		}, enabled)
	}
	control, node := s.setting(istiod, "cni", "provider"), s.setting(cni, "provider")
	if s.has(cni) && enabled.on() && control.or("default") != node.or("default") {
		s.report(Finding{
			Rule:    cniProviderMismatch,
			Message: fmt.Sprintf("the provider is %s in istiod (pilot.cni.provider) and %s in istio-cni (cni.provider)", control.or("default"), node.or("default")),
			Fix:     "set both to the same",
		}, control, node)
	}
	taint, namespace := s.setting(istiod, "taint", "enabled"), s.setting(istiod, "taint", "namespace")
	if s.has(cni) && taint.on() && s.places(istiod, cni) && namespace.or(s.namespace(istiod)) != s.namespace(cni) {
		s.report(Finding{
			Rule: taintNamespace,
			Message: fmt.Sprintf("istiod waits for the node agent in the namespace %s (taint.namespace), but istio-cni goes to %s",
				namespace.or(s.namespace(istiod)), s.namespace(cni)),
			Fix: "set pilot.taint.namespace to " + s.namespace(cni),
		}, namespace, taint)
	}
}

// remote asks whether it is clear where the control plane is.
func remote(s *selection) {
	if !s.has(istiod) {
		return
	}
	enabled, local := s.setting(istiod, "istiodRemote", "enabled"), s.setting(istiod, "istiodRemote", "enabledLocalInjectorIstiod")
	address, url := s.setting(istiod, "global", "remotePilotAddress"), s.setting(istiod, "istiodRemote", "injectionURL")
	external, config := s.setting(istiod, "global", "externalIstiod"), s.setting(istiod, "global", "configCluster")
	if enabled.on() && external.on() {
		s.report(Finding{
			Rule:    externalAndRemote,
			Message: "global.externalIstiod says that this istiod serves other clusters, istiodRemote.enabled that there is none here",
			Fix:     "keep the one that fits this cluster",
		}, external, enabled)
	}
	if s.profile != nil {
		return // a profile leaves to the user what differs from cluster to cluster
	}
	if enabled.on() && address.text() == "" && (local.on() || url.text() == "") {
		f := Finding{
			Rule: remoteWithoutAddress, Message: "istiodRemote.enabled says that the control plane runs elsewhere, but nothing says where",
			Fix: "set global.remotePilotAddress to its address, or istiodRemote.injectionURL",
		}
		if local.on() {
			f.Message = "an istiod for injection runs here (istiodRemote.enabledLocalInjectorIstiod), but nothing says where discovery is"
			f.Fix = "set global.remotePilotAddress to the address of the control plane"
		}
		s.report(f, enabled, local)
	}
	for _, v := range []setting{address, local, config} {
		if text := v.text(); !enabled.on() && text != "" && text != "false" {
			s.report(Finding{
				Rule:    withoutEffect,
				Message: fmt.Sprintf("%s has no effect without istiodRemote.enabled", v.path),
				Fix:     "set istiodRemote.enabled, or take it out",
			}, v)
		}
	}
}
