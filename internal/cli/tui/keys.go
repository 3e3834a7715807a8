package tui

import (
	"errors"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// key is a character, or one of the keys that send a sequence.
type key rune

const (
	ctrlC  key = 3
	ctrlD  key = 4
	escape key = 27
)

const (
	keyUp key = -1 - iota
	keyDown
	keyRight
	keyLeft
	keyHome
	keyEnd
	keyOther
)

var sequences = map[string]key{
	"A": keyUp, "B": keyDown, "C": keyRight, "D": keyLeft, "H": keyHome, "F": keyEnd, "1~": keyHome, "4~": keyEnd,
	"7~": keyHome, "8~": keyEnd,
}

// openKeyboard returns a channel with the keys typed at the terminal, and turns line editing off
// until restore is called. restore waits for the reader to end. Without a controlling terminal keys
// is nil.
func openKeyboard() (keys <-chan key, restore func(), err error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, func() {}, nil // Play works without keys
	}
	raw, err := tty.SyscallConn()
	if err != nil {
		return nil, nil, errors.Join(err, tty.Close())
	}
	var state *term.State
	if controlErr := raw.Control(func(fd uintptr) { state, err = term.MakeRaw(int(fd)) }); controlErr != nil ||
		err != nil {
		return nil, nil, errors.Join(controlErr, err, tty.Close())
	}
	out := make(chan key)
	quit := make(chan struct{})
	var reader sync.WaitGroup
	reader.Go(func() { readKeys(tty, out, quit) })
	return out, func() {
		_ = raw.Control(func(fd uintptr) { _ = term.Restore(int(fd), state) })
		close(quit)
		_ = tty.SetReadDeadline(time.Unix(1, 0))
		reader.Wait()
		_ = tty.Close()
	}, nil
}

func readKeys(tty *os.File, out chan<- key, quit <-chan struct{}) {
	defer close(out)
	buf := make([]byte, 64)
	for {
		n, err := tty.Read(buf)
		if err != nil {
			return
		}
		for _, k := range parseKeys(string(buf[:n])) {
			select {
			case out <- k:
			case <-quit:
				return
			}
		}
	}
}

// parseKeys splits the result of one read into keys. A single ESC is the Escape key.
func parseKeys(text string) (keys []key) {
	for text != "" {
		if len(text) > 2 && text[0] == 27 && (text[1] == '[' || text[1] == 'O') {
			end := 2
			for end < len(text)-1 && (text[end] < 0x40 || text[end] > 0x7e) {
				end++
			}
			k, ok := sequences[text[2:end+1]]
			if !ok {
				k = keyOther
			}
			keys, text = append(keys, k), text[end+1:]
			continue
		}
		keys, text = append(keys, key(text[0])), text[1:]
	}
	return keys
}
