package teamserver_test

import (
	"bufio"
	"fmt"
	"log/slog"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/server"
	"github.com/ptyrec/ptyrec/internal/team/teamserver"
)

// A body that does not come is not waited for, and who sends it keeps nobody from sending.
func TestSlowBodyIsNotAwaited(t *testing.T) {
	s := newSite(t)
	live, err := client.Dial(t.Context(), "", client.Options{Dir: t.TempDir()})
	s.check(t, err)
	serve := func(chunkTime time.Duration) (url string) {
		log := slog.New(slog.DiscardHandler)
		push := teamserver.NewPush(s.db, log)
		teamserver.SetChunkTime(push, chunkTime)
		h := server.New(server.Options{Store: s.db, Live: live, Users: teamserver.Users{Store: s.db}, Log: log,
			Protocols: []server.Protocol{{Handlers: push, Access: server.ShowSessions}}})
		t.Cleanup(h.Close)
		site := httptest.NewServer(h)
		t.Cleanup(site.Close)
		return site.URL
	}
	s.URL = serve(time.Hour)
	s.want(t, 200, "owner", "PUT", "/api/push/"+shared, begin(shared, "m", 1, "shop"))
	slow := func() net.Conn {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		s.check(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		s.check(t, conn.SetDeadline(time.Now().Add(time.Minute)))
		_, err = fmt.Fprintf(conn,
			"PUT /api/push/%s/raw?event=0 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"+
				"Content-Length: 4000000\r\n\r\nx", shared, s.tokens["owner"])
		s.check(t, err)
		return conn
	}
	for range teamserver.MaxReading / 2 {
		slow()
	}
	s.push(t, "owner", shared, "shop", "needle") // the others are still being waited for
	s.URL = serve(50 * time.Millisecond)
	answer, err := bufio.NewReader(slow()).ReadString('\n')
	if err != nil || !strings.Contains(answer, " 400 ") {
		t.Errorf("a slow body: %q, %v", answer, err)
	}
}
