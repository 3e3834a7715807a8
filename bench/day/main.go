// Command day records a long day of an agent: it plays recordings over and over until there are so
// many megabytes of output, through the raw log, the Processor and the database as a live recording
// does, and tells what that takes.
//
//	go run ./bench/day -mb 1000 -db day.db testdata/transcripts/claude/*/session.cast.gz
//
// Its time is the recordings' own: nothing waits.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"runtime"
	"time"

	"github.com/ptyrec/ptyrec/extractor/transcript"
	"github.com/ptyrec/ptyrec/internal/cast"
	"github.com/ptyrec/ptyrec/recorder/journal"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// updateEvery is the interval at which entries are saved, as in a live recording.
const updateEvery = 200 * time.Millisecond

func main() {
	path := flag.String("db", "day.db", "the database to make")
	mb := flag.Int64("mb", 1000, "how much output, in megabytes")
	flag.Parse()
	if err := run(context.Background(), *path, *mb*1_000_000, flag.Args()); err != nil {
		log.Fatal(err)
	}
}

// day is the recording in progress.
type day struct {
	ctx       context.Context
	db        *sqlite.Store
	raw       *journal.Writer
	processor *transcript.Processor
	sess      session.Session
	at        time.Duration // time of the last event
	updated   time.Duration
	bytes     int64
}

func run(ctx context.Context, path string, size int64, files []string) error {
	var recordings [][]session.Event
	for _, name := range files {
		events, err := read(name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		recordings = append(recordings, events)
	}
	if len(recordings) == 0 {
		return errors.New("no recordings")
	}
	db, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	d := &day{ctx: ctx, db: db, sess: session.Session{ID: store.NewID(), Command: []string{"day"},
		StartedAt: time.Now().UTC(), Cols: 100, Rows: 30, Agents: []session.Agent{}}}
	if d.raw, err = sqlite.Record(path, d.sess, d.pack); err != nil {
		return err
	}
	if err := db.ImportJournals(ctx, nil); err != nil { // adds the session to the database
		return err
	}
	d.processor = transcript.NewProcessor(transcript.ProcessorOptions{Cols: d.sess.Cols, Rows: d.sess.Rows,
		Started: d.sess.StartedAt, SessionID: d.sess.ID, Command: d.sess.Command})
	begun := time.Now()
	for i, told := 0, int64(0); d.bytes < size; i++ {
		if err := d.play(recordings[i%len(recordings)]); err != nil {
			return err
		}
		if d.bytes-told >= size/10 {
			told = d.bytes
			d.tell(path, begun)
		}
	}
	return d.end(path, begun)
}

func read(name string) (events []session.Event, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := cast.NewReader(f)
	if err != nil {
		return nil, err
	}
	events = append(events, session.Event{Kind: session.Resize, Cols: r.Header.Cols, Rows: r.Header.Rows})
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return events, nil
		}
		if err != nil {
			return nil, err
		}
		if e.Kind == session.Output || e.Kind == session.Resize {
			events = append(events, e)
		}
	}
}

// play plays one recording, two seconds after the previous one.
func (d *day) play(events []session.Event) error {
	start := d.at + 2*time.Second
	for _, e := range events {
		e.At += start
		d.at = e.At
		d.raw.Put(e)
		d.processor.Feed(e)
		if e.Kind == session.Output {
			d.bytes += int64(len(e.Data))
		}
		if d.at-d.updated >= updateEvery {
			if err := d.update(); err != nil {
				return err
			}
		}
	}
	return d.raw.Settle(d.ctx)
}

// pack packs the complete part of the journal, as a recorder does.
func (d *day) pack() {
	if err := d.db.Pack(d.ctx, d.sess.ID); err != nil {
		log.Print(err)
	}
}

func (d *day) update() error {
	d.updated = d.at
	entries, gone := d.processor.Changes()
	d.processor.Forget()
	return d.db.SaveEntries(d.ctx, d.sess.ID, entries, gone...)
}

func (d *day) end(path string, begun time.Time) error {
	exit := session.Event{At: d.at + time.Second, Kind: session.Exit}
	d.processor.Feed(exit)
	d.processor.Close(exit.At)
	d.raw.Put(exit)
	lost, err := d.raw.Close()
	if lost > 0 {
		err = errors.Join(err, fmt.Errorf("%d bytes are lost", lost))
	}
	err = errors.Join(err, d.update(), d.db.ImportJournals(d.ctx, nil),
		d.db.FinishSession(d.ctx, d.sess.ID, d.sess.StartedAt.Add(exit.At), 0, true), d.db.Close())
	d.tell(path, begun)
	return err
}

func (d *day) tell(path string, begun time.Time) {
	stored := int64(0)
	for _, end := range []string{"", "-wal"} {
		if info, err := os.Stat(path + end); err == nil {
			stored += info.Size()
		}
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	fmt.Printf("%7.1f MB of output, %.1f h, in %.1f s: %.2f %% in the database, %.1f MB in use\n", float64(d.bytes)/1e6,
		d.at.Hours(), time.Since(begun).Seconds(),
		100*float64(stored)/float64(d.bytes), float64(m.HeapAlloc)/1e6)
}
