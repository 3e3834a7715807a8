package teamserver_test

import (
	"crypto/sha256"
	"testing"

	"github.com/ptyrec/ptyrec/internal/team/teamserver"
)

// The digest of an entry is that of its JSON as it was sent, without what is around it.
func TestDigestIsThatOfTheEntryAsSent(t *testing.T) {
	first, second := `{"id":"a","type":"message","text":"x ] , { \" é"}`, `{ "id" : "b", "type":"event" }`
	for _, body := range []string{
		`{"entries":[` + first + `,` + second + `]}`,
		"{\"version\":1,\n\"entries\" : [\n\t" + first + " ,\r\n " + second + "\n] , \"gone\":[]}",
	} {
		b, err := teamserver.DecodeBatch([]byte(body))
		if err != nil || len(b.Entries) != 2 {
			t.Fatalf("%q: %d entries, %v", body, len(b.Entries), err)
		}
		for i, want := range []string{first, second} {
			if b.Entries[i].Digest != sha256.Sum256([]byte(want)) {
				t.Errorf("%q: the digest of entry %d is not that of %q", body, i, want)
			}
		}
	}
}

// What is wrong with an entry is said once.
func TestBadEntryIsReportedOnce(t *testing.T) {
	for body, want := range map[string]string{
		`{"entries":[{"id":"","type":"message"}]}`: "bad request: an entry has no valid id",
		`{"entries":{}}`: "bad request: entries must be an array",
		`{"entries":[{"id":"a","type":"other"}]}`: "bad request: entry a has no type",
	} {
		if _, err := teamserver.DecodeBatch([]byte(body)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", body, err, want)
		}
	}
}
