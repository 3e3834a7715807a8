package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/vterm"
)

// A program that gets a text and a key at once takes both for something pasted. So a key waits until the program has shown what was typed before.
const (
	betweenKeys = 150 * time.Millisecond // without output: it has,
	echoTime    = 500 * time.Millisecond // with none at all: it shows nothing,
	echoLimit   = 2 * time.Second        // and one that always writes is not waited for
)

type sendFlags struct {
	keys  string
	enter bool
	force bool
	name  string
}

func newSendCmd(a *app) *cobra.Command {
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
--keys alone answers; --force types all the same.`,
		Example: `  ptyrec send last "fix the failing test" --enter && ptyrec wait last --idle
  ptyrec send last --keys "Down Enter"
  ptyrec send last --keys C-c
  git diff | ptyrec send 01a1fcd2 - --enter`,
		Args:              operands(1, -1),
		ValidArgsFunction: completeLive(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := sendText(a, args[1:])
			if err != nil {
				return err
			}
			answers := f.force || text == "" && !f.enter
			if f.enter {
				f.keys = strings.TrimSpace(f.keys + " Enter")
			}
			if text == "" && f.keys == "" {
				return usageError(errors.New("send: nothing to type: it takes a text, --keys or --enter"))
			}
			return send(cmd.Context(), a, args[0], text, f, answers)
		},
	}
	cmd.Flags().StringVarP(&f.keys, "keys", "k", "", "type `KEYS` by name, separated by spaces")
	cmd.Flags().BoolVarP(&f.enter, "enter", "e", false, "type Enter at the end")
	cmd.Flags().BoolVar(&f.force, "force", false, "type a text or Enter even while the agent asks something")
	cmd.Flags().StringVar(&f.name, "as", "send", "the `NAME` under which it is recorded")
	return cmd
}

func sendText(a *app, words []string) (string, error) {
	if len(words) == 1 && words[0] == "-" {
		text, err := io.ReadAll(a.stdin)
		return strings.TrimRight(string(text), "\r\n"), err
	}
	return strings.Join(words, " "), nil
}

func send(ctx context.Context, a *app, ref, text string, f sendFlags, answers bool) error {
	if _, err := keyBytes(f.keys, false); err != nil { // before anything is typed
		return usageError(err)
	}
	s, hello, err := joinLive(ctx, a, ref, client.AttachOptions{Name: f.name, Kind: protocol.Agent, Mode: protocol.ModeScreen, Answers: &answers})
	if err != nil {
		return err
	}
	defer s.Close()
	t, err := screenNow(ctx, s)
	if err != nil {
		return err
	}
	modes := t.Modes()
	if err := s.Input(ctx, []byte(pasted(text, modes, hello.State.Agent != ""))); err != nil {
		return refused(err, hello.Session.ID)
	}
	keys, err := keyBytes(f.keys, modes.ApplicationCursorKeys)
	if err != nil {
		return usageError(err)
	}
	for i, key := range keys {
		if i > 0 || text != "" {
			if err := echoed(ctx, s); err != nil {
				return err
			}
		}
		if err := s.Input(ctx, []byte(key)); err != nil {
			return refused(err, hello.Session.ID)
		}
	}
	return nil
}

// echoed waits until the program seems to have taken what was typed.
func echoed(ctx context.Context, s *client.Stream) error {
	limit, stop := context.WithTimeout(ctx, echoLimit)
	defer stop()
	for patience := echoTime; ; {
		calm, stop := context.WithTimeout(limit, patience)
		e, err := s.Next(calm)
		stop()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case calm.Err() != nil && err != nil:
			return nil
		case err != nil:
			return sessionOver(err)
		}
		if _, ok := e.(client.Output); ok {
			patience = betweenKeys
		}
	}
}

// pasted returns a text as a terminal types it: one of several lines is pasted, where the program
// asked for that, and so is every prompt for an agent. Typed keys take some agents a time that
// grows with the square of their number, and what they mean by themselves is lost: Tab completes,
// and ? opens Gemini CLI's help. Commands (/clear, !ls) are typed: pasted, they are text.
func pasted(text string, modes vterm.Modes, agent bool) string {
	const begin, end = "\x1b[200~", "\x1b[201~"
	lines := strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\r"), "\n", "\r")
	prompt := agent && text != "" && text[0] != '/' && text[0] != '!'
	if !modes.BracketedPaste || !strings.Contains(lines, "\r") && !prompt {
		return lines
	}
	for strings.Contains(lines, end) { // what is left of two may be another
		lines = strings.ReplaceAll(lines, end, "")
	}
	return begin + lines + end
}

// namedKeys are the keys that have names. Those whose bytes begin with ESC [ change with the modifiers.
var namedKeys = map[string]string{
	"enter": "\r", "tab": "\t", "space": " ", "escape": "\x1b", "esc": "\x1b", "backspace": "\x7f", "bspace": "\x7f", "btab": "\x1b[Z",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F",
	"insert": "\x1b[2~", "ic": "\x1b[2~", "delete": "\x1b[3~", "dc": "\x1b[3~", "pageup": "\x1b[5~", "pgup": "\x1b[5~", "pagedown": "\x1b[6~", "pgdn": "\x1b[6~",
	"f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS", "f5": "\x1b[15~", "f6": "\x1b[17~", "f7": "\x1b[18~", "f8": "\x1b[19~",
	"f9": "\x1b[20~", "f10": "\x1b[21~", "f11": "\x1b[23~", "f12": "\x1b[24~",
}

// keyBytes gives what a terminal sends for each of the keys (xterm's ctlseqs, "PC-Style Function Keys").
func keyBytes(names string, application bool) ([]string, error) {
	var keys []string
	for _, name := range strings.Fields(names) {
		key, err := keyByte(name, application)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

func keyByte(name string, application bool) (string, error) {
	ctrl, alt, shift := false, false, false
	rest := name
	for len(rest) > 2 && rest[1] == '-' {
		switch rest[0] {
		case 'C', 'c', '^':
			ctrl = true
		case 'M', 'm':
			alt = true
		case 'S', 's':
			shift = true
		default:
			return "", unknownKey(name)
		}
		rest = rest[2:]
	}
	key, named := namedKeys[strings.ToLower(rest)]
	switch {
	case named && len(key) > 1:
		return functionKey(key, ctrl, alt, shift, application), nil
	case named && key == "\t" && shift:
		key = "\x1b[Z"
	case !named && len([]rune(rest)) != 1:
		return "", unknownKey(name)
	case !named:
		key = rest
	}
	if ctrl {
		switch c := strings.ToUpper(key)[0]; {
		case len(key) == 1 && c >= '@' && c <= '_':
			key = string(rune(c & 0x1f))
		case key == " ":
			key = "\x00"
		case key == "?":
			key = "\x7f"
		default:
			return "", unknownKey(name)
		}
	}
	if alt {
		key = "\x1b" + key
	}
	return key, nil
}

// functionKey gives a key that a sequence stands for, with its modifiers.
func functionKey(key string, ctrl, alt, shift, application bool) string {
	mods := 1
	for i, on := range []bool{shift, alt, ctrl} {
		if on {
			mods += 1 << i
		}
	}
	final, params := key[len(key)-1:], key[2:len(key)-1]
	switch {
	case mods > 1 && params == "":
		return fmt.Sprintf("\x1b[1;%d%s", mods, final)
	case mods > 1:
		return fmt.Sprintf("\x1b[%s;%d%s", params, mods, final)
	case application && params == "" && strings.Contains("ABCDHF", final):
		return "\x1bO" + final
	}
	return key
}

func unknownKey(name string) error {
	return fmt.Errorf("there is no key %q: see `ptyrec help send`", name)
}
