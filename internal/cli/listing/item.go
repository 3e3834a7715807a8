package listing

import (
	"io"

	"github.com/ptyrec/ptyrec/internal/cli/usage"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/store"
)

// Item is a session in the JSON of a list. Counts are missing for a session that is not extracted.
type Item struct {
	store.Overview
	Messages *int `json:"messages"`
	Turns    *int `json:"turns"`
}

// newItem returns a session as a list's JSON has it. sockets are those of the live sessions, by
// their ids.
func newItem(info *store.Info, sockets map[string]string) Item {
	item := Item{Overview: info.Overview()}
	item.Joinable = Joinable(info, sockets)
	item.Name = "" // the title is the same
	if info.Messages > 0 || !info.Unread || info.Status == store.Live {
		item.Messages, item.Turns = &info.Messages, &info.Turns
	}
	return item
}

// Joinable reports whether a session can be joined: it is live on this machine and belongs to this
// user. A program's command has no socket; it is followed by its raw log.
func Joinable(info *store.Info, sockets map[string]string) bool {
	return info.Status == store.Live && (sockets[info.ID] != "" || info.Process != "")
}

// WriteJSON writes sessions as JSON. used is their usage by id.
func WriteJSON(w io.Writer, infos []*store.Info, sockets map[string]string, used map[string]*usage.Sum) error {
	items := make([]Item, len(infos))
	for i, info := range infos {
		items[i] = newItem(info, sockets)
		if sum := used[info.ID]; sum != nil {
			items[i].Usage = sum
		}
	}
	return printable.WriteJSON(w, items)
}
