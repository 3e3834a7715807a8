package join

import (
	"net/url"
	"os"
	"strings"
)

// Token is the location of a server's token, as set by flags.
type Token struct {
	Text string // --token
	File string // --token-file
}

// For returns the token for the server at a URL, or "" if none is known. The first of these is
// used: the URL (#token=…), --token, $PTYREC_TOKEN, and --token-file.
func (t Token) For(server string) (string, error) {
	if u, err := url.Parse(server); err == nil {
		if token, ok := strings.CutPrefix(u.Fragment, "token="); ok {
			return token, nil
		}
	}
	if t.Text != "" {
		return t.Text, nil
	}
	if token := os.Getenv("PTYREC_TOKEN"); token != "" || t.File == "" {
		return token, nil
	}
	text, err := os.ReadFile(t.File)
	return strings.TrimSpace(string(text)), err
}
