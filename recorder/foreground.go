package recorder

// Foreground describes the processes in the foreground of the session's terminal.
type Foreground struct {
	Own   bool // whether they include the command itself, and are not a job of a shell
	Shell bool // whether their leader is a shell with job control
	Keys  bool // whether they read single keys, as a line editor or a full-screen program does
	Reads bool // whether one of them waits in a read of a terminal
}

// Foreground returns the processes in the foreground. ok is false if they are unknown.
func (c *Controls) Foreground() (f Foreground, ok bool) {
	ch := c.r.child
	pgrp, err := ch.foreground()
	if err != nil || pgrp <= 0 {
		return f, false
	}
	f = Foreground{Own: pgrp == ch.group, Keys: ch.echoMode() == echoCommand}
	f.Shell, f.Reads = inspect(ch.pid, pgrp)
	return f, true
}
