// Command mutate finds conditions that no recording needs: it switches off each condition of
// packages alone, reads all recordings again, and reports the conditions whose loss changes no
// transcript. `make mutate` runs it.
//
//	go run ./internal/testkit/mutate [-more DIR] [-accept FILE] [-only REGEXP] [-list] PACKAGES
//
// A condition is the condition of an if, a case without a tag, a returned boolean, or an operand of
// && or || in any of them. An operand of && is switched off by making it true, any other condition
// by making it false. For this, mutate builds a copy of the packages in which switches.Off wraps
// each condition (go build -overlay); nothing in the checkout changes.
//
// Each recording is first read as it is, to see which conditions it meets: only recordings that
// meet a condition can change without it. A condition that makes reading panic or hang is needed,
// too, and so is one without which a test of its package fails, or of those under extractor/ that
// import it: among them are property tests, which read what no recording has.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"
)

const (
	switchesPath = "github.com/ptyrec/ptyrec/internal/testkit/mutate/switches"
	workerPath   = "github.com/ptyrec/ptyrec/internal/testkit/mutate/worker"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("mutate: ")
	more := flag.String("more", "", "also read the recordings (*.cast) in `DIR`")
	accept := flag.String("accept", "", "a `FILE` with conditions that may change nothing, and the reasons")
	list := flag.Bool("list", false, "list the conditions that change nothing")
	only := flag.String("only", "", "examine only the conditions of files whose names or paths match this `REGEXP`")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	files, err := regexp.Compile(*only)
	if err == nil {
		err = run(flag.Arg(0), *more, *accept, files, *list)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func run(pattern, more, accept string, only *regexp.Regexp, list bool) error {
	accepted, err := readAccepted(accept)
	if err != nil {
		return err
	}
	targets, exports, err := load(pattern)
	if err != nil {
		return err
	}
	in, err := instrument(targets, exports)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program, err := build(dir, in)
	if err != nil {
		return err
	}
	paths, err := recordings(more)
	if err != nil {
		return err
	}
	tests, err := buildTests(dir, targets)
	if err != nil {
		return err
	}
	m := &mutation{program: program, tests: tests, paths: paths, conditions: in.conditions}
	if err := m.measure(); err != nil {
		return err
	}
	results, err := m.examine(only)
	if err != nil {
		return err
	}
	return report(os.Stdout, results, accepted, list)
}

// overlayFile is the file that makes the go command build the instrumented packages.
const overlayFile = "overlay.json"

// build builds the worker with the instrumented packages, in dir.
func build(dir string, in *instrumented) (program string, err error) {
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for path, text := range in.files {
		copied := filepath.Join(dir, strconv.Itoa(len(overlay.Replace))+"-"+filepath.Base(path))
		if err := os.WriteFile(copied, text, 0o600); err != nil {
			return "", err
		}
		overlay.Replace[path] = copied
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		return "", err
	}
	config := filepath.Join(dir, overlayFile)
	if err := os.WriteFile(config, text, 0o600); err != nil {
		return "", err
	}
	program = filepath.Join(dir, "worker")
	cmd := exec.Command("go", "build", "-overlay", config, "-o", program, workerPath)
	cmd.Stderr = os.Stderr
	return program, cmd.Run()
}

// recordings returns the paths of all recordings, smallest first.
func recordings(more string) ([]string, error) {
	paths, err := filepath.Glob("testdata/transcripts/*/*/session.cast.gz")
	if err == nil && more != "" {
		var other []string
		other, err = filepath.Glob(filepath.Join(more, "*.cast"))
		paths = append(paths, other...)
	}
	if err == nil && len(paths) == 0 {
		err = errors.New("no recordings: run it at the root of the repository")
	}
	return paths, err
}

// mutation is the examination of one package.
type mutation struct {
	program    string
	tests      []testProgram
	paths      []string
	conditions []condition

	digests []string        // of the recordings
	took    []time.Duration // reading time of each
	meets   [][]int         // indices of the recordings that meet each condition, fastest first
}

// result is the result for a condition.
type result struct {
	condition
	verdict string
}

// Verdicts.
const (
	needed  = "changes a transcript"
	pinned  = "fails a test"
	crashes = "only keeps it from crashing or hanging"
	unmet   = "never met"
	inert   = "met, changes nothing"
)

// measure reads all recordings without switching anything off.
func (m *mutation) measure() error {
	n := len(m.paths)
	m.digests, m.took = make([]string, n), make([]time.Duration, n)
	m.meets = make([][]int, len(m.conditions)+1)
	w, err := m.start()
	if err != nil {
		return err
	}
	defer w.stop()
	for i := range m.paths {
		begun := time.Now()
		a, err := w.ask(request{Recordings: []int{i}}, time.Hour)
		if err != nil {
			return fmt.Errorf("%s: %w", m.paths[i], err)
		}
		m.took[i], m.digests[i] = time.Since(begun), a.Digests[0]
		for _, c := range a.Met[0] {
			m.meets[c] = append(m.meets[c], i)
		}
	}
	for _, list := range m.meets {
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(m.took[a], m.took[b]) })
	}
	return nil
}

// examine switches off each condition in the files that match only, with one worker for each
// processor.
func (m *mutation) examine(only *regexp.Regexp) ([]result, error) {
	var results []result
	for _, c := range m.conditions {
		if only.MatchString(c.File) || only.MatchString(path.Base(c.File)) {
			results = append(results, result{condition: c})
		}
	}
	next := make(chan int)
	errs := make([]error, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for k := range errs {
		wg.Go(func() { errs[k] = m.work(next, results) })
	}
	begun := time.Now()
	for i := range results {
		next <- i
		if i%100 == 99 {
			log.Printf("%d of %d conditions, %v", i+1, len(results), time.Since(begun).Round(time.Second))
		}
	}
	close(next)
	wg.Wait()
	return results, errors.Join(errs...)
}

// work examines the conditions whose indices it receives. It receives all of them even after an
// error.
func (m *mutation) work(next <-chan int, results []result) (err error) {
	var w *worker
	defer func() {
		if w != nil {
			w.stop()
		}
	}()
	for i := range next {
		r := &results[i]
		meets := m.meets[r.N]
		if err != nil {
			continue
		}
		if len(meets) == 0 {
			if r.verdict = unmet; tested(m.tests, r.condition) {
				r.verdict = pinned
			}
			continue
		}
		if w == nil {
			if w, err = m.start(); err != nil {
				continue
			}
		}
		q := request{Condition: r.N, Recordings: meets}
		limit := time.Minute
		for _, n := range meets {
			q.Digests = append(q.Digests, m.digests[n])
			limit += 20 * m.took[n]
		}
		a, askErr := w.ask(q, limit)
		switch {
		case askErr != nil: // it hung, ran out of memory, or overflowed its stack
			w.stop()
			w, r.verdict = nil, crashes
		case a.Crashed:
			r.verdict = crashes
		case a.Changed > 0:
			r.verdict = needed
		case tested(m.tests, r.condition):
			r.verdict = pinned
		default:
			r.verdict = inert
		}
	}
	return err
}

// worker is a running worker program.
type worker struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *json.Decoder
}

// request and reply are the messages of the worker.
type request struct {
	Condition  int
	Recordings []int
	Digests    []string
}

type reply struct {
	Changed int
	Crashed bool
	Digests []string
	Met     [][]int
}

func (m *mutation) start() (*worker, error) {
	cmd := exec.Command(m.program, append([]string{fmt.Sprint(len(m.conditions))}, m.paths...)...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOMEMLIMIT=2GiB")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &worker{cmd, in, json.NewDecoder(bufio.NewReader(out))}, cmd.Start()
}

// ask sends a request and waits for its reply, at most for limit.
func (w *worker) ask(q request, limit time.Duration) (a reply, err error) {
	timer := time.AfterFunc(limit, func() { _ = w.cmd.Process.Kill() })
	defer timer.Stop()
	if err := json.NewEncoder(w.in).Encode(q); err != nil {
		return a, err
	}
	err = w.out.Decode(&a)
	return a, err
}

func (w *worker) stop() {
	_ = w.in.Close()
	_ = w.cmd.Process.Kill()
	_ = w.cmd.Wait()
}

// report writes a table by file and, if list is set, the conditions without effect.
func report(out io.Writer, results []result, accepted map[string]bool, list bool) error {
	w := bufio.NewWriter(out)
	verdicts := []string{needed, crashes, pinned, unmet, inert}
	fmt.Fprintf(w, "%-32s %10s  %8s %8s %8s %8s %8s %8s\n", "file", "conditions", "change", "crash", "tested", "unmet",
		"inert", "accepted")
	row := func(name string, of func(r result) bool) {
		counts := map[string]int{}
		n := 0
		for _, r := range results {
			if !of(r) {
				continue
			}
			n++
			if (r.verdict == unmet || r.verdict == inert) && accepted[r.key()] {
				counts["accepted"]++
				continue
			}
			counts[r.verdict]++
		}
		fmt.Fprintf(w, "%-32s %10d ", name, n)
		for _, v := range append(slices.Clone(verdicts), "accepted") {
			fmt.Fprintf(w, " %8d", counts[v])
		}
		fmt.Fprintln(w)
	}
	var files []string
	for _, r := range results {
		if !slices.Contains(files, r.File) {
			files = append(files, r.File)
		}
	}
	for _, f := range files {
		row(f, func(r result) bool { return r.File == f })
	}
	row("all", func(result) bool { return true })
	row("all but what is only returned", func(r result) bool { return !r.Returned })
	if list {
		for _, r := range results {
			if (r.verdict == unmet || r.verdict == inert) && !accepted[r.key()] {
				fmt.Fprintf(w, "%s:%d: %s: %s (%s)\n", r.File, r.Line, r.Func, r.Text, r.verdict)
			}
		}
	}
	return w.Flush()
}
