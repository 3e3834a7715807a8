package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// exitStatuses is the help topic of that name.
const exitStatuses = `
Exit statuses:

  0      success
  1      failure; two lines on stderr say what went wrong and what to do. Also:
         search found nothing, verify found a difference
  2      the command line is wrong
  3      wait, send: the agent asks a question
  4      verify: the agent's own log of the session was not found
  124    wait, prompt: timed out
  126    run: the command cannot be executed
  127    run: the command was not found
  128+n  run: signal n ended the command; otherwise run exits with its status

If the reader of its output goes away, ptyrec ends silently (SIGPIPE, 141 in a
shell). Ctrl+C ends it too (SIGINT, 130). Neither leaves a half-written file.
`

// NewExitStatusTopic returns the help topic on the exit statuses.
func NewExitStatusTopic() *cobra.Command {
	return &cobra.Command{Use: "exit-status", Short: "What the exit statuses mean", Long: strings.TrimSpace(exitStatuses)}
}

// sessionNames is the help topic about the ways to name a session.
const sessionNames = `
In help texts, S stands for a session:

  last         the newest session; the default of most commands
  4f1a         an id, or the beginning or end of one that no other id has
  S#12         the session S from entry 12 on; show and search print the numbers
  S#4..S#12    entries 4 to 12 of S; also S#4..12; #4 alone means last#4
  talk.cast    a recording (asciicast, typescript or ttyrec), for commands that
               read; also talk.cast#4; - is stdin

A name with a dot or a slash is a file. If a session and a file have the same name, the
command fails: write ./NAME for the file, --session NAME for the session. --session S is
the same as the argument S.

With S#N, no format contains anything of the other entries. export and screen redraw the
recording: text of other entries, and text that was on the screen before, is left blank.
Input, the arguments of the command line, and titles that you did not set with ptyrec
rename are left out.`

// NewSessionsTopic returns the help topic on the names of sessions and entries.
func NewSessionsTopic() *cobra.Command {
	return &cobra.Command{Use: "sessions", Short: "How sessions and entries are named",
		Long: strings.TrimSpace(sessionNames)}
}
