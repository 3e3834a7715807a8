package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// exitStatuses is the help topic of that name.
const exitStatuses = `
Exit statuses:

  0      it worked
  1      it did not; two lines on stderr say why, and what to do next. Also:
         search found nothing, verify found a difference
  2      the command line is wrong
  3      wait, send: the agent asks something
  4      verify: the agent's own log of the session is not found
  124    wait: the time is over
  126    run: the command cannot be executed
  127    run: there is no such command
  128+n  run: the command was ended by signal n; else its own status

If the reader of its output goes away, ptyrec ends silently (SIGPIPE, 141 in a
shell). Ctrl+C ends it too (SIGINT, 130). Neither leaves a half-written file.
`

// NewExitStatusTopic returns the help topic on the exit statuses.
func NewExitStatusTopic() *cobra.Command {
	return &cobra.Command{Use: "exit-status", Short: "What the exit statuses mean", Long: strings.TrimSpace(exitStatuses)}
}

// sessionNames is the help topic about the ways to name a session.
const sessionNames = `
Every command that takes a session S takes it as its argument:

  last         the newest session; most commands take it if none is named
  019a9ec0     an id, or the beginning of one that no other session shares
  S#12         the session S from entry 12 on; show and search give the numbers
  S#4..S#12    … from entry 4 to entry 12, as S#4..12; #4 alone is last#4
  talk.cast    a recording's file, for the commands that read: asciicast,
               typescript, ttyrec; - is stdin; talk.cast#4 works as well

A name with a dot or a slash is a file's. Where a session and a file have the same name
neither is taken: write ./NAME for the file, --session NAME for the session. --session S
is the same as the argument S everywhere.

With S#N, nothing of the other entries is written, in any format. export and screen then
redraw the recording: text that belongs to other entries, or was on the screen before,
is left blank, and what was typed is left out. So is the command line behind the program's name,
and the title, unless you gave it with ptyrec rename.`

// NewSessionsTopic returns the help topic on the names of sessions and entries.
func NewSessionsTopic() *cobra.Command {
	return &cobra.Command{Use: "sessions", Short: "How sessions and entries are named",
		Long: strings.TrimSpace(sessionNames)}
}
