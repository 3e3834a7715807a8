package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/team"
)

func newLoginCmd(a *app) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "login URL --token-file FILE",
		Short: "Let sync send sessions to the server of a team",
		Long: `Login makes sure that the server takes the token in FILE, and keeps it where only you can read it. What is sent, say ` + "`folders`" + ` and the other
settings of [team] in the configuration (docs/team.md): without them, nothing is.`,
		Example: `  ptyrec login https://ptyrec.example.com --token-file token.txt
  ptyrec login https://ptyrec.example.com --token-file - <token.txt`,
		Args: operands(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if file == "" {
				return misuse("write the token into a file, and name it with --token-file", "which token?")
			}
			token, err := a.readToken(file)
			if err != nil {
				return err
			}
			server, err := team.NewServer(args[0], token)
			if err != nil {
				return misuse("write https://HOST", "%v", err)
			}
			if err := server.Check(cmd.Context()); err != nil {
				return fail(err, "`ptyrec team token add` makes a token")
			}
			path, err := team.LoginPath()
			if err != nil {
				return err
			}
			return team.Login{Server: server.URL(), Token: token}.Save(path)
		},
	}
	cmd.Flags().StringVar(&file, "token-file", "", "read the token from this `FILE`; -: from standard input")
	return cmd
}

// maxTokenFile is the longest file with a token, in bytes.
const maxTokenFile = 4096

func (a *app) readToken(file string) (string, error) {
	in := a.stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return "", err
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxTokenFile))
	return strings.TrimSpace(string(text)), err
}

func newLogoutCmd(*app) *cobra.Command {
	return &cobra.Command{
		Use:   "logout",
		Short: "Forget the token for the server of a team",
		Long:  "Logout removes what login keeps. The token stays valid: `ptyrec team token rm` makes it void.",
		Args:  operands(0, 0),
		RunE: func(*cobra.Command, []string) error {
			path, err := team.LoginPath()
			if err == nil {
				err = os.Remove(path)
			}
			if errors.Is(err, fs.ErrNotExist) {
				err = nil
			}
			return err
		},
	}
}
