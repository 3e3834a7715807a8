package recorder

import (
	"bytes"

	"github.com/ptyrec/ptyrec/recorder/echo"
)

// keyLog decides which of the keys given to the child may be recorded: those that were shown.
type keyLog struct {
	child *child
	tee   *tee
}

// typing is called before keys are written to the child, and the function it returns afterwards.
// kept is called once with a copy of the keys that were shown, perhaps later and from another
// goroutine.
func (l keyLog) typing(keys []byte, kept func(keys []byte)) (typed func()) {
	at, seq := l.tee.place()
	t := &echo.Keys{Data: bytes.Clone(keys), At: at, Seq: seq, Kept: kept}
	switch l.child.echoMode() {
	case echoKernel:
		return func() {
			t.Sure = l.child.echoMode() == echoKernel
			l.await(t)
		}
	case echoCommand:
		l.await(t)
		return func() {}
	}
	return func() { kept(nil) }
}

// await makes the indexer look for the keys on the screen. Without an indexer, keys that the
// kernel does not echo are not recorded.
func (l keyLog) await(t *echo.Keys) {
	t.Group, _ = l.child.foreground() // 0 if it fails: not an agent's
	f := l.tee.indexer
	switch {
	case t.Sure && (f == nil || !f.echo.Waiting()):
		t.Kept(t.Data)
	case f == nil || !f.echo.Add(t):
		t.Kept(nil)
	}
}
