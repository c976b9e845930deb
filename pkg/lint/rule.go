package lint

import "github.com/stratamesh/strata/pkg/finding"

// A Rule is one kind of finding.
type Rule = finding.Rule

// A Finding is one place where a rule applies.
type Finding = finding.Finding

// A Severity says how much a finding matters.
type Severity = finding.Severity

// The severities, in falling order.
const (
	Error   = finding.Error
	Warning = finding.Warning
	Note    = finding.Note
)

// The rules about one document.
const (
	unknownKey       = "unknown-key"
	foreignGlobal    = "foreign-global"
	wrongType        = "wrong-type"
	wrongValue       = "wrong-value"
	defaultsKey      = "defaults-key"
	unreadKey        = "unread-key"
	redundantValue   = "redundant-value"
	yamlBoolean      = "yaml-boolean"
	yamlNumber       = "yaml-number"
	yamlOctal        = "yaml-octal"
	bigInteger       = "big-integer"
	duplicateKey     = "duplicate-key"
	secondDocument   = "second-document"
	emptyValue       = "empty-value"
	uselessNull      = "useless-null"
	unknownName      = "unknown-name"
	profileCycle     = "profile-cycle"
	wrongSelector    = "wrong-selector"
	selectionDiffers = "selection-differs"
)

// The rules about charts that have to fit together.
const (
	ambientMismatch       = "ambient-mismatch"
	hboneMismatch         = "hbone-mismatch"
	ambientWithoutCNI     = "ambient-without-cni"
	ambientWithoutZtunnel = "ambient-without-ztunnel"
	ztunnelWithoutAmbient = "ztunnel-without-ambient"
	ztunnelNotTrusted     = "ztunnel-not-trusted"
	istiodNotThere        = "istiod-not-there"
	revisionMismatch      = "revision-mismatch"
	defaultRevision       = "default-revision"
	networkMismatch       = "network-mismatch"
	clusterNameMismatch   = "cluster-name-mismatch"
	trustBundleMismatch   = "trust-bundle-mismatch"
	cniNotInstalled       = "cni-not-installed"
	cniNotUsed            = "cni-not-used"
	cniProviderMismatch   = "cni-provider-mismatch"
	taintNamespace        = "taint-namespace"
	remoteWithoutAddress  = "remote-without-address"
	externalAndRemote     = "external-and-remote"
	withoutEffect         = "without-effect"
)

// Rules returns all rules in the order of the documentation.
func Rules() []Rule {
	return []Rule{
		{
			ID: unknownKey, Severity: Error, Summary: "No chart knows the key.",
			Help: "Helm would drop it without a word; these charts refuse it. The nearest known key is named. A key of your own begins with `x-`. Under `global` the charts accept any key; there it is a warning where a known key is near. In `meshConfig` and `global.meshNetworks`, whose shape is that of Istio's API, istiod drops it without a word; there it is a warning, as another istiod may know it.",
		},
		{
			ID: foreignGlobal, Severity: Note, Summary: "No chart reads the key under `global`, and none has a name like it.",
			Help: "Fine where charts of others read it.",
		},
		{
			ID: wrongType, Severity: Error, Summary: "The value has another type than the chart wants.",
			Help: "The chart's schema refuses it, or istiod its mesh configuration.",
		},
		{
			ID: wrongValue, Severity: Error, Summary: "The value is none of those that the chart allows.",
			Help: "The chart's schema refuses it, or istiod its mesh configuration. The nearest allowed value is named.",
		},
		{
			ID: defaultsKey, Severity: Error, Summary: "The key is for the chart's own defaults.",
			Help: "Set the same keys at the root, without the prefix `defaults`.",
		},
		{
			ID: unreadKey, Severity: Warning, Summary: "The chart knows the key, but no template reads it.",
			Help: "The value changes nothing: it is accepted so that values of the upstream charts keep working, or it stands in a section whose chart does not use it. Found by following the values through the templates of the charts that read this document.",
		},
		{
			ID: redundantValue, Severity: Warning, Summary: "The profile sets what the layers below it have already.",
			Help: "It changes nothing today, and hides a change of the layer below tomorrow. Only profiles, platforms and compatibility versions are looked at: in values of your own a default may be repeated on purpose.",
		},
		{
			ID: yamlBoolean, Severity: Warning, Summary: "A word without quotes is read as a boolean.",
			Help: "Helm reads YAML 1.1, in which `y`, `n`, `yes`, `no`, `on` and `off` are booleans, as keys too. Where the chart takes nothing but a boolean, no word is said.",
		},
		{
			ID: yamlNumber, Severity: Warning, Summary: "Text without quotes is read as a number that looks different.",
			Help: "`1.30` becomes 1.3, `1e3` becomes 1000, `0x1F` becomes 31, `1_000` becomes 1000, as keys too. Where the chart takes nothing but a number, no word is said; where it takes anything, a decimal is a note.",
		},
		{
			ID: yamlOctal, Severity: Warning, Summary: "A number that begins with 0 is read as an octal one.",
			Help: "`0777` becomes 511, `0427` becomes 279. Where the chart takes only a number and the key is a file mode (`mode`, `defaultMode`), that is meant.",
		},
		{
			ID: bigInteger, Severity: Error, Summary: "The integer is too big to be kept.",
			Help: "Helm reads numbers as 64-bit floats, which hold integers exactly up to 2^53 only. The value that the chart sees is named.",
		},
		{
			ID: duplicateKey, Severity: Error, Summary: "A key stands twice in one map.",
			Help: "Helm takes the last one and drops the others with all that is in them. `on` and `true` are one key.",
		},
		{
			ID: secondDocument, Severity: Error, Summary: "A file holds more than one document.",
			Help: "Helm reads the first one only.",
		},
		{
			ID: emptyValue, Severity: Warning, Summary: "Nothing is written after the key, and so it takes a value away.",
			Help: "An empty value is null, and null removes what the layers below have: often what is left of a map whose keys are commented out. Write `{}` to leave things as they are, `null` to say that you mean it.",
		},
		{
			ID: uselessNull, Severity: Note, Summary: "A null where there is nothing to take away.",
			Help: "It does no harm. Often the name is wrong or the value has moved.",
		},
		{
			ID: unknownName, Severity: Error, Summary: "There is no profile, platform or compatibility version of that name.",
			Help: "The known ones are named.",
		},
		{
			ID: profileCycle, Severity: Error, Summary: "Profiles build on each other in a circle.",
			Help: "The circle is shown. Take one of its selectors out.",
		},
		{
			ID: wrongSelector, Severity: Error, Summary: "A selector is no name.",
			Help: "`compatibilityVersion: 1.30` is a number; quote it.",
		},
		{
			ID: selectionDiffers, Severity: Warning, Summary: "The charts get different profiles, platforms or compatibility versions.",
			Help: "A selector below a section (`pilot.profile`) counts for that chart only. Set it at the root or under `global`.",
		},
		{
			ID: ambientMismatch, Severity: Error, Summary: "Ambient mode is on in one chart and off in another.",
			Help: "istio-cni sends traffic to ztunnel (`cni.ambient.enabled`), and istiod has to tell ztunnel where it goes (`pilot.env.PILOT_ENABLE_AMBIENT`). Profile `ambient` turns on both.",
		},
		{
			ID: hboneMismatch, Severity: Warning, Summary: "Sidecars speak HBONE where ambient mode is off, or do not where it is on.",
			Help: "With `ISTIO_META_ENABLE_HBONE` in `meshConfig.defaultConfig.proxyMetadata`, sidecars and pods in ambient mode reach each other. Profile `ambient` sets it.",
		},
		{
			ID: ambientWithoutCNI, Severity: Error, Summary: "Ambient mode is on, but istio-cni is not installed.",
			Help: "Nothing sends the traffic of pods to ztunnel. Asked only where `--chart` says what is installed.",
		},
		{
			ID: ambientWithoutZtunnel, Severity: Error, Summary: "Ambient mode is on, but ztunnel is not installed.",
			Help: "Pods in ambient mode have no network. Asked only where `--chart` says what is installed.",
		},
		{
			ID: ztunnelWithoutAmbient, Severity: Warning, Summary: "ztunnel is installed, but ambient mode is off in istiod.",
			Help: "ztunnel gets no configuration. Asked only where `--chart` says what is installed.",
		},
		{
			ID: ztunnelNotTrusted, Severity: Error, Summary: "istiod does not trust ztunnel where it goes.",
			Help: "istiod signs certificates of workloads only for the service account `trustedZtunnelName` in the namespace `trustedZtunnelNamespace` (its own, where that is empty). See `--namespace`.",
		},
		{
			ID: istiodNotThere, Severity: Error, Summary: "A chart looks for istiod in another namespace than the one it goes to.",
			Help: "base points the default validator, and ztunnel itself, to istiod in `istioNamespace`. See `--namespace`.",
		},
		{
			ID: revisionMismatch, Severity: Warning, Summary: "A chart asks for another revision of istiod.",
			Help: "ztunnel connects to the Service of its `revision`; a gateway is injected by its `revision`, which may be a tag in `revisionTags`. Fine where that istiod is another release.",
		},
		{
			ID: defaultRevision, Severity: Warning, Summary: "The default validator belongs to another revision.",
			Help: "base points it to the Service of `defaultRevision`. Fine where that istiod is another release.",
		},
		{
			ID: networkMismatch, Severity: Error, Summary: "Charts disagree about the network of the cluster.",
			Help: "`global.network` counts for istiod and ztunnel; `networkGateway` of an east-west gateway, and `istiodRemote.injectionPath`, have to name the same.",
		},
		{
			ID: clusterNameMismatch, Severity: Error, Summary: "Charts disagree about the name of the cluster.",
			Help: "istiod refuses proxies of a cluster that it does not know. `global.multiCluster.clusterName` counts for istiod and ztunnel; `istiodRemote.injectionPath` has to name the same.",
		},
		{
			ID: trustBundleMismatch, Severity: Error, Summary: "istiod and ztunnel disagree about the ConfigMap with the root certificate.",
			Help: "`global.trustBundleName` counts for both.",
		},
		{
			ID: cniNotInstalled, Severity: Error, Summary: "istiod relies on istio-cni, which is not installed.",
			Help: "With `pilot.cni.enabled` injected pods have no init container of their own and wait for the node agent. Asked only where `--chart` says what is installed.",
		},
		{
			ID: cniNotUsed, Severity: Warning, Summary: "istio-cni is installed, but istiod does not rely on it.",
			Help: "Injected pods still have a privileged init container. Asked only where `--chart` says what is installed.",
		},
		{
			ID: cniProviderMismatch, Severity: Error, Summary: "istiod and istio-cni disagree about who calls the plugin.",
			Help: "`pilot.cni.provider` and `cni.provider` have to be the same.",
		},
		{
			ID: taintNamespace, Severity: Warning, Summary: "istiod looks for the node agent in another namespace than the one it goes to.",
			Help: "With `pilot.taint.enabled` istiod takes the taint off a node when it sees the agent there, in `pilot.taint.namespace`. See `--namespace`.",
		},
		{
			ID: remoteWithoutAddress, Severity: Error, Summary: "The control plane runs elsewhere, but nothing says where.",
			Help: "Set `global.remotePilotAddress`, or `istiodRemote.injectionURL`. Not asked of a profile by itself.",
		},
		{
			ID: externalAndRemote, Severity: Warning, Summary: "istiod serves other clusters, and there is no istiod here.",
			Help: "`global.externalIstiod` is for the cluster with the control plane, `istiodRemote.enabled` for the others.",
		},
		{
			ID: withoutEffect, Severity: Warning, Summary: "The setting has no effect without another one.",
			Help: "Not asked of a profile by itself.",
		},
	}
}

// severities are those of the rules.
func severities() map[string]Severity {
	out := map[string]Severity{}
	for _, r := range Rules() {
		out[r.ID] = r.Severity
	}
	return out
}
