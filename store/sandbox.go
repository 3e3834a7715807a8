package store

import (
	"time"
)

// SandboxInfo sums up the commands that programs started under one sandbox name.
type SandboxInfo struct {
	Name     string
	Commands int
	Running  int       // those that are being recorded
	Last     time.Time // when the newest one started
}
