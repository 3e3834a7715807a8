package notify

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Options say when and how to notify the user. Without Bell, OSC, Desktop, Command and Webhook
// there are no notifications.
type Options struct {
	After         time.Duration // shortest turn whose end is reported
	Bell          bool          // ring the bell of the session's terminal
	OSC           string        // notification of the session's terminal: OSCAuto, OSC9, OSC777 or OSCOff
	Desktop       bool
	Command       string // command for sh -c
	Webhook       string // URL
	Secret        string // secret that signs the webhook's requests; empty means no signature
	Text          bool   // include what the agent said
	Quiet         Quiet
	OnlyUnwatched bool // no notifications while someone is attached
}

// The values of Options.OSC. An empty one is OSCOff.
const (
	OSCAuto = "auto" // 777 for terminals known to support only that, otherwise 9
	OSC9    = "9"
	OSC777  = "777"
	OSCOff  = "off"
)

// Any reports whether any notification is on.
func (o Options) Any() bool {
	return o.Bell || o.OSC != "" && o.OSC != OSCOff || o.Desktop || o.Command != "" || o.Webhook != ""
}

// Check returns what is wrong with the options, and the name of the option.
func (o Options) Check() (option string, err error) {
	if !slices.Contains([]string{"", OSCAuto, OSC9, OSC777, OSCOff}, o.OSC) {
		return "osc", fmt.Errorf("unknown value %q: write auto, 9, 777 or off", o.OSC)
	}
	if o.After < 0 {
		return "after", errors.New("it must be a time of at least 0, such as 20s")
	}
	if o.Webhook == "" {
		return "", nil
	}
	u, err := url.Parse(o.Webhook)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "webhook", errors.New("it must be a URL with http:// or https://") // without the URL: it may hold a secret
	}
	return "", nil
}

// Quiet is a time of day without notifications, from From to To, in minutes since midnight. If To
// is less than From, it includes midnight; if they are equal, there is no such time.
type Quiet struct{ From, To int }

// ParseQuiet parses a time of day such as "22:00-07:00".
func ParseQuiet(text string) (Quiet, error) {
	if text == "" {
		return Quiet{}, nil
	}
	from, to, ok := strings.Cut(text, "-")
	a, errFrom := time.Parse("15:04", strings.TrimSpace(from))
	b, errTo := time.Parse("15:04", strings.TrimSpace(to))
	if !ok || errFrom != nil || errTo != nil {
		return Quiet{}, fmt.Errorf("%q is not a time of day such as 22:00-07:00", text)
	}
	return Quiet{a.Hour()*60 + a.Minute(), b.Hour()*60 + b.Minute()}, nil
}

// At reports whether t is in the quiet time, in t's time zone.
func (q Quiet) At(t time.Time) bool {
	now := t.Hour()*60 + t.Minute()
	if q.From <= q.To {
		return q.From <= now && now < q.To
	}
	return now >= q.From || now < q.To
}
