package watch

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/cmd/join"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/prompt/typing"
	"github.com/ptyrec/ptyrec/protocol"
)

type sendFlags struct {
	keys  string
	enter bool
	force bool
	name  string
}

// NewCmdSend returns the command send.
func NewCmdSend(a *factory.Factory) *cobra.Command {
	var f sendFlags
	cmd := &cobra.Command{
		Use:        "send S [TEXT… | -] [--keys KEYS] [--enter]",
		SuggestFor: []string{"type", "input"},
		Short:      "Type into a live session that its user has granted",
		Long: `Send types TEXT into a session that runs, as it is; - reads it from stdin. It needs ` + "`ptyrec grant`" + `. A text of several lines, or for
an agent, is pasted, where the program knows what that is (bracketed paste); an agent's commands (/clear, !ls) are typed. Nothing is sent off until you ask for it: --enter types Enter behind the text.

--keys types keys by name, behind the text: Enter, Tab, Escape, Space, Backspace, Delete, Insert, Up, Down, Left, Right, Home, End, PageUp, PageDown,
F1 to F12, any character; with C- (Ctrl), M- (Alt) or S- (Shift) before it.

While an agent asks something (approval, trust, a login, a menu), a text or --enter would answer it: nothing is typed, and the exit status is 3.
--keys alone answers; --force types all the same.

If the session's command is an agent, send waits up to a minute until it has started. With a text and --enter, send looks whether the agent takes the text, and presses Enter
again while nothing happens. If the text stays in the input box, as a command that the agent does not know may, the exit status is 1.

Send types at any time, also into the queue of an agent that works, and behind what its input box holds. To ask an agent something, use ` + "`ptyrec prompt`" + `: it
types only into an empty box of an idle agent, and prints the reply.`,
		Example: `  ptyrec send last "make test" --enter && ptyrec wait last --idle
  ptyrec send last --keys "Down Enter"
  ptyrec send last --keys C-c
  git diff | ptyrec send 01a1fcd2 - --enter`,
		Args:              cli.Operands(1, -1),
		ValidArgsFunction: factory.CompleteLive(a.Open),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := sendText(a, args[1:])
			if err != nil {
				return err
			}
			if text == "" && f.keys == "" && !f.enter {
				return failure.Usage(errors.New("send: nothing to type: it takes a text, --keys or --enter"))
			}
			return send(cmd.Context(), a, args[0], f.name, typing.Order{Text: text, Keys: f.keys, Enter: f.enter, Force: f.force})
		},
	}
	cmd.Flags().StringVarP(&f.keys, "keys", "k", "", "type `KEYS` by name, separated by spaces")
	cmd.Flags().BoolVarP(&f.enter, "enter", "e", false, "type Enter at the end")
	cmd.Flags().BoolVar(&f.force, "force", false, "type a text or Enter even while the agent asks something")
	cmd.Flags().StringVar(&f.name, "as", "send", "the `NAME` under which it is recorded")
	return cmd
}

func sendText(a *factory.Factory, words []string) (string, error) {
	if len(words) == 1 && words[0] == "-" {
		text, err := io.ReadAll(a.IO.In)
		return strings.TrimRight(string(text), "\r\n"), err
	}
	return strings.Join(words, " "), nil
}

func send(ctx context.Context, a *factory.Factory, ref, name string, o typing.Order) error {
	answers := o.Answers()
	if _, err := typing.Keys(o.Keys, false); err != nil { // before anything is typed
		return failure.Usage(err)
	}
	s, hello, err := a.Live.Join(ctx, ref, client.AttachOptions{Name: name, Kind: protocol.Agent, Mode: protocol.ModeScreen, Answers: &answers})
	if err != nil {
		return err
	}
	defer s.Close()
	t, err := typing.New(ctx, s, hello)
	if err != nil {
		return join.Over(err)
	}
	err = t.Type(ctx, o)
	if errors.Is(err, typing.ErrNotStarted) || errors.Is(err, typing.ErrNotTaken) {
		return failure.New(err, "look at it with `ptyrec screen "+ref+"`")
	}
	return join.Refused(join.Over(err), hello.Session.ID)
}
