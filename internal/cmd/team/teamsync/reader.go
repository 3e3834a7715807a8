package teamsync

import (
	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/internal/team"
)

// NewReader returns a reader of the sessions on the server at an address, with the token of the
// environment or of the login. The errors have hints.
func NewReader(address string) (*team.Reader, error) {
	server, _, err := Connect(address)
	if err != nil {
		return nil, err
	}
	home, _ := sys.HomeFolder() // without a home folder, ~ is not replaced
	return team.NewReader(server, home), nil
}
