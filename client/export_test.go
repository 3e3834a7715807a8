package client

import "time"

// Hurry makes c's streams connect again at once.
func Hurry(c *Client) { c.delay = func(int) time.Duration { return 0 } }

// Backoff is the time before the nth try in a row.
var Backoff = backoff

// Delays has d called in place of waiting between tries.
func Delays(p *Commands, d func(time.Duration)) {
	p.delay = func(try int) time.Duration { d(backoff(try)); return 0 }
}

// HurryProcesses makes p connect again at once.
func HurryProcesses(p *Processes) { p.delay = func(int) time.Duration { return 0 } }

// PatientBackoff is the time before the nth try in a row to reach a management server.
var PatientBackoff = patientBackoff
