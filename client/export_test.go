package client

import "time"

// Hurry makes c's streams connect again at once.
func Hurry(c *Client) { c.delay = func(int) time.Duration { return 0 } }

// Backoff is the time before the nth try in a row.
var Backoff = backoff
