package cluster_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stratamesh/strata/test/cluster/api"
)

// release is one of the five, as the documentation installs them.
type release struct {
	name, chart, namespace string
}

// releases are in the order in which they are installed.
func releases(openshift bool) []release {
	ztunnel := "istio-system"
	if openshift {
		ztunnel = "kube-system"
	}
	return []release{
		{"istio-base", "base", "istio-system"},
		{"istio-cni", "istio-cni", "kube-system"},
		{"istiod", "istiod", "istio-system"},
		{"ztunnel", "ztunnel", ztunnel},
		{"istio-ingressgateway", "gateway", "istio-ingress"},
	}
}

// layers select what is installed. A remote mesh has its address besides.
type layers struct {
	profile, platform, compatibility string
}

func (l layers) String() string {
	parts := []string{l.profile}
	if l.profile == "" {
		parts[0] = "defaults"
	}
	for _, p := range []string{l.platform, l.compatibility} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, ",")
}

func (l layers) openshift() bool { return strings.Contains(l.profile+l.platform, "openshift") }

// arguments are those of a command of Helm.
func (l layers) arguments(w *world) []string {
	var a []string
	for _, s := range [][2]string{{"profile", l.profile}, {"platform", l.platform}} {
		if s[1] != "" {
			a = append(a, "--set", s[0]+"="+s[1])
		}
	}
	if l.compatibility != "" {
		a = append(a, "--set-string", "compatibilityVersion="+l.compatibility)
	}
	if strings.Contains(l.profile, "remote") {
		a = append(a, "--set", "istiodRemote.injectionURL=https://"+w.play.Remote()+"/inject", "--set", "base.validationURL=https://"+w.play.Remote()+"/validate")
	}
	return a
}

// cells are the pairs of profile and platform that make sense, each with what it is upgraded to.
//
// The CRDs are the same under all layers, and take the API server and Helm longer than all else. So only some cells have them in the
// release of base.
var cells = []struct {
	from, to layers
	crds     bool
	// long ones differ from others in a few fields, and are left out with -short.
	long bool
}{
	{from: layers{}, to: layers{profile: "ambient"}, crds: true},
	{from: layers{profile: "ambient"}, to: layers{profile: "default"}},
	{from: layers{profile: "demo"}, to: layers{profile: "ambient"}},
	{from: layers{profile: "gitops"}, to: layers{profile: "ambient+gitops"}},
	{from: layers{profile: "preview"}, to: layers{profile: "stable"}},
	{from: layers{profile: "stable"}, to: layers{profile: "demo"}},
	{from: layers{profile: "remote"}, to: layers{profile: "remote+gitops"}},
	{from: layers{profile: "openshift"}, to: layers{profile: "openshift-ambient"}},
	{from: layers{profile: "openshift-ambient"}, to: layers{profile: "openshift"}},
	{from: layers{platform: "openshift"}, to: layers{profile: "ambient+gitops", platform: "openshift"}, long: true},
	{from: layers{profile: "ambient", platform: "gke"}, to: layers{platform: "gke"}, long: true},
	{from: layers{platform: "k3d"}, to: layers{profile: "ambient", platform: "k3d"}, long: true},
	{from: layers{profile: "ambient", platform: "k3s"}, to: layers{platform: "k3s"}, long: true},
	{from: layers{platform: "microk8s"}, to: layers{profile: "ambient", platform: "microk8s"}, long: true},
	{from: layers{profile: "ambient", platform: "minikube"}, to: layers{platform: "minikube"}, long: true},
	{from: layers{compatibility: "1.25"}, to: layers{compatibility: "1.30"}, long: true},
	{from: layers{profile: "ambient", compatibility: "1.27"}, to: layers{profile: "ambient"}, long: true},
}

// Every profile and platform goes through the life of a release, with Helm 3 and Helm 4. With -short only the defaults do so in full.
func TestInstall(t *testing.T) {
	t.Parallel()
	for n, c := range cells {
		majors := []int{3, 4}
		short := testing.Short() && n > 0
		switch {
		case short && c.long:
			continue
		case short:
			majors = inTurn(n)
		}
		for _, major := range majors {
			t.Run(fmt.Sprintf("%s/helm%d", c.from, major), func(t *testing.T) {
				t.Parallel()
				// With Helm 3, the short run has the CRDs in TestFromUpstream.
				crds := c.crds && (major == 4 || !testing.Short())
				m := newMesh(t, major, fmt.Sprintf("%s helm%d", c.from, major), c.from.openshift(), crds)
				m.life(t, c.from, c.to, short)
			})
		}
	}
}

// inTurn is one Helm, the other one for the next case.
func inTurn(n int) []int { return []int{3 + n%2} }

// mesh is the five releases in a world.
type mesh struct {
	*world
	major    int
	row      string
	releases []release
	// flags go to every installation and upgrade.
	flags []string
}

// newMesh is for one version of Helm and one row of the table: in a cluster of its own with the CRDs of Istio, or in a borrowed
// one without them. That one has to be left as it was.
func newMesh(t *testing.T, major int, row string, openshift, crds bool) *mesh {
	t.Helper()
	m := &mesh{nil, major, row, releases(openshift), nil}
	if crds {
		m.world = start(t)
	} else {
		m.world = pool.borrow(t)
		m.flags = []string{"--set", "base.enableIstioConfigCRDs=false"}
	}
	return m
}

// phase records the time of a part of a test.
func (m *mesh) phase(t *testing.T, name string, part func(*testing.T)) {
	t.Helper()
	begin := time.Now()
	before := t.Failed()
	defer func() { table.Record(m.row, name, before || !t.Failed(), time.Since(begin)) }()
	part(t)
}

// do installs or upgrades each release and returns all objects that are in them then.
func (m *mesh) do(t *testing.T, verb string, l layers, more ...string) []api.Ref {
	t.Helper()
	arguments := slices.Concat(m.flags, l.arguments(m.world), more)
	if verb == "upgrade" {
		// Without it, and without values, Helm takes those of the release.
		arguments = append(arguments, "--reset-values")
	}
	var all []api.Ref
	for _, r := range m.releases {
		result := m.helm(t, m.major, append([]string{verb, r.name, chartPath(t, r.chart), "-n", r.namespace, "--wait", "--timeout", "90s", "-o", "json"}, arguments...)...)
		objects := manifest(t, result)
		m.acceptStrictly(t, objects)
		m.podsReady(t, refs(objects))
		all = append(all, refs(objects)...)
	}
	return all
}

// checked says that Helm need not read the API server's schemas, which takes it as long as all else. acceptStrictly knows more, and
// some installations do it.
const checked = "--disable-openapi-validation"

// life installs the five charts, upgrades them to other layers and back, upgrades them to the same, rolls back, and uninstalls. A
// short one leaves out the way back.
func (m *mesh) life(t *testing.T, from, to layers, short bool) {
	if from.openshift() {
		m.openshift(t)
	}
	before, err := m.inventory(t.Context())
	require.NoError(t, err)

	var names []api.Ref
	var installed, there map[api.Ref]*api.Object
	m.phase(t, "install", func(t *testing.T) {
		var flags []string
		if short {
			flags = []string{checked}
		}
		names = m.do(t, "install", from, flags...)
		installed = m.settled(t, names)
	})
	m.phase(t, "upgrade", func(t *testing.T) {
		names = m.do(t, "upgrade", to, checked)
		there = m.settled(t, names)
		sameObjects(t, installed, there)
	})
	last := to
	if !short {
		last = from
		m.phase(t, "back", func(t *testing.T) {
			names = m.do(t, "upgrade", from, checked)
			got := m.settled(t, names)
			sameMeaning(t, installed, got)
			sameObjects(t, there, got)
		})
	}
	m.phase(t, "no change", func(t *testing.T) {
		same := m.settled(t, names)
		m.do(t, "upgrade", last, checked)
		untouched(t, same, m.settled(t, names))
	})
	if !short {
		m.phase(t, "rollback", func(t *testing.T) {
			for _, r := range slices.Backward(m.releases) {
				m.helm(t, m.major, "rollback", r.name, "2", "-n", r.namespace, "--wait", "--timeout", "90s")
			}
			got := m.settled(t, keys(there))
			sameMeaning(t, there, got)
			m.podsReady(t, keys(got))
		})
	}
	m.phase(t, "uninstall", func(t *testing.T) {
		for _, r := range slices.Backward(m.releases) {
			m.helm(t, m.major, "uninstall", r.name, "-n", r.namespace, "--wait", "--timeout", "90s")
		}
		m.onlyCRDsLeft(t, before)
	})
}

// onlyCRDsLeft fails where the cluster holds anything but what it held before and the CRDs of Istio. Those stay: with them every
// route and policy in the cluster would go. An APIService belongs to each of their groups and versions.
func (w *world) onlyCRDsLeft(t *testing.T, before map[api.Ref]bool) {
	t.Helper()
	for _, r := range w.left(t, before, func(r api.Ref) bool { return r.Kind == "CustomResourceDefinition" || r.Kind == "APIService" }) {
		assert.Contains(t, r.Name, ".istio.io", "%s stays", r)
	}
}

// openshift gives a cluster what the charts expect of OpenShift: the kind of Multus' configurations.
func (w *world) openshift(t *testing.T) {
	t.Helper()
	objects, err := api.Parse(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: network-attachment-definitions.k8s.cni.cncf.io
spec:
  group: k8s.cni.cncf.io
  scope: Namespaced
  names: {kind: NetworkAttachmentDefinition, plural: network-attachment-definitions, singular: network-attachment-definition}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: {type: object, properties: {config: {type: string}}}
`)
	require.NoError(t, err)
	_, err = w.client.Apply(t.Context(), api.ApplyOptions{}, objects...)
	require.NoError(t, err)
	// Served a moment later.
	require.NoError(t, w.client.Wait(t.Context(), api.Ref{APIVersion: "apiregistration.k8s.io/v1", Kind: "APIService", Name: "v1.k8s.cni.cncf.io"}, func(o *api.Object) error {
		if o == nil {
			return fmt.Errorf("not yet")
		}
		_, err := w.client.List(t.Context(), api.Ref{APIVersion: "k8s.cni.cncf.io/v1", Kind: "NetworkAttachmentDefinition"}, "")
		return err
	}))
}
