package management

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/google/uuid"
)

// job is a command of send_command, which has no terminal. The protocol has no message for its end.
type job struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser

	mu  sync.Mutex // guards seq
	seq int64
}

// sendCommand runs a command without a terminal, and sends its output.
func (c *conn) sendCommand(r *request) error {
	const failed = "Failed to send command: "
	if tail := c.unknown(r); tail != "" {
		return c.fail(failed + tail)
	}
	j := &job{cmd: exec.Command(*r.Command, r.Args...)}
	j.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := j.cmd.StdinPipe()
	stdout, outErr := j.cmd.StdoutPipe()
	stderr, errErr := j.cmd.StderrPipe()
	if err = errors.Join(err, outErr, errErr); err == nil {
		err = j.cmd.Start()
	}
	if err != nil {
		return c.fail(failed + err.Error())
	}
	j.stdin = stdin
	id := uuid.NewString()
	c.mu.Lock()
	c.jobs[id] = j
	c.mu.Unlock()
	if err := c.send(commandStartedMessage{"command_started", c.p.AgentID, id, *r.Command}); err != nil {
		return err
	}
	c.p.running.Go(func() {
		var copying sync.WaitGroup
		copying.Go(func() { c.copy(j, id, "stdout", stdout) })
		copying.Go(func() { c.copy(j, id, "stderr", stderr) })
		copying.Wait()
		_ = j.cmd.Wait() // the protocol has no message for its status
		c.mu.Lock()
		delete(c.jobs, id)
		c.mu.Unlock()
	})
	return nil
}

// copy sends what a job writes to one stream.
func (c *conn) copy(j *job, id, stream string, from io.Reader) {
	buf, rest := make([]byte, 16<<10), []byte(nil)
	for {
		n, err := from.Read(buf)
		text := slices.Concat(rest, buf[:n])
		whole := len(text)
		if err == nil {
			whole = wholeCharacters(text)
		}
		rest = text[whole:]
		if whole > 0 {
			j.mu.Lock()
			j.seq++
			// Can always be encoded.
			b, _ := json.Marshal(outputMessage{"output", c.p.AgentID, id, stream, string(text[:whole]), time.Now().UnixMilli(),
				j.seq})
			// A client that leaves ends the job.
			_ = c.write(b)
			j.mu.Unlock()
		}
		if err != nil {
			return
		}
	}
}

// end kills the job and its descendants in its process group.
func (j *job) end() { _ = syscall.Kill(-j.cmd.Process.Pid, syscall.SIGKILL) }
