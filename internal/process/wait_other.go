//go:build unix && !linux

package process

import "time"

// awaitChild waits briefly, because x/sys has no waitid for this system.
func awaitChild() bool {
	time.Sleep(waitStep)
	return true
}

const waitStep = 2 * time.Millisecond
