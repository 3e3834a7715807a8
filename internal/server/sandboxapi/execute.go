package sandboxapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/ptyrec/ptyrec/internal/process"
)

// maxStream is the maximum length of a stream in a response, in bytes.
const maxStream = 64 << 20

// execute runs a command to its end and responds with its output.
func (a *API) execute(w http.ResponseWriter, r *http.Request) error {
	var o commandRequest
	if err := decode(w, r, &o); err != nil {
		return err
	}
	if o.Background {
		return a.startCommand(w, r, &o)
	}
	spec, err := o.spec(r)
	if err != nil {
		return err
	}
	spec.ID = ""
	c, _, err := a.start(r.Context(), spec)
	if err != nil {
		return errorOf(executing(&o, err), codeExecution)
	}
	output, err := collect(c, process.Offsets{}, c.Read(r.Context(), process.Offsets{}))
	if err == nil {
		err = endError(c.Info())
	}
	if err != nil {
		return errorOf(executing(&o, err), codeExecution)
	}
	info := c.Info()
	return respondOutput(w, output, map[string]any{
		"success": info.ExitCode == 0, "exitCode": info.ExitCode, "command": o.Command,
		"duration":  info.Duration().Milliseconds(),
		"sessionId": cmp.Or(o.SessionID, defaultSession),
	})
}

// executing adds the failed command to an error.
func executing(o *commandRequest, err error) error {
	//nolint:staticcheck // the SDK's words
	return fmt.Errorf("Failed to execute command '%s' in session '%s': %w", o.Command, cmp.Or(o.SessionID, defaultSession),
		err)
}

// endError returns the error for a command that did not exit by itself, or nil.
func endError(info process.Info) error {
	switch info.State {
	case process.TimedOut:
		return fmt.Errorf("Command timeout after %dms", info.Timeout.Milliseconds()) //nolint:staticcheck // the SDK's words
	case process.Failed:
		return errors.New("the command's host process ended; the exit status is unknown")
	}
	return nil
}

// output is the text of both streams, by process.Stream.
type output [process.Stderr + 1]process.Text

// collect collects the output of a command from chunks, from the offsets at on.
func collect(c *process.Command, at process.Offsets, chunks chunks) (*output, error) {
	var texts output
	for chunk, err := range chunks {
		text := &texts[chunk.Stream]
		switch {
		case err != nil:
			return nil, err
		case chunk.Info != "" && chunk.Offset != at.Of(chunk.Stream)+int64(text.Len()):
			return nil, errors.New(chunk.Info)
		case text.Len()+len(chunk.Text) > maxStream:
			return nil, failure(http.StatusInternalServerError, codeExecution,
				"it wrote more than %d MiB; run it by /api/execute/stream, or read /api/process/%s/stream",
				maxStream>>20, c.Info().ID)
		}
		text.Add(chunk.Text)
	}
	return &texts, nil
}

// respondOutput is like respond, and adds the output as the fields stdout and stderr.
func respondOutput(w http.ResponseWriter, texts *output, fields map[string]any) error {
	rest, err := json.Marshal(success(fields))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	for _, part := range []struct {
		name string
		text *process.Text
	}{{`{"stdout":`, &texts[process.Stdout]}, {`,"stderr":`, &texts[process.Stderr]}} {
		_, _ = io.WriteString(w, part.name) // an error means that the client is gone
		_ = part.text.WriteJSON(w)          // likewise
	}
	_, _ = w.Write(append([]byte{','}, rest[1:]...))
	return nil
}
