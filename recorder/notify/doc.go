// Package notify notifies the user when an agent waits: through the terminal, the desktop, a
// command or a webhook.
//
// A Notifier learns from a recording what the agent does, and when someone types. It never waits
// for a notification, and delays the end of a session for a limited time only. Texts of the
// conversation must be passed without secrets, and leave the terminal only if Options.Text is set.
package notify
