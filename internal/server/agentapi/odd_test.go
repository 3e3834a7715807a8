package agentapi_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/server/agentapi"
)

// raw writes a request as it is, all of it before it reads, and returns the last response.
func (s *site) raw(request string) (status int, header http.Header, body string) {
	s.t.Helper()
	host := strings.TrimPrefix(s.url, "http://")
	conn, err := net.Dial("tcp", host)
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Minute)) // a TCP connection has deadlines
	if _, err := io.WriteString(conn, strings.ReplaceAll(request, "{HOST}", host)); err != nil {
		s.t.Errorf("%.60q: %v", request, err)
		return 0, nil, ""
	}
	for in := bufio.NewReader(conn); ; {
		resp, err := http.ReadResponse(in, nil)
		if err != nil {
			s.t.Errorf("%.60q: %v", request, err)
			return 0, nil, ""
		}
		text, _ := io.ReadAll(resp.Body) // what can be had of it
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusContinue {
			return resp.StatusCode, resp.Header, string(text)
		}
	}
}

// multipartFile returns the body of a request that uploads a file, with more before it.
func multipartFile(disposition, before, data string) string {
	return before + "--x\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + data + "\r\n--x--\r\n"
}

// Clients that speak HTTP oddly get an answer that says what is wrong.
func TestOddRequestsGetClearErrors(t *testing.T) {
	s := newSite(t, agentapi.Access{}, nil)
	s.start()
	const head, form = " HTTP/1.1\r\nHost: {HOST}\r\n", "Content-Type: multipart/form-data; boundary=x\r\n"
	post := func(path, headers, body string) string {
		return fmt.Sprintf("POST %s%s%sContent-Length: %d\r\n\r\n%s", path, head, headers, len(body), body)
	}
	const message = `{"content":"","type":"raw"}`
	for _, test := range []struct {
		name, request string
		status        int
		want          string // in the header or the body
	}{
		{"HTTP/1.0", "GET /status HTTP/1.0\r\nHost: {HOST}\r\n\r\n", 200, `"transport":"pty"`},
		{"no host", "GET /status HTTP/1.0\r\n\r\n", 400, "Invalid host header"},
		{"HEAD of the root", "HEAD /" + head + "Connection: close\r\n\r\n", 405, "Allow:[GET]"},
		{"POST to the root", post("/", "", ""), 405, "Allow:[GET]"},
		{"OPTIONS that is no preflight", "OPTIONS /message" + head + "\r\n", 405, "Allow:[POST]"},
		{"a slash too many", "GET /status/" + head + "\r\n", 404, "no such path"},
		{"chunks", "POST /message" + head + "Transfer-Encoding: chunked\r\n\r\n1b;x=y\r\n" + message + "\r\n0\r\n\r\n", 200,
			`"ok":true`},
		{"broken chunks", "POST /message" + head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400, "cannot be read"},
		{"Expect", post("/message", "Expect: 100-continue\r\n", message), 200, `"ok":true`},
		{"a content type with parameters", post("/message", "Content-Type: Application/JSON; charset=utf-8\r\n", message),
			200, `"ok":true`},
		{"deep JSON", post("/message", "", strings.Repeat("[", 50_000)), 400, "max depth"},
		{"two values", post("/message", "", message+message), 400, "after top-level value"},
		{"not UTF-8", post("/message", "", "{\"type\":\"raw\",\"content\":\"\xff\"}"), 400, "not UTF-8"},
		{"a long message", post("/message", "", strings.Repeat("x", 20<<20)), 413, "too large"},
		{"a long file", post("/upload", form, multipartFile(`name="file"; filename="a"`, "", strings.Repeat("x", 30<<20))),
			400, "exceeds 10MB"},
		{"a long field before it", post("/upload", form,
			multipartFile(`name="file"; filename="a"`,
				"--x\r\nContent-Disposition: form-data; name=\"b\"\r\n\r\n"+strings.Repeat("x", 30<<20)+"\r\n", "y")), 400,
			"exceeds 10MB"},
		{"a long file that waits", "POST /upload" + head + form +
			"Expect: 100-continue\r\nContent-Length: 99999999999\r\n\r\n", 400, "exceeds 10MB"},
		{"no form data", post("/upload", "Content-Type: multipart/mixed; boundary=x\r\n",
			multipartFile(`name="file"; filename="a"`, "", "y")), 422, "isn't multipart/form-data"},
		{"no boundary", post("/upload", "Content-Type: multipart/form-data\r\n", "y"), 422, "no multipart boundary"},
		{"a form that breaks off", post("/upload", form,
			"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\ny"), 422, "unexpected EOF"},
		{"no file name", post("/upload", form, multipartFile(`name="file"`, "", "y")), 422, "File required"},
		{"dots", post("/upload", form, multipartFile(`name="file"; filename=".."`, "", "y")), 422,
			"invalid file name"},
		{"256 bytes", post("/upload", form, multipartFile(`name="file"; filename="`+strings.Repeat("n", 256)+`"`, "", "y")),
			422, "invalid file name"},
		{"a name that is not UTF-8", post("/upload", form, multipartFile("name=\"file\"; filename=\"\xff\"", "", "y")), 422,
			"invalid file name"},
		{"255 bytes", post("/upload", form, multipartFile(`name="file"; filename="`+strings.Repeat("n", 255)+`"`, "", "y")),
			200, "nnn"},
		{"an encoded NUL", post("/upload", form, multipartFile(`name="file"; filename*=UTF-8''a%00b`, "", "y")), 422,
			"invalid file name"},
	} {
		status, header, body := s.raw(test.request)
		if status != test.status || !strings.Contains(fmt.Sprint(header, body), test.want) {
			t.Errorf("%s: %d %v %.300s, want %d with %q", test.name, status, header, body, test.status, test.want)
		}
	}
}

// Streams whose clients are gone leave nothing behind.
func TestVanishedStreamsLeaveNothing(t *testing.T) {
	s := newSite(t, agentapi.Access{}, nil)
	s.start()
	before := runtime.NumGoroutine()
	for range 3 {
		var conns []net.Conn
		for i := range 200 {
			conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			path := []string{"/events", "/internal/screen"}[i%2]
			if _, err := io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			conns = append(conns, conn)
		}
		for i, conn := range conns {
			if i%3 == 0 { // some have begun to read
				_, _ = conn.Read(make([]byte, 1))
			}
			if i%5 == 0 {
				_ = conn.(*net.TCPConn).SetLinger(0) // others are cut off
			}
			_ = conn.Close()
		}
	}
	s.wait("the streams' ends", func() bool { return runtime.NumGoroutine() <= before+5 })
	if resp, body := s.do("GET", "/status", ""); resp.StatusCode != http.StatusOK {
		t.Errorf("%s %s", resp.Status, body)
	}
}
