package bucket_test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/team/bucket"
	"github.com/ptyrec/ptyrec/session"
)

// server sets the environment to a server of S3 that answers so.
func server(t *testing.T, h http.HandlerFunc) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	for name, value := range map[string]string{"AWS_ENDPOINT_URL_S3": s.URL, "AWS_REGION": "",
		"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test-secret"} {
		t.Setenv(name, value)
	}
}

// A call that fails on the server's side is made once more, and signed.
func TestFailedCallIsMadeAgain(t *testing.T) {
	var calls atomic.Int64
	server(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential=test/") ||
			len(r.Header.Get("X-Amz-Content-Sha256")) != 64 {
			t.Errorf("%s %s is not signed: %v", r.Method, r.URL, r.Header)
		}
		if calls.Add(1)%2 == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	b, err := bucket.Open(t.Context(), "s3://b")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Put(t.Context(), "k", []byte("x"), sha256.Sum256([]byte("x"))); err != nil || calls.Load() != 4 {
		t.Errorf("%v after %d calls", err, calls.Load())
	}
}

// A bucket of another region says where it is; one that is full, that it is.
func TestRefusalsOfABucket(t *testing.T) {
	for want, answer := range map[string]func(w http.ResponseWriter){
		"region eu-north-1": func(w http.ResponseWriter) {
			w.Header().Set("X-Amz-Bucket-Region", "eu-north-1")
			w.WriteHeader(http.StatusMovedPermanently)
		},
		session.ErrFull.Error(): func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte("<Error><Code>QuotaExceeded</Code></Error>"))
		},
		session.ErrNotWritable.Error(): func(w http.ResponseWriter) { w.WriteHeader(http.StatusForbidden) },
		session.ErrBusy.Error():        func(w http.ResponseWriter) { w.WriteHeader(http.StatusInternalServerError) },
	} {
		opened := false
		server(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodHead && want != "region eu-north-1" {
				opened = true
				return
			}
			answer(w)
		})
		b, err := bucket.Open(t.Context(), "s3://b")
		if err == nil {
			err = b.Put(t.Context(), "k", []byte("x"), sha256.Sum256([]byte("x")))
		}
		if err == nil || !strings.Contains(err.Error(), want) || opened == strings.HasPrefix(want, "region") {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A list has as many pages as the server makes of it.
func TestListOfManyPages(t *testing.T) {
	server(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("list-type") != "2" {
			return
		}
		n := len(r.URL.Query().Get("continuation-token"))
		_, _ = fmt.Fprintf(w, `<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>%t</IsTruncated>`+
			`<NextContinuationToken>%s</NextContinuationToken>`+
			`<Contents><Key>p/a+%%2B%d</Key><LastModified>2026-01-02T03:04:`+
			`05.000Z</LastModified></Contents></ListBucketResult>`, n < 3, strings.Repeat("+", n+1), n)
	})
	b, err := bucket.Open(t.Context(), "s3://b/p")
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for key, err := range b.Before(t.Context(), time.Now()) {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	if want := []string{"a +0", "a +1", "a +2", "a +3"}; !slices.Equal(keys, want) {
		t.Errorf("%q, want %q", keys, want)
	}
}
