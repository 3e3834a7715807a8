//go:build !linux && !darwin

package deadly

import "os"

var others []os.Signal
