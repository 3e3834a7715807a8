// Command worker reads recordings with conditions switched off, for package mutate, which builds it
// with an instrumented extractor. It reads requests from stdin, a line of JSON each, and answers on
// stdout.
package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strconv"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/testkit/mutate/switches"
	"github.com/ptyrec/ptyrec/session"
)

// Request asks for recordings to be read with a condition switched off, until one of them reads
// differently. Condition 0 asks for the digests of all of them.
type request struct {
	Condition  int
	Recordings []int    // numbers of the command line's arguments
	Digests    []string // how they read with no condition switched off
}

// reply answers a request.
type reply struct {
	Changed int      `json:",omitempty"` // index in Recordings of the one that differs, from 1; 0: none does
	Crashed bool     `json:",omitempty"` // reading it panicked
	Digests []string `json:",omitempty"` // for condition 0
	Met     [][]int  `json:",omitempty"` // likewise: the conditions that each recording met
}

func main() {
	log.SetFlags(0)
	count, err := strconv.Atoi(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	w := worker{count: count, paths: os.Args[2:], events: map[int]*events{}}
	in := json.NewDecoder(bufio.NewReader(os.Stdin))
	out := json.NewEncoder(os.Stdout)
	for {
		var r request
		if err := in.Decode(&r); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			log.Fatal(err)
		}
		a, err := w.answer(r)
		if err == nil {
			err = out.Encode(a)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
}

type worker struct {
	count  int // of conditions
	paths  []string
	events map[int]*events // of the recordings read so far
}

// events are a recording in memory.
type events struct {
	session session.Session
	list    []session.Event
	next    int
}

// Next implements archive.EventSource.
func (e *events) Next() (session.Event, error) {
	if e.next == len(e.list) {
		return session.Event{}, io.EOF
	}
	e.next++
	return e.list[e.next-1], nil
}

func (w *worker) answer(r request) (reply, error) {
	var a reply
	for i, n := range r.Recordings {
		e, err := w.recording(n)
		if err != nil {
			return a, err
		}
		switches.Begin(r.Condition, w.count)
		digest, crashed := read(e)
		if r.Condition > 0 {
			if crashed || digest != r.Digests[i] {
				return reply{Changed: i + 1, Crashed: crashed}, nil
			}
			continue
		}
		a.Digests = append(a.Digests, digest)
		a.Met = append(a.Met, switches.Met())
	}
	return a, nil
}

// recording returns recording number n from its first event on.
func (w *worker) recording(n int) (*events, error) {
	if e := w.events[n]; e != nil {
		e.next = 0
		return e, nil
	}
	rec, err := archive.OpenRecording(w.paths[n], archive.RecordingOptions{Seen: func(int) {}})
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	e := &events{session: rec.Session}
	for {
		ev, err := rec.Next()
		if err != nil {
			break
		}
		ev.Data = slices.Clone(ev.Data)
		e.list = append(e.list, ev)
	}
	w.events[n] = e
	return e, nil
}

// read returns a digest of the transcript of a recording.
func read(e *events) (digest string, crashed bool) {
	defer func() {
		if p := recover(); p != nil {
			crashed = true
		}
	}()
	t, err := archive.Transcribe(e.session, e, nil)
	if err != nil {
		return fmt.Sprint(err), false
	}
	for _, x := range t.Entries { // when something was seen is not what was said
		x.ID, x.Offset, x.EndAt = "", 0, nil
	}
	text, err := json.Marshal(t)
	if err != nil {
		return fmt.Sprint(err), false
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8]), false
}
