package deadly

import (
	"os"
	"syscall"
)

var others = []os.Signal{syscall.SIGEMT}
