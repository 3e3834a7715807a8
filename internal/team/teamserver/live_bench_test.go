package teamserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

const (
	liveSenders = 1000
	liveEach    = 5 * time.Second // a sender's entries are so far apart
	liveFollows = 50              // sessions that somebody follows on another server
	liveTime    = 20 * time.Second
	shownTime   = 3 * time.Second // an entry is on another server's page
)

// BenchmarkLiveSenders has 1,000 machines send an entry of 557 bytes every 5 s to one serve
// process, while people follow 50 of the sessions on another one. It reports the CPU time of the
// first as a share of a core, its memory, the time of a call (median and 99th percentile), that
// from a call's begin to the entry in the stream of the other, and PostgreSQL's share of a core.
// $PTYREC names the program; without it, it is built. Run it with -benchtime 1x.
func BenchmarkLiveSenders(b *testing.B) {
	s := newSite(b)
	program := os.Getenv("PTYREC")
	if program == "" {
		program = filepath.Join(b.TempDir(), "ptyrec")
		if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", program,
			"../../../cmd/ptyrec").CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
	}
	for b.Loop() {
		near, far := s.serve(b, program), s.serve(b, program)
		f := fleet{site: s, url: near.url, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: liveSenders,
			MaxConnsPerHost: liveSenders}}, sent: map[string]time.Time{}}
		for i := range liveSenders {
			f.begin(b, i)
		}
		for i := range liveFollows {
			f.follow(b, far.url, i)
		}
		begun, cpu, db := time.Now(), near.cpu(b), s.postgresCPU(b)
		f.run(b)
		took := time.Since(begun).Seconds()
		b.ReportMetric((near.cpu(b)-cpu).Seconds()/took, "cores")
		b.ReportMetric((s.postgresCPU(b)-db).Seconds()/took, "pg-cores")
		b.ReportMetric(near.memory(b), "MB")
		f.report(b)
	}
}

// served is a serve process.
type served struct {
	url string
	pid int
}

// serve starts a program as the server of the site's database.
func (s *site) serve(b *testing.B, program string) served {
	b.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(b.Context()))
	cmd := exec.CommandContext(ctx, program, "--db", s.dsn, "serve", "--listen", "127.0.0.1:0")
	cmd.Env = append(os.Environ(), "HOME="+b.TempDir())
	out, err := cmd.StdoutPipe()
	s.check(b, err)
	s.check(b, cmd.Start())
	b.Cleanup(func() {
		cancel()
		_ = cmd.Wait() // it was killed
	})
	text := make([]byte, 200)
	n, err := out.Read(text)
	s.check(b, err)
	return served{strings.TrimRight(strings.TrimSpace(string(text[:n])), "/"), cmd.Process.Pid}
}

// cpu returns the CPU time that the process has used.
func (p served) cpu(b *testing.B) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
	if err != nil {
		b.Skip("needs /proc")
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	f := strings.Fields(rest)
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// memory returns how much memory the process had at most, in MB.
func (p served) memory(b *testing.B) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
	if err != nil {
		b.Skip("needs /proc")
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kb, _ := strconv.Atoi(strings.Fields(rest)[0])
	return float64(kb) / 1000
}

// fleet is the senders, and those who follow.
type fleet struct {
	*site
	url    string
	client *http.Client

	mu    sync.Mutex // guards the fields below
	calls []time.Duration
	shown []time.Duration
	sent  map[string]time.Time // when the call with an entry began, by its text
	fault error
}

// call sends a request of the owner, and returns how long it took.
func (f *fleet) call(ctx context.Context, method, path string, body []byte) (time.Duration, error) {
	r, err := http.NewRequestWithContext(ctx, method, f.url+path, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Authorization", "Bearer "+f.tokens["owner"])
	begun := time.Now()
	answer, err := f.client.Do(r)
	if err != nil {
		return 0, err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode/100 != 2 {
		err = fmt.Errorf("%s: %d: %s", path, answer.StatusCode, text)
	}
	return time.Since(begun), err
}

func (f *fleet) begin(b *testing.B, n int) {
	var o map[string]any
	f.check(b, json.Unmarshal(begin(benchID(n), "m", 1, "shop"), &o))
	o["live"] = true
	_, err := f.call(b.Context(), "PUT", "/api/push/"+benchID(n), asJSON(o))
	f.check(b, err)
}

// follow notes when the entries of a session come on another server.
func (f *fleet) follow(b *testing.B, url string, n int) {
	r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, url+"/api/sessions/"+benchID(n)+"/events", nil)
	f.check(b, err)
	r.Header.Set("Authorization", "Bearer "+f.tokens["reader"])
	answer, err := http.DefaultClient.Do(r)
	f.check(b, err)
	if answer.StatusCode != http.StatusOK {
		b.Fatal(answer.Status)
	}
	b.Cleanup(func() { _ = answer.Body.Close() })
	go func() { // ends with the body
		text, part := "", make([]byte, 64<<10)
		for {
			n, err := answer.Body.Read(part)
			now := time.Now()
			text += string(part[:n])
			f.mu.Lock()
			for said, at := range f.sent {
				if strings.Contains(text, said) {
					f.shown = append(f.shown, now.Sub(at))
					delete(f.sent, said)
				}
			}
			f.mu.Unlock()
			text = text[max(0, len(text)-4096):]
			if err != nil {
				return
			}
		}
	}()
}

// run has all machines send, one after the other within the time that is between a machine's
// entries.
func (f *fleet) run(b *testing.B) {
	ctx, cancel := context.WithTimeout(b.Context(), liveTime)
	defer cancel()
	var all sync.WaitGroup
	for i := range liveSenders {
		all.Go(func() {
			next := time.NewTimer(liveEach * time.Duration(i) / liveSenders)
			for n := 1; ; n++ {
				select {
				case <-ctx.Done():
					return
				case <-next.C:
				}
				next.Reset(liveEach)
				f.send(b.Context(), i, n)
			}
		})
	}
	all.Wait()
}

// send sends the nth entry of a machine.
func (f *fleet) send(ctx context.Context, machine, n int) {
	said := fmt.Sprintf("said-%d-%d-", machine, n)
	text := (said + strings.Repeat(fmt.Sprintf("some words of %d, and others ", machine+n), 20))[:557]
	body, _ := batchOf(n, []*session.Entry{{ID: fmt.Sprint("e", n), Seq: n, Type: session.TypeMessage,
		Role: session.RoleAssistant, Text: text, Markdown: text, At: time.Now().UTC()}})
	if machine < liveFollows {
		f.mu.Lock()
		f.sent[said] = time.Now()
		f.mu.Unlock()
	}
	took, err := f.call(ctx, "POST", "/api/push/"+benchID(machine)+"/entries", body)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls, f.fault = append(f.calls, took), errors.Join(f.fault, err)
}

func (f *fleet) report(b *testing.B) {
	time.Sleep(shownTime) // what has not come then is too late
	f.mu.Lock()
	defer f.mu.Unlock()
	f.check(b, f.fault)
	if len(f.sent) > 0 || len(f.shown) == 0 {
		b.Errorf("%d entries came, %d did not", len(f.shown), len(f.sent))
		return
	}
	slices.Sort(f.calls)
	slices.Sort(f.shown)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(float64(len(f.calls))/liveTime.Seconds(), "calls/s")
	b.ReportMetric(ms(f.calls[len(f.calls)/2]), "median-ms")
	b.ReportMetric(ms(f.calls[len(f.calls)*99/100]), "p99-ms")
	b.ReportMetric(ms(f.shown[len(f.shown)*99/100]), "shown-p99-ms")
	b.ReportMetric(ms(f.shown[len(f.shown)-1]), "shown-max-ms")
}
