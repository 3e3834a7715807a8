package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/ptyrec/ptyrec/internal/cli"
)

// newManCmd returns a command for packagers, which no list shows.
func newManCmd(a *app) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "man [COMMAND] [-o DIR]",
		Short: "Write the manual pages",
		Long:  "Man writes the manual page of ptyrec, or of one of its commands, or with -o all of them into a folder.",
		Example: `  ptyrec man | man -l -
  ptyrec man search | man -l -
  ptyrec man -o share/man/man1`,
		Args:   operands(0, 1),
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			root.DisableAutoGenTag = true
			if dir == "" {
				page, rest, err := root.Find(args)
				if err == nil {
					err = subcommand(page, rest)
				}
				if err != nil {
					return usageError(err)
				}
				return cli.WriteBuffered(a.stdout, func(w io.Writer) error { return doc.GenMan(manual(page), manHeader(), w) })
			}
			if len(args) > 0 {
				return usageError(errors.New("-o writes all pages"))
			}
			if err := os.MkdirAll(dir, 0o777); err != nil {
				return err
			}
			return manPages(a, root, dir)
		},
	}
	cmd.Flags().StringVarP(&dir, "output", "o", "", "write all pages into `DIR`")
	return cmd
}

func manHeader() *doc.GenManHeader {
	return &doc.GenManHeader{Title: "PTYREC", Section: "1", Source: "ptyrec " + versionString(), Manual: "ptyrec", Date: buildDate()}
}

// manual adds what each page says, to the page of the whole program.
func manual(cmd *cobra.Command) *cobra.Command {
	if cmd.HasParent() {
		return cmd
	}
	cmd.Long = cmd.Short + ".\n\n" + strings.TrimSpace(sessionNames) + "\n\n" + strings.TrimSpace(exitStatuses)
	return cmd
}

func manPages(a *app, cmd *cobra.Command, dir string) error {
	if !cmd.IsAvailableCommand() && cmd.HasParent() || cmd.IsAdditionalHelpTopicCommand() {
		return nil
	}
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
	err := a.writeFile(filepath.Join(dir, name), func(w io.Writer) error { return doc.GenMan(manual(cmd), manHeader(), w) })
	if err == nil {
		err = os.Chmod(filepath.Join(dir, name), 0o644) // nothing in it is private
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for _, c := range cmd.Commands() {
		if err := manPages(a, c, dir); err != nil {
			return err
		}
	}
	return nil
}

// buildDate is the date of the commit, else a fixed one: the same source makes the same pages.
func buildDate() *time.Time {
	at, err := time.Parse(time.RFC3339, committed())
	if err != nil {
		at = time.Unix(0, 0)
	}
	at = at.UTC()
	return &at
}

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

A pipe whose reader goes away ends ptyrec without a word (SIGPIPE, 141 in a shell); so does Ctrl+C (SIGINT, 130), and leaves no half-written
file behind.
`

func newExitStatusTopic() *cobra.Command {
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

func newSessionsTopic() *cobra.Command {
	return &cobra.Command{Use: "sessions", Short: "How sessions and entries are named", Long: strings.TrimSpace(sessionNames)}
}
