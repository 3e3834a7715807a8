// Package root assembles the commands.
package root

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cmd/export"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/cmd/find"
	"github.com/ptyrec/ptyrec/internal/cmd/manage"
	"github.com/ptyrec/ptyrec/internal/cmd/record"
	"github.com/ptyrec/ptyrec/internal/cmd/serve"
	"github.com/ptyrec/ptyrec/internal/cmd/setup"
	"github.com/ptyrec/ptyrec/internal/cmd/team"
	"github.com/ptyrec/ptyrec/internal/cmd/team/teamsync"
	"github.com/ptyrec/ptyrec/internal/cmd/watch"
)

// New builds the command tree. Each command has a file of its own.
func New(f *factory.Factory) *cobra.Command {
	var version bool
	picking := newPicking(f)
	root := &cobra.Command{
		Use:   "ptyrec",
		Short: "Record terminal sessions, and extract the conversations with coding agents",
		Example: `Record:
  ptyrec run -- claude      record a command
  ptyrec init bash          print shell code that records agents automatically

Read:
  ptyrec list               list sessions; without "list", pick one
  ptyrec show               show the conversation of the last session
  ptyrec search WORDS       search the conversations of all sessions
  ptyrec export talk.html   write a session as a page, Markdown, JSON, SVG, …

Watch:
  ptyrec attach             watch a live session, or type into it
  ptyrec serve --open       show all sessions in a browser`,
		Args: cli.Subcommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				return setup.PrintVersion(f.IO.Out)
			}
			if !f.IO.Interactive() {
				return cmd.Help()
			}
			return picking.pick(cmd.Context(), factory.FilterFlags{}, cmd.Help)
		},
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(f.IO.In)
	root.SetOut(f.IO.Out)
	root.SetErr(f.IO.Err)
	root.SetFlagErrorFunc(cli.FlagError)
	root.Flags().BoolVarP(&version, "version", "v", false, "print the version")
	flags := root.PersistentFlags()
	flags.StringVar(&f.Database, "db", "",
		"use database `FILE` (default $PTYREC_DB, else $XDG_DATA_HOME/ptyrec/ptyrec.db)")
	flags.BoolFunc("redact",
		"remove secrets from what is stored and written (default true; see $PTYREC_REDACT and the configuration)",
		func(text string) error {
			on, err := strconv.ParseBool(text)
			f.Redact = &on
			return err
		})
	for _, group := range commandGroups(f, picking) {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title + ":"})
		for _, c := range group.commands {
			if takesSession[c.Name()] {
				aliasSession(f.Open, c)
			}
			if deletes[c.Name()] {
				c.Annotations = map[string]string{cli.NeverSuggest: ""}
			}
			c.GroupID = group.title
			root.AddCommand(c)
		}
	}
	root.AddCommand(NewCmdMan(f), cli.NewExitStatusTopic(), cli.NewSessionsTopic(), cli.NewFlagsTopic(root))
	addSetUp(f, root)
	person{f.IO, f.Live}.askFirst(root)
	cli.HelpPages(root, f.IO.HelpWidth)
	return root
}

// takesSession are the commands whose first argument is a session.
var takesSession = map[string]bool{
	"attach": true, "grant": true, "revoke": true, "send": true, "prompt": true, "wait": true, "resume": true,
	"show": true, "tail": true, "play": true, "rename": true, "tag": true,
	"note": true, "rm": true, "forget": true, "redact": true, "share": true, "export": true, "extract": true,
	"diff": true, "screen": true, "verify": true,
}

// deletes are the commands that delete something. They are never suggested.
var deletes = map[string]bool{"rm": true, "forget": true, "prune": true, "redact": true}

// commandGroup is a group of commands in the help.
type commandGroup struct {
	title    string
	commands []*cobra.Command
}

func commandGroups(f *factory.Factory, picking *picking) []commandGroup {
	return []commandGroup{
		{"Every day", []*cobra.Command{
			record.NewCmdRun(f), setup.NewCmdInit(f), find.NewCmdList(f,
				picking.pick), find.NewCmdShow(f), find.NewCmdSearch(f), find.NewCmdPlay(f),
			export.NewCmdExport(f), record.NewCmdResume(f), record.NewCmdImport(f), find.NewCmdStats(f),
		}},
		{"Live sessions", []*cobra.Command{
			watch.NewCmdAttach(f), watch.NewCmdTail(f), serve.NewCmdServe(f), watch.NewCmdGrant(f), watch.NewCmdRevoke(f),
			watch.NewCmdPrompt(f),
			watch.NewCmdSend(f), watch.NewCmdWait(f), manage.NewCmdForget(f),
		}},
		{"Edit sessions", []*cobra.Command{
			manage.NewCmdRename(f), manage.NewCmdTag(f), manage.NewCmdNote(f), manage.NewCmdRedact(f), manage.NewCmdRm(f),
			manage.NewCmdPrune(f),
		}},
		{"Git", []*cobra.Command{find.NewCmdDiff(f), find.NewCmdBlame(f), find.NewCmdTrailer(f)}},
		{"Team", []*cobra.Command{
			teamsync.NewLogin(f.IO.In), teamsync.NewLogout(), team.NewCmdSync(f), team.NewCmdShare(f), newTeam(f),
		}},
		{"Programs", []*cobra.Command{serve.NewCmdMCP(f), serve.NewCmdAgentapi(f), serve.NewCmdSandbox(f),
			record.NewCmdExec(f)}},
		{"Inspect", []*cobra.Command{
			export.NewCmdScreen(f), export.NewCmdExtract(f), export.NewCmdExplain(f), setup.NewCmdVerify(f),
			setup.NewCmdDoctor(f),
		}},
		{setUp, []*cobra.Command{setup.NewCmdConfig(f), setup.NewCmdVersion(f)}},
	}
}

// newTeam returns the command team, with the command that serves a team.
func newTeam(f *factory.Factory) *cobra.Command {
	cmd := team.NewCmdTeam(f)
	cmd.AddCommand(serve.NewCmdTeamServe(f))
	return cmd
}

// setUp is the title of the group of commands about ptyrec itself.
const setUp = "Set up"

// addSetUp adds the commands that cobra makes.
func addSetUp(f *factory.Factory, root *cobra.Command) {
	root.SetHelpCommand(NewCmdHelp(f))
	root.SetHelpCommandGroupID(setUp)
	root.SetCompletionCommandGroupID(setUp)
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Short = "Print shell completion (init includes it)"
			c.Args = cli.Subcommand
			c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
}
