package store

import (
	"strings"

	"github.com/ptyrec/ptyrec/session"
)

// Indexed returns the texts of a message to index: what was said, and its output. A phrase must
// match within one of them.
func Indexed(e *session.Entry) [2]string {
	output := e.Output
	if e.Tool != nil {
		output = strings.Join([]string{e.Tool.Name, e.Tool.Input, e.Tool.Output}, "\n")
	}
	return [2]string{SpaceCJK(ends(e.Text)), SpaceCJK(ends(output))}
}

// A longer text is indexed only at its beginning and end. The limits are its size in bytes and the
// memory that FTS5 needs for its words, which it keeps until the row is written.
const (
	endSize   = 1 << 20
	endMemory = 2 << 20
	newWord   = 100 // bytes of memory for a new word, in addition to the word itself
	oldWord   = 4   // bytes for a word that was seen before
)

// ends returns the text, without its middle if it is too long to index.
func ends(text string) string {
	if len(text) <= endSize/2 {
		return text
	}
	const gaps = " \n"
	head, tail := 0, len(text)
	full := wordMemory()
	for head < len(text) && head < endSize {
		n := strings.IndexAny(text[head:], gaps)
		if n < 0 {
			n = min(len(text)-head, endSize)
		}
		if full(text[head : head+n]) {
			break
		}
		head = min(head+n+1, len(text))
	}
	full = wordMemory()
	for tail > head && len(text)-tail < endSize {
		n := tail - 1 - max(head, strings.LastIndexAny(text[head:tail-1], gaps)+head+1)
		if full(text[tail-1-n : tail]) {
			break
		}
		tail = max(tail-1-n, head)
	}
	if tail <= head {
		return text
	}
	return strings.ToValidUTF8(text[:head], "") + "\n" + strings.ToValidUTF8(text[tail:], "")
}

// wordMemory returns a function that adds up the memory that FTS5 needs for words, and reports
// whether it exceeds the limit.
func wordMemory() func(word string) bool {
	memory, seen := 0, map[string]bool{}
	return func(word string) bool {
		memory += oldWord
		if !seen[word] {
			seen[word] = true
			memory += newWord + len(word)
		}
		return memory > endMemory
	}
}

// detailsOf returns the value of the column data: the data of an event or the details of a message,
// or nil.
func detailsOf(e *session.Entry) any {
	switch {
	case e.Type == session.TypeMessage && (e.Data != nil || !e.Details.IsZero()):
		return messageData{e.Details, e.Data}
	case e.Data != nil:
		return e.Data
	}
	return nil
}

// messageData is the value of the column data for a message.
type messageData struct {
	session.Details
	Data map[string]any `json:"data,omitempty"`
}
