package redirect_test

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/cmd/serve"
	"github.com/ptyrec/ptyrec/internal/sys/redirect"
	"github.com/ptyrec/ptyrec/internal/team/bucket"
	"github.com/ptyrec/ptyrec/internal/team/teamserver"
	"github.com/ptyrec/ptyrec/protocol"
)

func TestSameHost(t *testing.T) {
	for _, c := range []struct {
		from, to string
		follows  bool
	}{
		{"http://a.example/x", "http://a.example/y", true},
		{"http://a.example/x", "http://A.EXAMPLE:80/y", true},
		{"http://a.example/x", "https://a.example/x", true},
		{"https://a.example/x", "http://a.example/x", false},
		{"http://a.example:8080/x", "https://a.example/x", false},
		{"http://127.0.0.1:8080/x", "http://127.0.0.1:8081/x", false},
		{"https://a.example/x", "https://b.a.example/x", false},
		{"https://a.example/x", "https://b.example/x", false},
	} {
		from, fromErr := url.Parse(c.from)
		to, toErr := url.Parse(c.to)
		if fromErr != nil || toErr != nil {
			t.Fatal(fromErr, toErr)
		}
		err := redirect.SameHost(nil).CheckRedirect(&http.Request{URL: to}, []*http.Request{{URL: from}})
		if (err == nil) != c.follows || err != nil && !errors.Is(err, redirect.ErrElsewhere) {
			t.Errorf("from %s to %s: %v", c.from, c.to, err)
		}
	}
	loop := &http.Request{URL: &url.URL{Scheme: "http", Host: "a"}}
	if redirect.SameHost(nil).CheckRedirect(loop, []*http.Request{loop, loop, loop, loop, loop, loop, loop}) == nil {
		t.Error("a loop is followed")
	}
}

// No client follows a redirect to another host, which would get the token, or what is sent. The
// tests of packages team and notify ask their clients, which try again for a while.
func TestNoClientFollowsToAnotherHost(t *testing.T) {
	const token = "secret-token-0123456789"
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "key")
	commands := func(ctx context.Context, at, sandbox string) error {
		c, err := client.DialCommands(ctx, at, sandbox, client.Options{Token: token})
		if err == nil {
			_, err = c.Start(ctx, client.Exec{Command: "true"})
		}
		return err
	}
	attach := func(ctx context.Context, at string) error {
		c, err := client.Dial(ctx, at, client.Options{Token: token})
		if err != nil {
			return err
		}
		s, err := c.Attach(ctx, "main", client.AttachOptions{Name: "test", Kind: protocol.Human})
		if err != nil {
			return err
		}
		defer s.Close()
		_, err = s.Next(ctx)
		return err
	}
	for name, ask := range map[string]func(ctx context.Context, at string) error{
		"client": func(ctx context.Context, at string) error {
			_, err := client.Dial(ctx, at, client.Options{Token: token})
			return err
		},
		"WebSocket": func(ctx context.Context, at string) error { return attach(ctx, at+"/known") },
		"management": func(ctx context.Context, at string) error {
			return attach(ctx, "ws"+strings.TrimPrefix(at, "http")+"/agent")
		},
		"commands":      func(ctx context.Context, at string) error { return commands(ctx, at, "") },
		"commands, box": func(ctx context.Context, at string) error { return commands(ctx, at+"/known", "box") },
		"commands, dataplane": func(ctx context.Context,
			at string) error {
			return commands(ctx, at+"/langsmith/boxes/x", "")
		},
		"OpenID Connect": func(ctx context.Context, at string) error {
			p, err := teamserver.NewProvider(at, "client", token)
			return errors.Join(err, p.Discover(ctx))
		},
		"agentapi attach": func(ctx context.Context, at string) error {
			return serve.AttachAgentapi(ctx, "http://x:"+token+"@"+strings.TrimPrefix(at, "http://"), nil, nil)
		},
		"bucket": func(ctx context.Context, at string) error {
			t.Setenv("AWS_ENDPOINT_URL_S3", at)
			_, err := bucket.Open(ctx, "s3://bucket/")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			var asked, followed atomic.Int32
			elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Add(1) }))
			defer elsewhere.Close()
			first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/known/api/info") {
					_, _ = w.Write([]byte(`{"name": "ptyrec"}`))
					return
				}
				asked.Add(1)
				http.Redirect(w, r, elsewhere.URL+r.URL.Path, http.StatusTemporaryRedirect)
			}))
			defer first.Close()
			if err := ask(t.Context(), first.URL); err == nil {
				t.Error("a redirect is no error")
			}
			if asked.Load() == 0 || followed.Load() > 0 {
				t.Errorf("asked %d times, followed %d times", asked.Load(), followed.Load())
			}
		})
	}
}

// Each client of this program follows redirects as this package says: there is no other.
func TestEveryClientIsHere(t *testing.T) {
	made := regexp.MustCompile(`http\.Client\{|http\.DefaultClient|http\.(Get|Head|Post|PostForm)\(`)
	found := 0
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.HasSuffix(filepath.Dir(path), "test") {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil && made.Match(text) {
			if found++; !strings.Contains(string(text), "redirect.") && filepath.Base(path) != "redirect.go" {
				t.Errorf("%s makes a client that follows redirects to anywhere", path)
			}
		}
		return err
	})
	if err != nil || found == 0 {
		t.Error(found, err)
	}
}
