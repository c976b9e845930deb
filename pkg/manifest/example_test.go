package manifest_test

import (
	"fmt"

	"github.com/stratamesh/strata/pkg/manifest"
)

func Example() {
	var p manifest.Parser
	old, err := p.Parse("old.yaml", []byte(`
apiVersion: v1
kind: Service
metadata: {name: dns, labels: {helm.sh/chart: dns-1}}
spec:
  ports:
  - {name: dns, port: 53, protocol: UDP, targetPort: 53}
  - {name: dns-tcp, port: 53}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	changed, err := p.Parse("new.yaml", []byte(`
apiVersion: v1
kind: Service
metadata: {name: dns, labels: {helm.sh/chart: dns-2}}
spec:
  ports:
  - {name: dns-tcp, port: 53, protocol: TCP}
  - {name: dns, port: 53, protocol: UDP, targetPort: 5353}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := manifest.NewSet(old...)
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := manifest.NewSet(changed...)
	if err != nil {
		fmt.Println(err)
		return
	}
	ignore, err := manifest.ParseRules(`*:*:*:metadata.labels["helm.sh/*"]`)
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := manifest.Diff(a, b, manifest.Options{Ignore: ignore})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range report.Changes {
		for _, p := range c.Paths {
			fmt.Println(c.ID, p.Path, p.Change, p.From, p.To)
		}
	}
	// Output: Service:-:dns spec.ports[port=53,protocol=UDP].targetPort modified 53 5353
}
