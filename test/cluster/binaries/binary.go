package binaries

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Binary is a program made from a Go module.
type Binary struct {
	// Name is that of the executable.
	Name string
	// Module is the folder of the go.mod that pins it, relative to test/cluster.
	Module string
	// Package is the import path of its main package.
	Package string
	// Linker holds more flags for the linker. VERSION, MAJOR and MINOR in them stand for the version of VersionOf in the go.mod.
	Linker string
	// VersionOf is the module whose version Linker needs.
	VersionOf string
}

// Without these, servers say that they are v0.0.0, and Helm renders for that version.
const kubernetesVersion = "-X k8s.io/component-base/version.gitVersion=VERSION" +
	" -X k8s.io/component-base/version.gitMajor=MAJOR -X k8s.io/component-base/version.gitMinor=MINOR"

// All lists the programs in the order in which they are built: the small ones first.
func All() []Binary {
	kubernetes := func(name string) Binary {
		return Binary{name, "tools/kubernetes", "k8s.io/kubernetes/cmd/" + name, kubernetesVersion, "k8s.io/kubernetes"}
	}
	return []Binary{
		{Name: "etcd", Module: "tools/etcd", Package: "go.etcd.io/etcd/server/v3"},
		{Name: "kwok", Module: "tools/kwok", Package: "sigs.k8s.io/kwok/cmd/kwok"},
		{Name: "helm3", Module: "../../tools/helm3", Package: "helm.sh/helm/v3/cmd/helm"},
		{Name: "helm4", Module: "../../tools/helm4", Package: "helm.sh/helm/v4/cmd/helm"},
		kubernetes("kube-apiserver"),
		kubernetes("kube-controller-manager"),
		kubernetes("kube-scheduler"),
		{Name: "istiod", Module: "tools/istiod", Package: "istio.io/istio/pilot/cmd/pilot-discovery"},
	}
}

// Names lists the names of all programs, in the order of All.
func Names() []string {
	all := All()
	names := make([]string, len(all))
	for i, b := range all {
		names[i] = b.Name
	}
	return names
}

// named returns the programs with these names, in the order of All; all of them where there is no name.
func named(names []string) ([]Binary, error) {
	for _, n := range names {
		if !slices.Contains(Names(), n) {
			return nil, fmt.Errorf("no program %q: there are %s", n, strings.Join(Names(), ", "))
		}
	}
	var found []Binary
	for _, b := range All() {
		if len(names) == 0 || slices.Contains(names, b.Name) {
			found = append(found, b)
		}
	}
	return found, nil
}

// linker returns the flags of the linker, for the versions that goMod requires.
func (b Binary) linker(goMod string) (string, error) {
	flags := strings.TrimSpace("-s -w " + b.Linker)
	if b.VersionOf == "" {
		return flags, nil
	}
	for line := range strings.Lines(goMod) {
		fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(fields) < 2 || fields[0] != b.VersionOf || !strings.HasPrefix(fields[1], "v") {
			continue
		}
		parts := strings.Split(strings.TrimPrefix(fields[1], "v"), ".")
		if len(parts) != 3 {
			break
		}
		return strings.NewReplacer("VERSION", fields[1], "MAJOR", parts[0], "MINOR", parts[1]).Replace(flags), nil
	}
	return "", fmt.Errorf("%s/go.mod requires no version vX.Y.Z of %s", b.Module, b.VersionOf)
}

// hash covers all that the program is made of: its go.mod and go.sum, its flags, and the compiler. toolchain is what describes
// the compiler and its platform.
func (b Binary) hash(root, toolchain string) (hash, linker string, err error) {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%s\n", toolchain, b.Package)
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(root, b.Module, name))
		if err != nil {
			return "", "", fmt.Errorf("%s: %w", b.Name, err)
		}
		fmt.Fprintf(sum, "%s %d\n%s", name, len(data), data)
		if name == "go.mod" {
			if linker, err = b.linker(string(data)); err != nil {
				return "", "", fmt.Errorf("%s: %w", b.Name, err)
			}
		}
	}
	fmt.Fprintf(sum, "%s\n", linker)
	return hex.EncodeToString(sum.Sum(nil))[:16], linker, nil
}
