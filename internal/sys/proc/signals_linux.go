package proc

import (
	"os"
	"syscall"
)

var otherCrashes = []os.Signal{syscall.SIGSTKFLT}
