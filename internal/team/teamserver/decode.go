package teamserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"math"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// DecodeBatch decodes entries from machines. The digest of each is that of its JSON as received,
// without surrounding white space. Entries are decoded one at a time, so that many small ones take
// no more memory than the limit.
func DecodeBatch(body []byte) (b postgres.Batch, err error) {
	in := json.NewDecoder(bytes.NewReader(body))
	fields := map[string]any{"version": &b.Version, "after": &b.After, "gone": &b.Gone, "all": &b.All}
	if start, err := in.Token(); err != nil || start != json.Delim('{') {
		return b, bad("the body is not an object")
	}
	for in.More() {
		var ignored json.RawMessage
		key, err := in.Token()
		switch {
		case err != nil:
		case key == "entries":
			b.Entries, err = decodeList(in, body)
		case fields[key.(string)] != nil:
			err = in.Decode(fields[key.(string)])
		default:
			err = in.Decode(&ignored)
		}
		if errors.Is(err, errBad) { // an entry's error says what is wrong
			return b, err
		} else if err != nil {
			return b, bad("%v", err)
		}
	}
	if _, err := in.Token(); err != nil {
		return b, bad("%v", err)
	}
	if _, err := in.Token(); !errors.Is(err, io.EOF) {
		return b, bad("unexpected data after the object")
	}
	if len(b.Gone) > maxEntries {
		return b, bad("more than %d entries", maxEntries)
	}
	for _, id := range b.Gone {
		if !isEntryID(id) {
			return b, bad("an entry has no valid id")
		}
	}
	return b, nil
}

// decodeList decodes an array of at most maxEntries entries.
func decodeList(in *json.Decoder, body []byte) (list []postgres.Sent, err error) {
	if start, err := in.Token(); err != nil || start == nil {
		return nil, err
	} else if start != json.Delim('[') {
		return nil, bad("entries must be an array")
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
		raw := bytes.TrimLeft(body[start:in.InputOffset()], ", \t\r\n")
		list = append(list, postgres.Sent{Entry: e, Digest: sha256.Sum256(raw)})
	}
	_, err = in.Token()
	return list, err
}

// checkEntry returns an error if an entry cannot be stored.
func checkEntry(e *session.Entry) error {
	switch {
	case !isEntryID(e.ID):
		return bad("an entry has no valid id")
	case e.Seq < 0 || e.Seq > math.MaxInt32 || e.Offset < 0:
		return bad("entry %s: seq and offset must be at least 0", e.ID)
	case e.Type != session.TypeMessage && e.Type != session.TypeEvent:
		return bad("entry %s has no type", e.ID)
	}
	return nil
}
