package recorder

import (
	"bytes"

	"github.com/ptyrec/ptyrec/recorder/echo"
)

// typing is called before keys are written to the child, and the function it returns afterwards.
// kept is called once with a copy of the keys that may be recorded, those that were shown, perhaps
// later and from another goroutine.
func (t *tee) typing(c *child, keys []byte, kept func(keys []byte)) (typed func()) {
	at, seq := t.place()
	k := &echo.Keys{Data: bytes.Clone(keys), At: at, Seq: seq, Kept: kept}
	switch c.echoMode() {
	case echoKernel:
		return func() {
			k.Sure = c.echoMode() == echoKernel
			t.await(c, k)
		}
	case echoCommand:
		t.await(c, k)
		return func() {}
	}
	return func() { kept(nil) }
}

// await makes the indexer look for the keys on the screen. Without an indexer, keys that the
// kernel does not echo are not recorded.
func (t *tee) await(c *child, k *echo.Keys) {
	k.Group, _ = c.foreground() // 0 if it fails: not an agent's
	f := t.indexer
	switch {
	case k.Sure && (f == nil || !f.echo.Waiting()):
		k.Kept(k.Data)
	case f == nil || !f.echo.Add(k):
		k.Kept(nil)
	}
}
