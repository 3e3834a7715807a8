package transcript_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ptyrec/ptyrec/extractor/transcript"
	"github.com/ptyrec/ptyrec/internal/cast"
	"github.com/ptyrec/ptyrec/session"
)

// BenchmarkExtract processes the recordings of testdata: bytes of raw output a second, and how many
// times faster than they were recorded.
func BenchmarkExtract(b *testing.B) {
	type rec struct {
		h      cast.Header
		events []session.Event
	}
	var recs []rec
	var size int64
	var length time.Duration
	for _, path := range fixtureCasts(b) {
		h, events := readEvents(b, path)
		recs = append(recs, rec{h, events})
		for _, e := range events {
			size += int64(len(e.Data))
		}
		length += events[len(events)-1].At
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, r := range recs {
			process(r.h, r.events, nil)
		}
	}
	b.ReportMetric(length.Seconds()*float64(b.N)/b.Elapsed().Seconds(), "x-realtime")
}

// BenchmarkTurns processes a long talk with an agent that draws on the main screen: the cost of a
// turn must not grow with the talk.
func BenchmarkTurns(b *testing.B) {
	for _, turns := range []int{25, 500, 2000} {
		b.Run(fmt.Sprint(turns), func(b *testing.B) {
			events := conversation(turns)
			var p *transcript.Processor
			for b.Loop() {
				p = transcript.NewProcessor(transcript.ProcessorOptions{Cols: 100, Rows: 30, Started: time.Unix(0, 0),
					SessionID: "s"})
				for _, e := range events {
					p.Feed(e)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*turns), "ns/turn")
			users := 0
			for _, e := range p.Entries() {
				if e.Role == session.RoleUser {
					users++
				}
			}
			if users != turns {
				b.Fatalf("%d turns of %d were read", users, turns)
			}
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.HeapAlloc)/1e6, "MB")
			runtime.KeepAlive(p)
		})
	}
}

const (
	inkRule = "\x1b[2m\x1b[38;2;136;136;" +
		"136m────────────────────────────────────────────────────────────────────────────────────────────────────\x1b[39m" +
		"\x1b[22m\r\n"
	inkBox = inkRule + "> \x1b[7m \x1b[27m\r\n" + inkRule + "  ? for shortcuts\r\n"
)

// inkErase erases so many rows above the cursor, and its own.
func inkErase(rows int) string { return strings.Repeat("\x1b[2K\x1b[1A", rows) + "\x1b[2K\x1b[G" }

// conversation is one drawn as Claude Code 2.0 does (Ink): the input box is erased line by line,
// what is finished is printed, and the box is drawn again below it.
func conversation(turns int) []session.Event {
	var events []session.Event
	at := time.Duration(0)
	box, erase := inkBox, inkErase(4)
	frame := func(s string) {
		events = append(events, session.Event{At: at, Kind: session.Output, Data: []byte("\x1b[?2026h" + s + "\x1b[?2026l")})
		at += 60 * time.Millisecond
	}
	frame(" ▐▛███▜▌   \x1b[1mClaude Code\x1b[22m v2.0.76\r\n▝▜█████▛▘  Opus 4.5 · API Usage Billing\r\n" +
		"  ▘▘ ▝▝    ~/shop\r\n\r\n" + box)
	for i := range turns {
		frame(erase + fmt.Sprintf("\x1b[48;2;55;55;55m\x1b[38;2;255;255;255m> Explain step %d of the plan "+
			"\x1b[39m\x1b[49m\r\n\r\n", i) + box)
		for j := range 5 { // the spinner
			frame(erase + fmt.Sprintf("✻ Thinking… (%ds · esc to interrupt)\r\n\r\n", j) + box + "\x1b[1A\x1b[1B")
			frame(inkErase(6) + box)
		}
		var reply strings.Builder
		fmt.Fprintf(&reply, "\x1b[38;2;255;255;255m●\x1b[39m Step %d drops the cache and builds it again.\r\n\r\n", i)
		for j := range 12 {
			fmt.Fprintf(&reply, "  - point %d of step %d, in a line of its own with some words to read\r\n", j, i)
		}
		frame(erase + reply.String() + "\r\n" + box)
		at += 300 * time.Millisecond
	}
	return events
}

// BenchmarkReply processes a reply that streams in line by line, without a blank line: the cost of
// a line must not grow with the reply.
func BenchmarkReply(b *testing.B) {
	kinds := []struct {
		name string
		line func(i int) string
	}{
		{"prose", func(i int) string {
			return fmt.Sprintf("Step %d drops the cache and builds it again, which takes some time.", i)
		}},
		{"wrapped", func(i int) string {
			return fmt.Sprintf("and then step %d goes on with words up to the very edge of the window here and", i)
		}},
		{"items", func(i int) string { return fmt.Sprintf("- point %d, in a line of its own with some words to read", i) }},
		{"code", func(i int) string { return fmt.Sprintf("    x%d = f(%d);", i, i) }},
		{"coloured", func(i int) string { return fmt.Sprintf("\x1b[34mfunc\x1b[39m f%d()", i) }},
		{"fields", func(i int) string { return fmt.Sprintf("\x1b[1mStep %d:\x1b[22m drops the cache", i) }},
		{"table", func(i int) string { return fmt.Sprintf("│ %d │ a │", i) }},
	}
	for _, kind := range kinds {
		for _, lines := range []int{1000, 4000} {
			b.Run(fmt.Sprintf("%s-%d", kind.name, lines), func(b *testing.B) {
				events := reply(lines, kind.line)
				var p *transcript.Processor
				for b.Loop() {
					p = transcript.NewProcessor(transcript.ProcessorOptions{Cols: 100, Rows: 30, Started: time.Unix(0, 0),
						SessionID: "s"})
					for _, e := range events {
						p.Feed(e)
					}
					p.Close(events[len(events)-1].At)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*lines), "ns/line")
				said := ""
				for _, e := range p.Entries() {
					said += e.Text
				}
				if n := strings.Count(said, "\n"); n < lines/20 {
					b.Fatalf("%d lines were read: %.200q", n, said)
				}
			})
		}
	}
}

// reply is one prompt and its answer, drawn as conversation does, with ten lines in a frame.
func reply(lines int, line func(i int) string) []session.Event {
	events := conversation(1)
	at := events[len(events)-1].At
	for i := 0; i < lines; {
		text := inkErase(5)
		if i == 0 {
			text = inkErase(4) + "\x1b[48;2;55;55;55m\x1b[38;2;255;255;255m> Say all \x1b[39m\x1b[49m\r\n\r\n" +
				"\x1b[38;2;255;255;255m●\x1b[39m All of it follows here:\r\n"
		}
		for range 10 {
			text += "  " + line(i) + "\r\n"
			i++
		}
		at += 50 * time.Millisecond
		events = append(events, session.Event{At: at, Kind: session.Output,
			Data: []byte("\x1b[?2026h" + text + "\r\n" + inkBox + "\x1b[?2026l")})
	}
	return append(events, session.Event{At: at + time.Second, Kind: session.Output, Data: []byte("\x1b[G")})
}

// BenchmarkFloods processes what programs print without end: bytes of raw output a second, and a
// second of CPU time, which other work on the machine hardly changes. Each must be at least 5 MB/s.
func BenchmarkFloods(b *testing.B) {
	const (
		prompt = "\x1b]133;A\x07dev@box:~$ \x1b]133;B\x07"
		output = "\x1b]133;C\x07"
		done   = "\x1b]133;D;0\x07"
	)
	shell := func(text string, size int, gap time.Duration) []session.Event {
		return flood(prompt+"cmd\r\n"+output+text+"\r\n"+done+prompt, size, gap)
	}
	bar := func(i int) string {
		return fmt.Sprintf("\r\x1b[K%3d%% [%-50s] %d MB/s", i%100, strings.Repeat("#", i%50), i)
	}
	for _, bm := range []struct {
		name   string
		events []session.Event
	}{
		{"long-lines", shell(repeat(20, func(i int) string { return strings.Repeat("x", 200_000) + "\r\n" }), 4096,
			5*time.Millisecond)},
		{"no-newline", shell(strings.Repeat("word ", 800_000), 1000, 5*time.Millisecond)},
		{"progress-bars", shell(repeat(20_000, bar), 70, 5*time.Millisecond)},
		{"progress-below", shell(repeat(15_000, func(i int) string { return fmt.Sprintf("line %d\r\n", i) })+repeat(20_000,
			bar), 70, 5*time.Millisecond)},
		{"prompts", flood(repeat(300_000, func(i int) string {
			return fmt.Sprintf("%secho %d\r\n%s%d\r\n%s", prompt, i, output, i, done)
		}), 64<<10, time.Millisecond)},
		{"prompts-vary", flood(repeat(50_000, func(i int) string {
			return fmt.Sprintf("\x1b]133;A\x07%d ~/dir%d \x1b]133;B\x07echo %d\r\n%s%d\r\n%s", i, i*7%1000, i, output, i, done)
		}), 64<<10, time.Millisecond)},
		{"prompt-frames", flood(repeat(30_000, func(i int) string {
			return fmt.Sprintf("%secho %d\r\n%s%d\r\n%s", prompt, i, output, i, done)
		}), 35, 5*time.Millisecond)},
		{"bare-prompts", flood(repeat(30_000, func(int) string { return "\r\n" + done + prompt }), 35, 5*time.Millisecond)},
		{"links", shell(repeat(1_000_000, func(i int) string {
			return fmt.Sprintf("\x1b]8;;https://example.com/page/%d\x07link %d\x1b]8;;\x07 ", i, i)
		}), 64<<10, time.Millisecond)},
		{"alternate-screen", shell(repeat(1_000_000, func(i int) string {
			return fmt.Sprintf("\x1b[?1049hscreen %d\x1b[?1049l", i)
		}), 64<<10, time.Millisecond)},
		{"whole-frames", shell(repeat(100_000, func(i int) string {
			return fmt.Sprintf("\x1b[?2026hrow %d\r\n\x1b[?2026l",
				i)
		}), 64<<10, time.Millisecond)},
	} {
		b.Run(bm.name, func(b *testing.B) {
			size := int64(0)
			for _, e := range bm.events {
				size += int64(len(e.Data))
			}
			b.SetBytes(size)
			b.ReportAllocs()
			runtime.GC() // the events are no part of it
			began := cpuTime(b)
			for b.Loop() {
				p := transcript.NewProcessor(transcript.ProcessorOptions{Cols: 80, Rows: 24, Started: time.Unix(0, 0),
					SessionID: "s"})
				for i, e := range bm.events {
					if p.Feed(e); i%100 == 0 {
						p.Changes()
						p.Forget()
					}
				}
				p.Close(bm.events[len(bm.events)-1].At)
			}
			b.ReportMetric(float64(size)*float64(b.N)/1e6/(cpuTime(b)-began).Seconds(), "MB/cpu-s")
		})
	}
}

// cpuTime is what this process has used of the processors.
func cpuTime(b *testing.B) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func repeat(n int, piece func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(piece(i))
	}
	return b.String()
}

// flood cuts text into events of so many bytes with a gap between.
func flood(text string, size int, gap time.Duration) []session.Event {
	var events []session.Event
	for from := 0; from < len(text); from += size {
		at := time.Duration(len(events)) * gap
		events = append(events, session.Event{At: at, Kind: session.Output,
			Data: []byte(text[from:min(from+size, len(text))])})
	}
	return events
}
