// Package notify tells the user that an agent waits: by the terminal, the desktop, a command or a
// webhook.
//
// A Notifier learns from a recording what the agent does, and when somebody types. It never waits
// for what it tells, and holds up the end of a session for a bounded time only. Texts of the
// conversation must come without secrets, and leave the terminal only if Options.Text is set.
package notify
