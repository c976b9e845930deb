package process

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// spent is the processor time of the programs that ended, by name. It only ever grows.
var spent = struct {
	sync.Mutex
	by map[string]time.Duration
}{by: map[string]time.Duration{}}

func spend(name string, state *os.ProcessState) {
	spent.Lock()
	defer spent.Unlock()
	spent.by[name] += state.UserTime() + state.SystemTime()
}

// Spent returns the processor time of all programs that were started here and have ended, by name.
func Spent() map[string]time.Duration {
	spent.Lock()
	defer spent.Unlock()
	return maps.Clone(spent.by)
}

// Process is a program that was started.
type Process struct {
	// Name is for messages.
	Name string

	command *exec.Cmd
	done    chan struct{}
	err     error
}

// Start starts a command in a process group of its own. The kernel kills it when this program ends, however that happens.
// SysProcAttr of the command is replaced.
func Start(name string, command *exec.Cmd) (*Process, error) {
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	p := &Process{Name: name, command: command, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The kernel's signal comes when the thread ends that forked, so this one belongs to the child while it lives.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := command.Start()
		started <- err
		if err == nil {
			p.err = command.Wait()
			spend(name, command.ProcessState)
			close(p.done)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

// Run starts a command as Start does, and waits for its end. The command's own Cancel and Context count.
func Run(name string, command *exec.Cmd) error {
	p, err := Start(name, command)
	if err != nil {
		return err
	}
	<-p.done
	return p.err
}

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err returns how the process ended, after Done.
func (p *Process) Err() error { return p.err }

// PID returns the number of the process, which is that of its group.
func (p *Process) PID() int { return p.command.Process.Pid }

// Kill ends the process and its group at once, and waits for its end.
func (p *Process) Kill() {
	p.signal(syscall.SIGKILL)
	<-p.done
}

// Stop asks the process to end, kills it when it has not done so within the given time, and waits for its end.
func (p *Process) Stop(patience time.Duration) {
	p.signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(patience):
		p.Kill()
	}
}

func (p *Process) signal(s syscall.Signal) {
	select {
	case <-p.done:
		// Its number may be another's by now.
	default:
		_ = syscall.Kill(-p.PID(), s) // it may end in between: then there is nothing to do
	}
}

// Code returns the exit code of an error of Run: 0 for none, -1 where the program was killed or never ran.
func Code(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	return -1
}
