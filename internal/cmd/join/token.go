package join

import (
	"net/url"
	"os"
	"strings"
)

// Token is where a server's token is, as the flags say.
type Token struct {
	Text string // --token
	File string // --token-file
}

// For returns the token for the server at a URL, or "" if none is known. The URL itself may have it
// (#token=…); then come --token, $PTYREC_TOKEN and --token-file.
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
