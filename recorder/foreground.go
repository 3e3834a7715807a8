package recorder

// Foreground says which processes have the session's terminal.
type Foreground struct {
	Own   bool // the command itself has it, and no job of a shell
	Shell bool // a shell with job control has it
	Keys  bool // it reads single keys: a line editor, a full screen
	Reads bool // a process of it waits in a read of a terminal
}

// Foreground returns what has the terminal; ok is false if that is not known.
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
