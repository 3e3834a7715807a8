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
	"github.com/ptyrec/ptyrec/internal/prompt"
	"github.com/ptyrec/ptyrec/protocol"
)

// sendOptions are the options of send.
type sendOptions struct {
	IO   *cli.IO
	Live join.Live

	keys  string
	enter bool
	force bool
	name  string
}

// NewCmdSend returns the send command.
func NewCmdSend(f *factory.Factory) *cobra.Command {
	o := &sendOptions{IO: f.IO, Live: f.Live}
	cmd := &cobra.Command{
		Use:        "send S [TEXT… | -] [--keys KEYS] [--enter]",
		SuggestFor: []string{"type", "input"},
		Short:      "Type into a live session",
		Long: `Send types TEXT into a live session. If TEXT is -, it is read from stdin. The session needs
` + "`ptyrec grant`" + `. A text of several lines, or for an agent, is pasted if the program supports that
(bracketed paste); commands of an agent (/clear, !ls) are typed. Pass --enter to submit the text.

--keys types keys by name, after the text: Enter, Tab, Escape, Space, Backspace, Delete, Insert,
Up, Down, Left, Right, Home, End, PageUp, PageDown, F1 to F12, and any character; with C- (Ctrl),
M- (Alt) or S- (Shift) before it.

While an agent asks something (approval, trust, a login, a menu), a text or --enter would answer
it: send types nothing and exits with 3. Answer with --keys alone, or pass --force.

If the session's command is an agent, send waits up to a minute until it has started. With a text
and --enter, send checks whether the agent accepts the text, and presses Enter again while nothing
happens. If the text stays in the input box, like a command that the agent does not know, the exit
status is 1.

Send types at any time, even while the agent works or its input box has other text. To ask an
agent something, use ` + "`ptyrec prompt`" + `: it types only into an empty box of an idle agent, and prints
the reply.`,
		Example: `  ptyrec send last "make test" --enter && ptyrec wait last --idle
  ptyrec send last --keys "Down Enter"
  ptyrec send last --keys C-c
  git diff | ptyrec send 4f1a - --enter`,
		Args:              cli.Operands(1, -1),
		ValidArgsFunction: factory.CompleteLive(f.Open),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := sendText(o.IO.In, args[1:])
			if err != nil {
				return err
			}
			if text == "" && o.keys == "" && !o.enter {
				return failure.Usage(errors.New("send: pass a text, --keys or --enter"))
			}
			return send(cmd.Context(), o, args[0], prompt.TypingOrder{Text: text, Keys: o.keys, Enter: o.enter, Force: o.force})
		},
	}
	cmd.Flags().StringVarP(&o.keys, "keys", "k", "", "type `KEYS` by name, separated by spaces")
	cmd.Flags().BoolVarP(&o.enter, "enter", "e", false, "type Enter after the text and keys")
	cmd.Flags().BoolVar(&o.force, "force", false, "type even while the agent asks a question")
	cmd.Flags().StringVar(&o.name, "as", "send", "record the sender as `NAME`")
	return cmd
}

func sendText(stdin io.Reader, words []string) (string, error) {
	if len(words) == 1 && words[0] == "-" {
		text, err := io.ReadAll(stdin)
		return strings.TrimRight(string(text), "\r\n"), err
	}
	return strings.Join(words, " "), nil
}

func send(ctx context.Context, o *sendOptions, ref string, order prompt.TypingOrder) error {
	answers := order.Answers()
	if _, err := prompt.Keys(order.Keys, false); err != nil { // validate before anything is typed
		return failure.Usage(err)
	}
	s, hello, err := o.Live.Join(ctx, ref, client.AttachOptions{Name: o.name, Kind: protocol.Agent,
		Mode: protocol.ModeScreen, Answers: &answers})
	if err != nil {
		return err
	}
	defer s.Close()
	t, err := prompt.NewTypist(ctx, s, hello)
	if err != nil {
		return join.Over(err)
	}
	err = t.Type(ctx, order)
	if errors.Is(err, prompt.ErrStillStarting) || errors.Is(err, prompt.ErrNotTaken) {
		return failure.New(err, "look at it with `ptyrec screen "+ref+"`")
	}
	return join.Refused(join.Over(err), hello.Session.ID)
}
