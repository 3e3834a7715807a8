package config

import (
	"fmt"
	"time"

	"github.com/ptyrec/ptyrec/recorder/notify"
)

// Notify configures how the user is notified that an agent waits.
type Notify struct {
	After         string `toml:"after"`
	Bell          bool   `toml:"bell"`
	OSC           string `toml:"osc"`
	Desktop       bool   `toml:"desktop"`
	Command       string `toml:"command"`
	Webhook       string `toml:"webhook"`
	Secret        string `toml:"secret"`
	Text          bool   `toml:"text"`
	Quiet         string `toml:"quiet"`
	OnlyUnwatched bool   `toml:"only_unwatched"`
}

// defaultNotify sends no notifications.
var defaultNotify = Notify{After: "20s", OSC: notify.OSCOff}

// Options converts the settings to those of package notify. The error names the setting.
func (n Notify) Options() (notify.Options, error) {
	after, err := time.ParseDuration(n.After)
	if err != nil {
		return notify.Options{}, fmt.Errorf("notify.after: %q is not a time such as 20s", n.After)
	}
	quiet, err := notify.ParseQuiet(n.Quiet)
	if err != nil {
		return notify.Options{}, fmt.Errorf("notify.quiet: %w", err)
	}
	o := notify.Options{
		After: after, Bell: n.Bell, OSC: n.OSC, Desktop: n.Desktop, Command: n.Command, Webhook: n.Webhook, Secret: n.Secret,
		Text: n.Text, Quiet: quiet, OnlyUnwatched: n.OnlyUnwatched,
	}
	if option, err := o.Check(); err != nil {
		return o, fmt.Errorf("notify.%s: %w", option, err)
	}
	return o, nil
}

// Flagged is like Options with the flag --notify, or nil if it was not given. On adds the bell and
// the notifications of the terminal and the desktop; off turns everything off.
func (n Notify) Flagged(on *bool) (notify.Options, error) {
	switch {
	case on == nil:
	case !*on:
		return notify.Options{}, nil
	default:
		n.Bell, n.Desktop = true, true
		if n.OSC == notify.OSCOff {
			n.OSC = notify.OSCAuto
		}
	}
	return n.Options()
}

// masked returns the settings in a form that may be shown: without the secret, and without the
// webhook, whose address often is one.
func (n Notify) masked() Notify {
	for _, secret := range []*string{&n.Secret, &n.Webhook} {
		if *secret != "" {
			*secret = "…"
		}
	}
	return n
}
