package team

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"math"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store/pg"
)

// decodeList reads an array of entries, no more than maxEntries.
func decodeList(b []byte) (list []pg.Sent, err error) {
	if bytes.Equal(b, []byte("null")) {
		return nil, nil
	}
	in := json.NewDecoder(bytes.NewReader(b))
	if start, err := in.Token(); err != nil || start != json.Delim('[') {
		return nil, bad("entries is an array")
	}
	for in.More() {
		if len(list) == maxEntries {
			return nil, bad("more than %d entries", maxEntries)
		}
		start := in.InputOffset()
		e := &session.Entry{}
		if err := in.Decode(e); err != nil {
			return nil, bad("%v", err)
		}
		if err := checkEntry(e); err != nil {
			return nil, err
		}
		raw := bytes.TrimLeft(b[start:in.InputOffset()], ", \t\r\n")
		list = append(list, pg.Sent{Entry: e, Digest: sha256.Sum256(raw)})
	}
	return list, nil
}

// checkEntry returns an error if an entry cannot be stored.
func checkEntry(e *session.Entry) error {
	switch {
	case !isEntryID(e.ID):
		return bad("an entry has no valid id")
	case e.Seq < 0 || e.Seq > math.MaxInt32 || e.Offset < 0:
		return bad("entry %s: seq and offset count from 0", e.ID)
	case e.Type != session.TypeMessage && e.Type != session.TypeEvent:
		return bad("entry %s has no type", e.ID)
	}
	return nil
}
