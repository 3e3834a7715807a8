package serve

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/human/failure"
)

// announcement is what to print when a server starts.
type announcement struct {
	Address   address
	URL       string
	Token     string
	TokenFile string // path of a token file that the user chose: the token is then not printed
	Database  string
	MCPPath   string // path of the Model Context Protocol; empty if it is not served

	OpenReading bool // anyone may read
	AllowRun    bool // anyone with the token may run commands
	NoToken     bool // anyone may run commands

	Width  int // width of a terminal that can show a QR code, in cells; 0: none
	Notice func(format string, args ...any)
}

// Write writes the URL to out, with the token unless there is a TokenFile. With Notice, it also
// explains the URL and warns about what others can do.
func (n announcement) Write(out io.Writer) error {
	if !n.Address.Loopback() && n.Address.Cert == "" {
		n.Notice("warning: without --cert and --key, others on the network can see the sessions and the token; `ssh -L` " +
			"is safe (see --help)")
	}
	if n.OpenReading {
		n.Notice("warning: anyone who can reach this address can read all sessions and watch live ones")
	}
	if n.NoToken {
		n.Notice("WARNING: --unsafe-no-token: ANYONE WHO CAN CONNECT TO %s CAN RUN ANY COMMAND HERE, AS YOU, WITHOUT A TOKEN",
			n.Address.Listen)
	} else if n.AllowRun {
		n.Notice("warning: everyone who has the token can run any command here")
	}
	n.Notice("to see the sessions in %s, open this address in a browser:", n.Database)
	url := n.URL
	if n.TokenFile == "" {
		url += "#token=" + n.Token
	}
	if _, err := fmt.Fprintln(out, url); err != nil {
		return err
	}
	if n.MCPPath != "" {
		n.Notice("MCP clients connect to %s%s, with the token as Authorization: Bearer",
			strings.TrimSuffix(n.URL, "/"), n.MCPPath)
	}
	if n.TokenFile == "" {
		n.Notice("the address contains your token: anyone who has it can read and type as you")
	} else {
		n.Notice("the page asks for the token, which is in %s", n.TokenFile)
	}
	if err := n.drawQR(out, url); err != nil {
		return err
	}
	n.Notice("Ctrl+C stops the server; the sessions continue")
	return nil
}

// drawQR draws the URL as a QR code, if a phone can reach it and the terminal is wide enough.
func (n announcement) drawQR(out io.Writer, url string) error {
	if n.Address.Loopback() {
		return nil
	}
	if rows, width, err := cli.QR(url); err == nil && width <= n.Width {
		_, err := fmt.Fprintln(out, strings.Join(rows, "\n"))
		return err
	}
	return nil // the URL suffices
}

// loadToken returns the token in a file. It creates the file if it does not exist; renew replaces
// the token with a new one. An empty path means the user's default file. The error has a hint.
func loadToken(path string, renew bool) (string, error) {
	if path == "" {
		var err error
		if path, err = tokenPath(); err != nil {
			return "", failure.New(err, "name another file for the token: --token-file FILE")
		}
	}
	load := readToken
	if renew {
		load = renewToken
	}
	text, err := load(path)
	switch {
	case errors.Is(err, errTokenOpen):
		err = failure.New(err, "replace it with --new-token, or, if no one has read it, chmod 600 "+path)
	case errors.Is(err, errTokenBad):
		err = failure.New(err, "create one with --new-token")
	}
	return text, err
}
