package store

import (
	"time"
)

// SandboxInfo sums up the commands that programs asked for under one name.
type SandboxInfo struct {
	Name     string
	Commands int
	Running  int       // those that are being recorded
	Last     time.Time // when the newest one started
}
