package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// maxLine is the maximum length of a message, in bytes. No tool needs a longer one.
	maxLine = 4 << 20
	// drainTime is how long calls may continue after the end of the input.
	drainTime = 10 * time.Second
	// maxMessage is the maximum length of a protocol error's message, in characters.
	maxMessage = 300
)

// lines is a transport with one message a line. Unlike the SDK's, it survives invalid lines, and
// answers what was asked before the end of the input.
type lines struct {
	in    io.Reader
	out   io.Writer
	drain time.Duration // 0: drainTime
	ended func()        // called at the end of the input; may be nil
}

// Connect implements sdk.Transport.
func (l *lines) Connect(context.Context) (sdk.Connection, error) {
	c := &lineConn{
		out: l.out, drain: l.drain, ended: l.ended, read: make(chan line), closed: make(chan struct{}),
		idle:  make(chan struct{}, 1),
		calls: map[jsonrpc.ID]*call{},
	}
	if c.drain == 0 {
		c.drain = drainTime
	}
	go c.readLines(l.in)
	return c, nil
}

// line is a line of the input, or the error at its end.
type line struct {
	text []byte
	long bool // it was longer than maxLine, and text is empty
	err  error
}

// call is a request without a response yet.
type call struct {
	method    string
	cancelled bool
	batch     *batch // the batch that contains it; may be nil
}

// batch collects the responses to an array of requests (up to protocol 2025-03-26).
type batch struct {
	left      int // number of requests without a response
	responses []json.RawMessage
}

// lineConn implements sdk.Connection.
type lineConn struct {
	drain  time.Duration
	ended  func()
	read   chan line
	queue  []jsonrpc.Message // of a batch; only Read uses it
	closed chan struct{}
	once   sync.Once
	idle   chan struct{} // receives a value after a response

	writing sync.Mutex // held while a message is written
	out     io.Writer

	mu      sync.Mutex // guards the fields below
	calls   map[jsonrpc.ID]*call
	version string // protocol version, after the response to initialize
}

// readLines reads until the end of the input or Close. A read from a terminal or pipe cannot be
// interrupted, so readLines may still be in one after Close has returned.
func (c *lineConn) readLines(in io.Reader) {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		l := readLine(r)
		select {
		case c.read <- l:
		case <-c.closed:
			return
		}
		if l.err != nil {
			return
		}
	}
}

// readLine reads a line, and holds at most maxLine of it in memory.
func readLine(r *bufio.Reader) (l line) {
	for {
		part, err := r.ReadSlice('\n')
		if l.long = l.long || len(l.text)+len(part) > maxLine; l.long {
			l.text = nil
		} else {
			l.text = append(l.text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		// the next call returns the end
		case err == nil, errors.Is(err, io.EOF) && (l.long || len(bytes.TrimSpace(l.text)) > 0):
			return l
		}
		return line{err: err}
	}
}

// SessionID implements sdk.Connection.
func (c *lineConn) SessionID() string { return "" }

// Close implements sdk.Connection.
func (c *lineConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// Read implements sdk.Connection. At the end of the input it waits until all requests have
// responses.
func (c *lineConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if len(c.queue) > 0 {
			next := c.queue[0]
			c.queue = c.queue[1:]
			return next, nil
		}
		select {
		case l := <-c.read:
			if l.err != nil {
				if c.ended != nil {
					c.ended()
				}
				c.await(func(call *call) bool { return call.method != methodListen }) // a subscription runs until it is cancelled
				return nil, l.err
			}
			if err := c.take(l); err != nil {
				return nil, err
			}
		case <-c.closed:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// await waits until no call for which matters is true is left, or drainTime has passed.
func (c *lineConn) await(matters func(*call) bool) {
	late := time.NewTimer(c.drain)
	defer late.Stop()
	for c.busy(matters) {
		select {
		case <-c.idle:
		case <-late.C:
			return
		case <-c.closed:
			return
		}
	}
}

// busy reports whether such a call is left.
func (c *lineConn) busy(matters func(*call) bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, call := range c.calls {
		if matters(call) {
			return true
		}
	}
	return false
}

const (
	methodListen     = "subscriptions/listen"
	methodInitialize = "initialize"
	methodCancelled  = "notifications/cancelled"
)

// take queues the messages of a line, and responds to invalid ones.
func (c *lineConn) take(l line) error {
	text := bytes.TrimSpace(l.text)
	switch {
	case l.long:
		return c.refuse(nil, jsonrpc.CodeInvalidRequest, "the message is longer than 4 MiB")
	case len(text) == 0:
		return nil
	case !json.Valid(text) || !utf8.Valid(text):
		return c.refuse(nil, jsonrpc.CodeParseError, "parse error: the line is not JSON")
	case text[0] == '[':
		return c.takeBatch(text)
	}
	m, refusal := c.decode(text, nil)
	if refusal != nil {
		return c.write(refusal)
	}
	if m != nil {
		c.queue = append(c.queue, m)
	}
	return nil
}

// takeBatch queues the messages of a batch.
func (c *lineConn) takeBatch(text []byte) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(text, &parts); err != nil || len(parts) == 0 {
		return c.refuse(nil, jsonrpc.CodeInvalidRequest, "an empty batch")
	}
	c.await(func(call *call) bool { return call.method == methodInitialize })
	c.mu.Lock()
	version := c.version
	c.mu.Unlock()
	if version != "2024-11-05" && version != "2025-03-26" {
		return c.refuse(nil, jsonrpc.CodeInvalidRequest, "this version of the protocol does not support batches")
	}
	b := &batch{left: 1} // 1, until all parts are known
	for _, part := range parts {
		m, refusal := c.decode(part, b)
		if refusal != nil {
			b.responses = append(b.responses, refusal)
		} else if m != nil {
			c.queue = append(c.queue, m)
		}
	}
	return c.finish(b, nil)
}

// finish adds a response to a batch, and writes the batch if it is complete.
func (c *lineConn) finish(b *batch, response json.RawMessage) error {
	c.mu.Lock()
	if b.left--; response != nil {
		b.responses = append(b.responses, response)
	}
	done := b.left == 0 && len(b.responses) > 0
	c.mu.Unlock()
	if !done {
		return nil
	}
	all, err := json.Marshal(b.responses)
	if err != nil {
		return err
	}
	return c.write(all)
}

// cancel removes a call whose response is no longer wanted. c.mu must be held.
func (c *lineConn) cancel(r *jsonrpc.Request) {
	var params struct {
		RequestID any `json:"requestId"`
	}
	if json.Unmarshal(r.Params, &params) != nil {
		return
	}
	id, err := jsonrpc.MakeID(params.RequestID)
	if call := c.calls[id]; err == nil && call != nil && call.method != methodInitialize && call.method != methodListen {
		call.cancelled = true
	}
}

// Write implements sdk.Connection.
func (c *lineConn) Write(_ context.Context, m jsonrpc.Message) error {
	r, ok := m.(*jsonrpc.Response)
	if !ok {
		text, err := jsonrpc.EncodeMessage(m)
		if err != nil {
			return err
		}
		return c.write(text)
	}
	r.Error = plainError(r.Error)
	text, err := jsonrpc.EncodeMessage(r)
	if err != nil { // a response that cannot be encoded must not end the connection
		text, err = jsonrpc.EncodeMessage(&jsonrpc.Response{ID: r.ID,
			Error: &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}})
	}
	if err != nil {
		return err
	}
	c.mu.Lock()
	asked := c.calls[r.ID]
	delete(c.calls, r.ID)
	if asked != nil && asked.method == methodInitialize && r.Error == nil {
		c.version = versionOf(r.Result)
	}
	c.mu.Unlock()
	switch {
	case asked == nil:
		err = c.write(text)
	case asked.batch != nil && asked.cancelled:
		err = c.finish(asked.batch, nil)
	case asked.batch != nil:
		err = c.finish(asked.batch, text)
	case !asked.cancelled:
		err = c.write(text)
	}
	select {
	case c.idle <- struct{}{}:
	default:
	}
	return err
}

// write writes a line.
func (c *lineConn) write(text []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.out.Write(append(text, '\n'))
	return err
}
