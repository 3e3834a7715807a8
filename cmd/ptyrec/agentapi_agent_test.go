//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// likeClaude draws as Claude Code 2.1.197 does, and writes each prompt that it takes to the file
// $AGENT_LOG, as a line of JSON. A prompt may tell it what to do: "ask" asks for approval, "slow"
// thinks for a second, "long N" prints N paragraphs, "exit N" ends.
func likeClaude() {
	if _, err := term.MakeRaw(0); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	log, err := os.OpenFile(os.Getenv("AGENT_LOG"), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	a := &fakeClaude{log: json.NewEncoder(log), keys: make(chan byte)}
	a.cols, _, _ = term.GetSize(0)
	go func() {
		defer close(a.keys)
		buf := make([]byte, 4096)
		for {
			n, err := os.Stdin.Read(buf)
			if err != nil {
				return
			}
			for _, b := range buf[:n] {
				a.keys <- b
			}
		}
	}()
	a.banner()
	a.run()
}

const (
	grey  = "\x1b[38;2;153;153;153m"
	plain = "\x1b[39m"
)

type fakeClaude struct {
	log   *json.Encoder
	keys  chan byte
	cols  int
	text  []byte
	drawn int // rows of the box
}

func (a *fakeClaude) banner() {
	fmt.Print("\x1b[?25l\x1b[?2004h\x1b]0;✳ Claude Code\a" +
		"\x1b[38;2;215;119;87m ▐▛███▜▌" + plain + "   \x1b[1mClaude Code\x1b[22m " + grey + "v2.1.197" + plain + "\r\n" +
		"\x1b[38;2;215;119;87m▝▜█████▛▘" + plain + "  " + grey + "Opus 4.8 · Demo" + plain + "\r\n" +
		"\x1b[38;2;215;119;87m  ▘▘ ▝▝" + plain + "    " + grey + "~/demo" + plain + "\r\n")
}

func (a *fakeClaude) rule() string {
	return "\x1b[38;2;136;136;136m" + strings.Repeat("─", a.cols) + plain + "\r\n"
}

// box draws the input box, with the text that is in it.
func (a *fakeClaude) box() {
	text := string(a.text)
	if n := strings.Count(text, "\n"); n > 10 || len(text) > 800 {
		text = fmt.Sprintf("[Pasted text #1 +%d lines]", n)
	}
	rows := a.rows(text)
	fmt.Print("\r\n" + a.rule())
	for i, row := range rows {
		mark := "  "
		if i == 0 {
			mark = "❯\u00a0"
		}
		fmt.Print(mark + row + "\r\n")
	}
	fmt.Print(a.rule() + "  " + grey + "? for shortcuts" + plain)
	a.drawn = len(rows) + 3
}

// rows cuts a text at the window's edge.
func (a *fakeClaude) rows(text string) (rows []string) {
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.ReplaceAll(line, "\t", "    ")
		for width := a.cols - 4; ; {
			r := []rune(line)
			if len(r) <= width/2 || len(line) <= width {
				rows = append(rows, line)
				break
			}
			rows, line = append(rows, string(r[:width/2])), string(r[width/2:])
		}
	}
	return rows
}

func (a *fakeClaude) unbox() {
	if a.drawn > 0 {
		fmt.Printf("\r\x1b[%dA\x1b[J", a.drawn)
	}
	a.drawn = 0
}

func (a *fakeClaude) run() {
	a.box()
	for {
		keys, ok := a.read()
		if !ok {
			return
		}
		switch {
		case bytes.HasPrefix(keys, []byte("\x1b[200~")):
			pasted := strings.ReplaceAll(string(keys[6:]), "\r", "\n")
			a.text = append(a.text, pasted...)
		case string(keys) == "\r" && len(a.text) > 0:
			a.unbox()
			a.take(string(a.text))
			a.text = nil
			a.box()
			continue
		case string(keys) == "\x04":
			return
		case len(keys) == 1 && keys[0] >= ' ' || len(keys) > 1 && keys[0] != 0x1b:
			a.text = append(a.text, keys...)
		default:
			continue
		}
		a.unbox()
		a.box()
	}
}

// read returns a key, or a whole paste without its end.
func (a *fakeClaude) read() ([]byte, bool) {
	b, ok := <-a.keys
	if !ok {
		return nil, false
	}
	keys := []byte{b}
	if b != 0x1b {
		return keys, true
	}
	for bytes.HasPrefix([]byte("\x1b[200~"), keys) && len(keys) < 6 {
		select {
		case b, ok := <-a.keys:
			if !ok {
				return nil, false
			}
			keys = append(keys, b)
		case <-time.After(50 * time.Millisecond): // Escape alone
			return keys, true
		}
	}
	for string(keys[:min(6, len(keys))]) == "\x1b[200~" {
		if rest, ok := bytes.CutSuffix(keys, []byte("\x1b[201~")); ok {
			return rest, true
		}
		keys = append(keys, <-a.keys)
	}
	return keys, true
}

// take takes a prompt.
func (a *fakeClaude) take(text string) {
	_ = a.log.Encode(text)
	var n int
	switch {
	case text == "/clear":
		fmt.Print("\x1b[2J\x1b[3J\x1b[H")
		a.banner()
		return
	case strings.HasPrefix(text, "exit "):
		_, _ = fmt.Sscanf(text, "exit %d", &n)
		os.Exit(n)
	}
	for i, row := range a.rows(text) {
		mark := "  "
		if i == 0 {
			mark = "❯ "
		}
		fmt.Printf("\x1b[48;2;55;55;55m\x1b[38;2;80;80;80m%s\x1b[38;2;255;255;255m%s\x1b[K\x1b[39m\x1b[49m\r\n", mark, row)
	}
	fmt.Print("\r\n")
	thinking := 400 * time.Millisecond
	if strings.HasPrefix(text, "slow") {
		thinking = 1200 * time.Millisecond
	}
	a.think(thinking)
	switch {
	case strings.HasPrefix(text, "ask"):
		a.ask()
	case strings.HasPrefix(text, "long "):
		_, _ = fmt.Sscanf(text, "long %d", &n)
		for i := range n {
			mark := "  "
			if i == 0 {
				mark = "● "
			}
			fmt.Printf("%sparagraph number %d\r\n\r\n", mark, i)
		}
	default:
		fmt.Printf("● You said %d letters\r\n", len([]rune(text)))
	}
}

func (a *fakeClaude) think(d time.Duration) {
	for i := range int(d / (100 * time.Millisecond)) {
		fmt.Printf("\x1b[38;2;215;119;87m%c%s \x1b[38;2;215;119;87mThinking…%s (esc to interrupt)\r\n", []rune("✻✽✶")[i%3],
			plain, plain)
		a.box()
		time.Sleep(100 * time.Millisecond)
		a.unbox()
		fmt.Print("\x1b[1A\x1b[J")
	}
}

// ask asks for approval, and takes 1 or Enter for yes.
func (a *fakeClaude) ask() {
	fmt.Print("● I want to run it.\r\n\r\n" + grey + "●" + plain + " \x1b[1mBash\x1b[22m(make test)\r\n" + grey +
		"  ⎿ \u00a0Waiting…" + plain + "\r\n\r\n")
	rows := []string{
		"\x1b[38;2;177;185;249m" + strings.Repeat("─", a.cols) + plain,
		" \x1b[38;2;177;185;249m\x1b[1mBash command\x1b[22m" + plain, "", "   make test",
		"   " + grey + "Run a command" + plain,
		"", " Do you want to proceed?", " \x1b[38;2;177;185;249m❯ " + grey + "1. \x1b[38;2;177;185;249mYes" + plain,
		"   " + grey + "2. " + plain + "No", "",
		" " + grey + "Esc to cancel · Tab to amend" + plain,
	}
	fmt.Print(strings.Join(rows, "\r\n"))
	answer := "denied"
	for {
		keys, ok := a.read()
		if !ok {
			return
		}
		if string(keys) == "1" || string(keys) == "\r" {
			answer = "approved"
		} else if string(keys) != "\x1b" {
			_ = a.log.Encode("answer " + string(keys))
			continue
		}
		break
	}
	_ = a.log.Encode(answer)
	fmt.Printf("\r\x1b[%dA\x1b[J", len(rows)-1)
	a.think(400 * time.Millisecond)
	fmt.Printf("● It is %s.\r\n", answer)
}
