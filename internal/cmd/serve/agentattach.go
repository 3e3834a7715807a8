package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/internal/sys/proc"
	"github.com/ptyrec/ptyrec/internal/sys/redirect"
)

// agentapiURL returns the URL of a server from an address in the forms that users write.
func agentapiURL(text string) string {
	if !strings.HasPrefix(text, "http") {
		text = "http://" + text
	}
	return strings.TrimRight(text, "/")
}

// maxEvent is the maximum length of an event, in bytes.
const maxEvent = 1 << 20

// leaveKey is the key that detaches, Ctrl+C. It is not typed into the session.
const leaveKey = 0x03

// AttachAgentapi shows the screen of the server at url on the terminal out, and types what is typed
// at the terminal in, until Ctrl+C or the end of the server.
func AttachAgentapi(ctx context.Context, url string, in, out *os.File) error {
	if err := checkAgentapi(ctx, url); err != nil {
		return err
	}
	state, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return err
	}
	defer func() { _ = term.Restore(int(in.Fd()), state) }()
	_, _ = io.WriteString(out, "\x1b[?1049h\x1b[?25l")
	defer func() { _, _ = io.WriteString(out, "\x1b[?25h\x1b[?1049l") }()
	ctx, cancel := signal.NotifyContext(ctx, proc.DeadlySignals()...)
	defer cancel()
	errs := make(chan error, 2)
	var showing sync.WaitGroup
	showing.Go(func() { errs <- showScreen(ctx, url, out) })
	// Ends with the process, as a read from a terminal cannot be interrupted.
	go func() { errs <- typeKeys(ctx, url, in) }()
	err = <-errs
	cancel()
	showing.Wait()
	return err
}

// checkAgentapi returns an error unless the server responds.
func checkAgentapi(ctx context.Context, url string) error {
	resp, err := askAgentapi(ctx, http.MethodGet, url+"/status", nil)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// askAgentapi sends a request. A status other than success is an error.
func askAgentapi(ctx context.Context, method, url string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := redirect.SameHost(nil).Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close()
		return nil, fmt.Errorf("%s: %s", url, resp.Status)
	}
	return resp, nil
}

// showScreen draws the screen whenever it changes, until the stream ends.
func showScreen(ctx context.Context, url string, out *os.File) error {
	resp, err := askAgentapi(ctx, http.MethodGet, url+"/internal/screen", nil)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, maxEvent)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e struct{ Screen string }
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			return err
		}
		cols, rows, err := term.GetSize(int(out.Fd()))
		if err != nil {
			return err
		}
		if _, err := io.WriteString(out, drawScreen(e.Screen, cols, rows)); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	return lines.Err()
}

// drawScreen returns output that makes a terminal show the last rows of a screen.
func drawScreen(screen string, cols, rows int) string {
	lines := strings.Split(screen, "\n")
	lines = lines[max(0, len(lines)-rows):]
	var b strings.Builder
	b.WriteString("\x1b[H")
	for i, line := range lines {
		if i > 0 {
			b.WriteString("\r\n")
		}
		b.WriteString(ansi.Truncate(printable.Line(line), cols, ""))
		b.WriteString("\x1b[K")
	}
	b.WriteString("\x1b[J")
	return b.String()
}

// typeKeys types what is read from in, until Ctrl+C.
func typeKeys(ctx context.Context, url string, in io.Reader) error {
	buf := make([]byte, 4096)
	for {
		n, err := in.Read(buf)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		text := buf[:n]
		at := bytes.IndexByte(text, leaveKey)
		if at >= 0 {
			text = text[:at]
		}
		if len(text) > 0 {
			body, _ := json.Marshal(map[string]string{"type": "raw", "content": string(text)}) // can always be encoded
			resp, err := askAgentapi(ctx, http.MethodPost, url+"/message", body)
			if err != nil {
				return err
			}
			_ = resp.Body.Close()
		}
		if at >= 0 {
			return nil
		}
	}
}
