package recorder

import "bytes"

// keyLog finds out which of the keys that the child is given may be recorded: those that were
// shown.
type keyLog struct {
	child *child
	tee   *tee
}

// typing is called before keys are given to the child, and its result when they were. kept is
// called once, sooner or later and perhaps from another goroutine, with a copy of the keys that
// were shown.
func (l keyLog) typing(keys []byte, kept func(keys []byte)) (typed func()) {
	at, seq := l.tee.place()
	t := &typedKeys{data: bytes.Clone(keys), at: at, seq: seq, kept: kept}
	switch l.child.echoMode() {
	case echoKernel:
		return func() {
			t.sure = l.child.echoMode() == echoKernel
			l.await(t)
		}
	case echoCommand:
		l.await(t)
		return func() {}
	}
	return func() { kept(nil) }
}

// await has the follower look for keys on the screen. Without one, what the kernel does not show is
// not recorded.
func (l keyLog) await(t *typedKeys) {
	t.group, _ = l.child.foreground() // 0 where it fails: no agent's
	f := l.tee.follower
	switch {
	case t.sure && (f == nil || !f.echo.waiting()):
		t.kept(t.data)
	case f == nil || !f.echo.add(t):
		t.kept(nil)
	}
}
