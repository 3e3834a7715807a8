package teamsync

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/team"
)

// tokenVariable holds a token for the server of a team. Where it is set and no folders are
// configured, everything is sent: the environment is the consent.
const tokenVariable = "PTYREC_TEAM_TOKEN"

// Connect returns the server at an address with the token of the environment or of the login, and
// whether the environment allows everything to be sent. It connects to nothing. An empty address
// is that of the login. The errors have hints.
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
		return nil, false, cli.Fail(err, serverHint)
	}
	return server, everything, nil
}

const serverHint = "set [team] server and folders in the configuration, and `ptyrec login URL --token-file FILE` (docs/team.md)"

func errNoServer() error {
	return cli.Fail(errors.New("no server of a team is configured"), serverHint)
}

// loggedIn returns the token of the login, and its address.
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
			return "", "", cli.Fail(err, serverHint)
		}
		if login.Server != s.URL() {
			return "", "", cli.Fail(fmt.Errorf("the login is for %s", login.Server), "ptyrec login "+s.URL()+" --token-file FILE")
		}
	case err != nil:
		return "", "", cli.Fail(err, "ptyrec login "+address+" --token-file FILE")
	}
	return login.Token, login.Server, nil
}

// maxTokenFile is the longest file with a token, in bytes.
const maxTokenFile = 4096

// Login keeps the token in a file, or in stdin if that is "-", if the server at an address takes
// it.
func Login(ctx context.Context, address, file string, stdin io.Reader) error {
	if file == "" {
		return cli.Misuse("write the token into a file, and name it with --token-file", "which token?")
	}
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
		return cli.Misuse("write https://HOST", "%v", err)
	}
	if err := server.Check(ctx); err != nil {
		return cli.Fail(err, "`ptyrec team token add` makes a token")
	}
	path, err := team.LoginPath()
	if err != nil {
		return err
	}
	return team.Login{Server: server.URL(), Token: token}.Save(path)
}

// Logout removes what Login keeps.
func Logout() error {
	path, err := team.LoginPath()
	if err == nil {
		err = os.Remove(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err
}
