//go:build !linux && !darwin

package proc

import "os"

var otherCrashes []os.Signal
