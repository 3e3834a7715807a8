//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"
)

// fakeAgent is an agent with an input box that draws as Codex 0.98 does. It writes what really
// arrived to the file $ARRIVED, a line each. It drops the first $DROPS Enters, and loses everything
// up to the first $LOSES Enters. A prompt with SLOWLY keeps it busy until the file $RELEASE is
// there, one with PLEASE ASK makes it ask. /pager opens one until q is typed, and it keeps other
// commands in the box, which it does not know.
type fakeAgent struct {
	box          string
	pasting      bool
	typed        bool // a part of the box was typed, not pasted
	drops, loses int
	busy, asking bool
	pager        bool
}

// arrived is a line of $ARRIVED.
type arrived struct {
	Text  string
	Typed bool   // not pasted
	Event string // "approved", "interrupted"
}

func fakeCodex() {
	if os.Getenv("ARRIVED") == "" {
		likeCodex()
		return
	}
	if _, err := term.MakeRaw(0); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	f := &fakeAgent{}
	f.drops, _ = strconv.Atoi(os.Getenv("DROPS"))
	f.loses, _ = strconv.Atoi(os.Getenv("LOSES"))
	fmt.Print("\x1b[?2004h╭─────────────────────────────────────────────╮\r\n" +
		"│ \x1b[2m>_ \x1b[22;1mOpenAI Codex\x1b[22;2m (v0.98.0)\x1b[m                   │\r\n" +
		"│                                             │\r\n│ model:     gpt-5.2-codex   /model to change │\r\n" +
		"│ directory: ~/shop                           │\r\n" +
		"╰─────────────────────────────────────────────╯\r\n")
	input := make(chan []byte)
	go func() {
		defer close(input)
		for {
			buf := make([]byte, 4096)
			n, err := os.Stdin.Read(buf)
			if err != nil {
				return
			}
			input <- buf[:n]
		}
	}()
	f.draw()
	tick := time.NewTicker(20 * time.Millisecond)
	for held := ""; ; {
		select {
		case b, ok := <-input:
			if !ok {
				return
			}
			held = f.take(held + string(b))
		case <-tick.C:
			if _, err := os.Stat(os.Getenv("RELEASE")); f.busy && err == nil {
				f.say("It took a while.")
			}
		}
	}
}

// take handles keys, and returns those that may be the beginning of a sequence.
func (f *fakeAgent) take(keys string) (rest string) {
	for keys != "" {
		switch {
		case strings.HasPrefix(keys, "\x1b[200~"):
			f.pasting, keys = true, keys[6:]
		case strings.HasPrefix(keys, "\x1b[201~"):
			f.pasting, keys = false, keys[6:]
		case len(keys) > 1 && len(keys) < 6 && strings.HasPrefix("\x1b[200~", keys), len(keys) > 1 && len(keys) < 6 &&
			strings.HasPrefix("\x1b[201~", keys):
			return keys
		default:
			f.key(keys[0])
			keys = keys[1:]
		}
	}
	if f.loses == 0 && !f.pager {
		f.draw()
	}
	return ""
}

func (f *fakeAgent) key(c byte) {
	switch {
	case f.pager:
		if c == 'q' {
			f.pager = false
			fmt.Print("\x1b[?1049l")
		}
	case f.pasting && c == '\r':
		f.box += "\n"
	case c == 4 && !f.pasting:
		os.Exit(0)
	case c == 3 && !f.pasting:
		f.box, f.typed = "", false
	case f.asking && c == 0x1b:
		f.asking = false
		f.say("Not approved.")
	case f.asking:
		f.asking = false
		f.write(arrived{Event: "approved"})
		f.say("Approved.")
	case c == 0x1b && f.busy:
		f.write(arrived{Event: "interrupted"})
		f.say("Interrupted.")
	case c == '\r' && f.loses > 0:
		f.loses--
		f.box = ""
	case c == '\r' && f.drops > 0:
		f.drops--
	case c == '\r':
		f.submit()
	default:
		f.box += string([]byte{c})
		f.typed = f.typed || !f.pasting
	}
}

func (f *fakeAgent) submit() {
	if f.box == "" || f.busy {
		return
	}
	if strings.HasPrefix(f.box, "/") && f.box != "/pager" {
		fmt.Printf("\x1b[J\r\n• Unrecognized command '%s'. Type \"/\" for a list of supported commands.\r\n", f.box)
		return
	}
	text, typed := f.box, f.typed
	f.box, f.typed = "", false
	f.write(arrived{Text: text, Typed: typed})
	if text == "/pager" {
		f.pager = true
		fmt.Print("\x1b[?1049h\x1b[H\x1b[J/ D I F F / / / / / / / / /\r\n~\r\n~\r\n q close")
		return
	}
	fmt.Print("\x1b[J\r\n\x1b[1;2m›\x1b[m " + strings.Join(shownAs(text), "\r\n  ") + "\r\n")
	switch {
	case strings.Contains(text, "SLOWLY"):
		f.busy = true
	case strings.Contains(text, "PLEASE ASK"):
		f.asking = true
	default:
		f.say(fmt.Sprintf("You said %d characters.", len([]rune(text))))
	}
}

func (f *fakeAgent) say(text string) {
	f.busy = false
	fmt.Print("\x1b[J\r\n\x1b[2m• \x1b[m" + text + "\r\n")
	f.draw()
}

// draw draws what is below the conversation, and leaves the cursor above it.
func (f *fakeAgent) draw() {
	rows := []string{""}
	switch {
	case f.asking:
		rows = append(rows, "  \x1b[1mWould you like to run the following command?\x1b[m", "", "  $ touch approved", "",
			"\x1b[1m› 1. Yes, proceed (y)\x1b[m", "  2. No (esc)", "", "  Press enter to confirm or esc to cancel")
	case f.busy:
		rows = append(rows, "\x1b[2m• Working (0s • esc to interrupt)\x1b[m", "")
		fallthrough
	default:
		rows = append(rows, "\x1b[1m›\x1b[m "+strings.Join(shownAs(f.box), "\r\n  "), "", "  ? for shortcuts")
	}
	text := strings.Join(rows, "\r\n")
	fmt.Printf("\x1b[?2026h\x1b[J%s\x1b[%dA\r\x1b[?2026l", text, strings.Count(text, "\n"))
}

// shownAs returns the rows in which a text is shown: a long one is folded.
func shownAs(text string) []string {
	if n := len([]rune(text)); n > 1000 {
		return []string{fmt.Sprintf("[Pasted Content %d chars]", n)}
	}
	var rows []string
	for _, line := range strings.Split(strings.ReplaceAll(text, "\t", "    "), "\n") {
		for r := []rune(line); ; {
			n := min(len(r), 50)
			rows = append(rows, string(r[:n]))
			if r = r[n:]; len(r) == 0 {
				break
			}
		}
	}
	return rows
}

func (f *fakeAgent) write(a arrived) {
	file, err := os.OpenFile(os.Getenv("ARRIVED"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	_ = json.NewEncoder(file).Encode(a) // strings can be encoded
	_ = file.Close()                    // it was written
}
