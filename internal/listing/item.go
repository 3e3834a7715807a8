package listing

import (
	"io"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Item is a session in a list's JSON: what a transcript says of it, and more. Times are in seconds.
type Item struct {
	session.Session
	Status   string `json:"status"`
	Joinable bool   `json:"joinable,omitempty"` // it runs, and attach, send and the like reach it
	store.Details
}

// NewItem returns the item of a session. sockets are those of the live sessions, by their ids.
func NewItem(info *store.Info, sockets map[string]string) Item {
	item := Item{Session: info.Session, Status: info.Status, Joinable: Joinable(info, sockets), Details: info.Details()}
	item.Name = "" // the title is the same
	return item
}

// Joinable reports whether a session can be joined: it runs, on this machine, as this user. The
// commands of programs are followed by their raw logs.
func Joinable(info *store.Info, sockets map[string]string) bool {
	return info.Status == store.Live && (sockets[info.ID] != "" || info.Process != "")
}

// WriteJSON writes sessions as JSON.
func WriteJSON(w io.Writer, infos []*store.Info, sockets map[string]string) error {
	items := make([]Item, len(infos))
	for i, info := range infos {
		items[i] = NewItem(info, sockets)
	}
	return cli.WriteJSON(w, items)
}
