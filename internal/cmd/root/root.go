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
func New(a *factory.Factory) *cobra.Command {
	var version bool
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
				return setup.PrintVersion(a)
			}
			if !a.IO.Interactive() {
				return cmd.Help()
			}
			return pick(cmd.Context(), a, factory.FilterFlags{}, cmd.Help)
		},
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(a.IO.In)
	root.SetOut(a.IO.Out)
	root.SetErr(a.IO.Err)
	root.SetFlagErrorFunc(cli.FlagError)
	root.Flags().BoolVarP(&version, "version", "v", false, "print the version")
	flags := root.PersistentFlags()
	flags.StringVar(&a.Database, "db", "", "database `FILE` (default $PTYREC_DB, else $XDG_DATA_HOME/ptyrec/ptyrec.db)")
	flags.BoolFunc("redact", "take secrets out of what is stored and written; --redact=false: leave them (default $PTYREC_REDACT, else as configured, else true)",
		func(text string) error {
			on, err := strconv.ParseBool(text)
			a.Redact = &on
			return err
		})
	for _, group := range commandGroups(a) {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title + ":"})
		for _, c := range group.commands {
			if takesSession[c.Name()] {
				aliasSession(a, c)
			}
			c.GroupID = group.title
			root.AddCommand(c)
		}
	}
	root.AddCommand(NewCmdMan(a), cli.NewExitStatusTopic(), cli.NewSessionsTopic(), cli.NewFlagsTopic(root))
	addSetUp(root)
	askFirst(a, root)
	cli.HelpPages(root, a.IO.HelpWidth)
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

func commandGroups(a *factory.Factory) []commandGroup {
	return []commandGroup{
		{"Record", []*cobra.Command{record.NewCmdRun(a), record.NewCmdResume(a), record.NewCmdExec(a), record.NewCmdImport(a)}},
		{"Watch and control", []*cobra.Command{watch.NewCmdAttach(a), serve.NewCmdServe(a), team.NewCmdSync(a), team.NewCmdShare(a), teamsync.NewLogin(a.IO.In), teamsync.NewLogout(), team.NewCmdTeam(a), serve.NewCmdAgentapi(a), serve.NewCmdMCP(a), watch.NewCmdGrant(a), watch.NewCmdRevoke(a), watch.NewCmdPrompt(a), watch.NewCmdSend(a), watch.NewCmdWait(a)}},
		{"Find and read", []*cobra.Command{find.NewCmdList(a, pick), find.NewCmdSearch(a), find.NewCmdShow(a), watch.NewCmdTail(a), find.NewCmdPlay(a), find.NewCmdStats(a), find.NewCmdDiff(a), find.NewCmdBlame(a), find.NewCmdTrailer(a)}},
		{"Manage", []*cobra.Command{manage.NewCmdRename(a), manage.NewCmdTag(a), manage.NewCmdNote(a), manage.NewCmdRm(a), manage.NewCmdForget(a), manage.NewCmdPrune(a), manage.NewCmdRedact(a)}},
		{"Export", []*cobra.Command{export.NewCmdExport(a), export.NewCmdExtract(a), export.NewCmdExplain(a), export.NewCmdScreen(a)}},
		{setUp, []*cobra.Command{setup.NewCmdInit(a), setup.NewCmdConfig(a), setup.NewCmdVerify(a), setup.NewCmdDoctor(a), setup.NewCmdVersion(a)}},
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
