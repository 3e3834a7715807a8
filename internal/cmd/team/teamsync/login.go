package teamsync

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/team"
	"github.com/ptyrec/ptyrec/session"
)

// tokenVariable is the variable with a token for a team's server. If it is set and no folders are
// configured, everything is sent: the variable counts as consent.
const tokenVariable = "PTYREC_TEAM_TOKEN"

// Connect returns the server at an address with the token of the environment or of the login, and
// whether everything may be sent because the token comes from the environment. An empty address
// means that of the login. It opens no connection. The errors have hints.
func Connect(address string) (server *team.Server, everything bool, err error) {
	token := os.Getenv(tokenVariable)
	if token == "" {
		if token, address, err = loggedIn(address); err != nil {
			return nil, false, err
		}
	} else if address == "" {
		return nil, false, errNoServer()
	} else {
		everything = true
	}
	server, err = team.NewServer(address, token)
	if err != nil {
		return nil, false, failure.New(err, serverHint)
	}
	return server, everything, nil
}

const serverHint = "set [team] server and folders in the configuration, and `ptyrec login URL` (docs/team.md)"

func errNoServer() error {
	return failure.New(errors.New("no team server is configured"), serverHint)
}

// loggedIn returns the token and the address of the login.
func loggedIn(address string) (token, server string, err error) {
	path, err := team.LoginPath()
	if err != nil {
		return "", "", err
	}
	login, err := team.LoadLogin(path)
	switch {
	case errors.Is(err, team.ErrNoLogin) && address == "":
		return "", "", errNoServer()
	case err == nil && address != "":
		s, err := team.NewServer(address, "")
		if err != nil {
			return "", "", failure.New(err, serverHint)
		}
		if login.Server != s.URL() {
			return "", "", failure.New(fmt.Errorf("you are logged in to another server, %s", login.Server),
				"ptyrec login "+s.URL())
		}
	case err != nil:
		return "", "", failure.New(err, "ptyrec login "+address)
	}
	return login.Token, login.Server, nil
}

// maxTokenFile is the maximum size of a file with a token, in bytes.
const maxTokenFile = 4096

// Login stores the token from a file, or from stdin if file is "-", after the server at the address
// has accepted it.
func Login(ctx context.Context, address, file string, stdin io.Reader) error {
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		stdin = f
	}
	text, err := io.ReadAll(io.LimitReader(stdin, maxTokenFile))
	if err != nil {
		return err
	}
	token := strings.TrimSpace(string(text))
	server, err := team.NewServer(address, token)
	if err != nil {
		return failure.Misuse("write https://HOST", "%v", err)
	}
	if err := server.Check(ctx); err != nil {
		return hintOf(err, "`ptyrec team token add` makes a token")
	}
	return keep(server, token)
}

// hintOf adds a hint to an error of a server that can be reached.
func hintOf(err error, hint string) error {
	if errors.Is(err, session.ErrAway) {
		return err
	}
	return failure.New(err, hint)
}

// keep stores a token where only its user can read it.
func keep(server *team.Server, token string) error {
	path, err := team.LoginPath()
	if err != nil {
		return err
	}
	return team.Login{Server: server.URL(), Token: token}.Save(path)
}

// loginByBrowser creates a token, and stores it when its user has admitted this machine on a page
// of the server. It prints the address of the page and the code.
func loginByBrowser(ctx context.Context, address string, out io.Writer) error {
	token := team.NewToken()
	server, err := team.NewServer(address, token)
	if err != nil {
		return failure.Misuse("write https://HOST", "%v", err)
	}
	name, err := os.Hostname()
	if err != nil {
		return err
	}
	waiting, err := server.AskLogin(ctx, name)
	if err != nil {
		return hintOf(err, "log in with a token: ptyrec login URL --token-file FILE")
	}
	if _, err := fmt.Fprintf(out, "Open this page, and confirm if it shows the same code:\n\n    %s\n\n    %s\n\n",
		waiting.Page, waiting.Code); err != nil {
		return err
	}
	if hasBrowser() {
		_ = cli.OpenBrowser(waiting.Page) // the user can open the printed address
	}
	user, err := server.AwaitLogin(ctx)
	if err != nil {
		return hintOf(err, "ptyrec login "+server.URL())
	}
	if err := keep(server, token); err != nil {
		return err
	}
	cli.Notice(out, "logged in to "+server.URL()+" as "+user+"; `ptyrec logout` logs out")
	return nil
}

// hasBrowser reports whether a browser can open a window.
func hasBrowser() bool {
	return runtime.GOOS == "darwin" || os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
}

// logoutTime is the time limit for the server's response.
const logoutTime = 10 * time.Second

// Logout removes the stored login, and revokes the token if loginByBrowser created it.
func Logout(ctx context.Context, out io.Writer) error {
	path, err := team.LoginPath()
	if err != nil {
		return err
	}
	login, err := team.LoadLogin(path)
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, logoutTime)
		defer cancel()
		server, err := team.NewServer(login.Server, login.Token)
		if err == nil {
			err = server.Logout(ctx)
		}
		if err != nil {
			cli.Notice(out, fmt.Sprintf("warning: the token may still be valid: %v", err))
		}
	}
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
