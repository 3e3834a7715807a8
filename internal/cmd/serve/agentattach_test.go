package serve

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDrawsTheLastRows(t *testing.T) {
	got := drawScreen("one\ntwo\nthree \x1b[31mred 漢字", 8, 2)
	if want := "\x1b[Htwo\x1b[K\r\n"; !strings.HasPrefix(got, want) || strings.Contains(got, "\x1b[31m") ||
		strings.Contains(got, "字") {
		t.Errorf("%q", got)
	}
}

// Keys are typed as they come; Ctrl+C leaves and is not typed.
func TestKeysAreTyped(t *testing.T) {
	var typed []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		typed = append(typed, r.URL.Path+" "+string(body))
	}))
	defer server.Close()
	if err := typeKeys(t.Context(), server.URL, strings.NewReader("ab\r\x03cd")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{`/message {"content":"ab\r","type":"raw"}`}, typed); diff != "" {
		t.Error(diff)
	}
}

func TestURL(t *testing.T) {
	for text, want := range map[string]string{"localhost:3284": "http://localhost:3284",
		"https://x/agentapi/last/": "https://x/agentapi/last"} {
		if got := agentapiURL(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
