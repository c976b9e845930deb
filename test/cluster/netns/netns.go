// Package netns lets tests bind ports below 1024 without being root: in a network namespace of their own.
package netns

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/stratamesh/strata/test/cluster/process"
)

// inside marks the program that runs in the namespace.
const inside = "STRATA_CLUSTER_NETNS"

// Main runs the tests of a package, and returns the exit code. Where this program may not bind port 443 it starts itself again,
// in new user and network namespaces, in which there is nothing but loopback. To be called by TestMain:
//
//	func TestMain(m *testing.M) { os.Exit(netns.Main(m.Run)) }
func Main(run func() int) int {
	switch {
	case os.Getenv(inside) != "":
		if err := loopback(); err != nil {
			fmt.Fprintf(os.Stderr, "loopback of the network namespace: %v\n", err)
			return 1
		}
		return run()
	case privileged():
		return run()
	}
	code, err := again()
	if err != nil {
		fmt.Fprintf(os.Stderr, "istiod's webhooks are on port 443, which takes root or a user namespace (see `unshare -rn true`): %v\n", err)
		return 1
	}
	return code
}

// privileged is whether port 443 of a loopback address can be bound: not by everybody, and not where a server has it on all.
func privileged() bool {
	listener, err := net.Listen("tcp", "127.64.0.1:443")
	return err == nil && listener.Close() == nil
}

// again runs this program with its arguments in new namespaces, in which it is root.
func again() (int, error) {
	path, err := os.Executable()
	if err != nil {
		return 0, err
	}
	command := exec.Command(path, os.Args[1:]...)
	command.Env = append(os.Environ(), inside+"=1")
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	command.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		// The kernel's signal comes when the thread ends that forked.
		Pdeathsig: syscall.SIGKILL,
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := command.Run(); err != nil {
		if code := process.Code(err); code >= 0 {
			return code, nil
		}
		return 0, err
	}
	return 0, nil
}

// loopback turns on the interface lo, which is off in a new namespace.
func loopback() (err error) {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unix.Close(socket)) }()
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, lo)
}
