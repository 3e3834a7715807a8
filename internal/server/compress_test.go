//go:build linux

package server_test

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ptyrec/ptyrec/internal/server"
)

// fetch sends a request as a browser that takes gzip, and returns the answer as it is.
func (s *site) fetch(t *testing.T, path string, header ...string) (*http.Response, []byte) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Accept-Encoding", "gzip")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, body
}

// Answers were sent uncompressed.
func TestAnswersAreCompressed(t *testing.T) {
	s := newSite(t, nil)
	info, output := s.recorded()
	for _, path := range []string{"/entries?limit=1000", "/events", "/export?format=json", "/export?format=md",
		"/export?format=svg", "/screen", "/raw"} {
		path = "/api/sessions/" + info.ID + path
		_, plain := s.fetch(t, path, "Accept-Encoding", "identity")
		resp, packed := s.fetch(t, path)
		if resp.Header.Get("Content-Encoding") != "gzip" || len(packed) > len(plain)*2/3 {
			t.Errorf("%s: %q, %d bytes of %d", path, resp.Header.Get("Content-Encoding"), len(packed), len(plain))
			continue
		}
		r, err := gzip.NewReader(strings.NewReader(string(packed)))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != string(plain) {
			t.Errorf("%s: %d bytes come out of it, want %d; %v", path, len(got), len(plain), err)
		}
	}
	resp, part := s.fetch(t, "/api/sessions/"+info.ID+"/raw", "Range", "bytes=10-5009")
	if resp.StatusCode != http.StatusPartialContent || string(part) != string(output[10:5010]) {
		t.Errorf("a range: %s, %d bytes", resp.Status, len(part))
	}
}

// The page's files had no ETag, so browsers loaded them each time.
func TestPageIsCached(t *testing.T) {
	script := strings.Repeat("console.log('ptyrec');\n", 200)
	pages := fstest.MapFS{"index.html": {Data: []byte(`<script src="/app.js"></script>`)},
		"app.js": {Data: []byte(script)}}
	s := newSite(t, func(o *server.Options) { o.Page = pages })
	_, index := s.fetch(t, "/")
	link := regexp.MustCompile(`"(/app\.js\?v=[0-9a-f]{16})"`).FindStringSubmatch(string(index))
	if link == nil {
		t.Fatalf("the page is %q", index)
	}
	resp, body := s.fetch(t, link[1])
	if h := resp.Header; h.Get("Content-Encoding") != "gzip" || !strings.Contains(h.Get("Cache-Control"), "immutable") ||
		len(body) > 1000 || !strings.Contains(h.Get("Content-Type"), "javascript") {
		t.Errorf("%s: %v, %d bytes", link[1], h, len(body))
	}
	for _, path := range []string{"/", "/s/x", "/app.js", "/app.js?v=0123456789abcdef"} {
		resp, _ := s.fetch(t, path)
		if strings.Contains(resp.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %s", path, resp.Header.Get("Cache-Control"))
		}
		again, body := s.fetch(t, path, "If-None-Match", resp.Header.Get("ETag"))
		if again.StatusCode != http.StatusNotModified || len(body) > 0 {
			t.Errorf("%s again: %s, %d bytes", path, again.Status, len(body))
		}
	}
	pages["app.js"] = &fstest.MapFile{Data: []byte("2")}
	other := newSite(t, func(o *server.Options) { o.Page = pages })
	if _, changed := other.fetch(t, "/"); string(changed) == string(index) {
		t.Error("another script has the same address")
	}
}
