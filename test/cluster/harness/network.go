package harness

import (
	"errors"
	"fmt"
	"net"
)

// network is a loopback network of a cluster's own, 127.N.0.0/16. The control plane listens on its first addresses, on fixed
// ports: no port has to be found free and then lost to another process. Its upper half is for ClusterIPs, which can be bound
// therefore: a program that plays a pod may listen where its Service is.
type network struct {
	number int
	lock   net.Listener
}

// Below and above lie networks that systems use themselves, such as 127.0.0.0/16.
const firstNetwork, lastNetwork = 64, 254

// reserve takes a network that no other cluster on this machine has. Listening on one port of it is what holds the reservation,
// so it ends with the process.
func reserve() (*network, error) {
	for n := firstNetwork; n <= lastNetwork; n++ {
		lock, err := net.Listen("tcp", fmt.Sprintf("127.%d.0.1:20443", n))
		if err == nil {
			return &network{n, lock}, nil
		}
	}
	return nil, errors.New("no loopback network is free: all of 127.64.0.0/16 to 127.254.0.0/16 are reserved by clusters of other runs")
}

func (n *network) address(port int) string { return fmt.Sprintf("127.%d.0.1:%d", n.number, port) }

func (n *network) ip() string { return n.loopback(1) }

func (n *network) loopback(host int) string { return fmt.Sprintf("127.%d.0.%d", n.number, host) }

func (n *network) services() string { return fmt.Sprintf("127.%d.128.0/17", n.number) }

// apiService is the ClusterIP of the Service kubernetes, the first of the range.
func (n *network) apiService() string { return fmt.Sprintf("127.%d.128.1", n.number) }

func (n *network) release() error { return n.lock.Close() }
