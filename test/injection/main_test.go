package injection

import (
	"flag"
	"os"
	"testing"

	"istio.io/istio/pilot/pkg/config/kube/gatewaycommon"
	"istio.io/istio/pilot/pkg/features"
	"istio.io/istio/pkg/log"
)

var update = flag.Bool("update", false, "write the golden files anew")

const updateCommand = "test/injection/run -update"

func TestMain(m *testing.M) {
	flag.Parse()
	// Istio reads most switches from the environment when the program starts. Here all classes of Gateways are on, whatever the
	// setting: a template that the chart ships has to work.
	features.EnableAmbientWaypoints = true
	features.EnableAmbientMultiNetwork = true
	features.EnableAgentgateway = true
	gatewaycommon.ClassInfos = gatewaycommon.GetClassInfos()
	gatewaycommon.BuiltinGatewayClasses = gatewaycommon.GetBuiltinGatewayClasses()
	gatewaycommon.AgentgatewayClasses = gatewaycommon.GetAgentGatewayClasses()
	gatewaycommon.AllClasses = gatewaycommon.GetAllClasses()
	for name, scope := range log.Scopes() {
		scope.SetOutputLevel(log.NoneLevel)
		if name == "gatewaycommon" {
			// The controller tells of a template that fails nowhere else.
			scope.SetOutputLevel(log.ErrorLevel)
		}
	}
	os.Exit(m.Run())
}
