// Package root puts the commands together.
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
		Short: "Record terminal sessions and read the conversations of coding agents out of them",
		Example: `  ptyrec                        pick a session: type to filter, Enter shows it
  ptyrec run -- claude          record a session
  ptyrec show                   what was said in it
  ptyrec search cache           … in all of them
  ptyrec export talk.html       the conversation beside the recording`,
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
	flags.StringVar(&f.Database, "db", "", "database `FILE` (default $PTYREC_DB, else $XDG_DATA_HOME/ptyrec/ptyrec.db)")
	flags.BoolFunc("redact", "take secrets out of what is stored and written; --redact=false: leave them (default $PTYREC_REDACT, else as configured, else true)",
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
			c.GroupID = group.title
			root.AddCommand(c)
		}
	}
	root.AddCommand(NewCmdMan(f), cli.NewExitStatusTopic(), cli.NewSessionsTopic(), cli.NewFlagsTopic(root))
	addSetUp(root)
	person{f.IO, f.Live}.askFirst(root)
	cli.HelpPages(root, f.IO.HelpWidth)
	return root
}

// takesSession are the commands whose first argument is a session.
var takesSession = map[string]bool{
	"attach": true, "grant": true, "revoke": true, "send": true, "prompt": true, "wait": true, "resume": true, "show": true, "tail": true, "play": true, "rename": true, "tag": true,
	"note": true, "rm": true, "forget": true, "redact": true, "share": true, "export": true, "extract": true, "diff": true, "screen": true, "verify": true,
}

// commandGroup is a group of commands in the help.
type commandGroup struct {
	title    string
	commands []*cobra.Command
}

func commandGroups(f *factory.Factory, picking *picking) []commandGroup {
	return []commandGroup{
		{"Record", []*cobra.Command{record.NewCmdRun(f), record.NewCmdResume(f), record.NewCmdExec(f), record.NewCmdImport(f)}},
		{"Watch and control", []*cobra.Command{watch.NewCmdAttach(f), serve.NewCmdServe(f), team.NewCmdSync(f), team.NewCmdShare(f), teamsync.NewLogin(f.IO.In), teamsync.NewLogout(), team.NewCmdTeam(f), serve.NewCmdAgentapi(f), serve.NewCmdMCP(f), watch.NewCmdGrant(f), watch.NewCmdRevoke(f), watch.NewCmdPrompt(f), watch.NewCmdSend(f), watch.NewCmdWait(f)}},
		{"Find and read", []*cobra.Command{find.NewCmdList(f, picking.pick), find.NewCmdSearch(f), find.NewCmdShow(f), watch.NewCmdTail(f), find.NewCmdPlay(f), find.NewCmdStats(f), find.NewCmdDiff(f), find.NewCmdBlame(f), find.NewCmdTrailer(f)}},
		{"Manage", []*cobra.Command{manage.NewCmdRename(f), manage.NewCmdTag(f), manage.NewCmdNote(f), manage.NewCmdRm(f), manage.NewCmdForget(f), manage.NewCmdPrune(f), manage.NewCmdRedact(f)}},
		{"Export", []*cobra.Command{export.NewCmdExport(f), export.NewCmdExtract(f), export.NewCmdExplain(f), export.NewCmdScreen(f)}},
		{setUp, []*cobra.Command{setup.NewCmdInit(f), setup.NewCmdConfig(f), setup.NewCmdVerify(f), setup.NewCmdDoctor(f), setup.NewCmdVersion(f)}},
	}
}

// setUp is the group of the commands about ptyrec itself.
const setUp = "Set up and check"

// addSetUp adds the commands that cobra makes.
func addSetUp(root *cobra.Command) {
	root.SetHelpCommand(NewCmdHelp())
	root.SetHelpCommandGroupID(setUp)
	root.SetCompletionCommandGroupID(setUp)
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Short = "Print the completion of a shell (init does that, and more)"
			c.Args = cli.Subcommand
			c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
}
