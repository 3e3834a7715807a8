//go:build darwin || freebsd || netbsd || openbsd

package recorder

import (
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

// look is how often a child's state is looked at where its signal came too early to be seen.
const look = 200 * time.Millisecond

// awaitChange returns when some child has ended or stopped, or after a while: there is no waitid
// here that leaves the state to be taken.
func awaitChange(int) {
	changed := make(chan os.Signal, 1)
	signal.Notify(changed, unix.SIGCHLD)
	defer signal.Stop(changed)
	select {
	case <-changed:
	case <-time.After(look):
	}
}
