package packaging_test

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Nginx takes its configuration, and passes on what a team sends and follows: by the name of the
// server, in bodies of 4 MiB, as it comes, and WebSockets.
func TestNginxPassesEverything(t *testing.T) {
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Host != "ptyrec.example.com":
			w.WriteHeader(http.StatusMisdirectedRequest)
		case r.Header.Get("Upgrade") == "websocket" && r.Header.Get("Connection") == "upgrade":
			w.Header().Set("Upgrade", "websocket")
			w.Header().Set("Connection", "Upgrade")
			w.WriteHeader(http.StatusSwitchingProtocols)
		case r.Header.Get("Connection") != "":
			w.WriteHeader(http.StatusBadRequest)
		case r.URL.Path == "/events": // its first line comes before it ends
			_, _ = io.WriteString(w, "first\n")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		default:
			n, _ := io.Copy(io.Discard, r.Body)
			_, _ = fmt.Fprint(w, n)
		}
	}))
	t.Cleanup(behind.Close) // after nginx, which holds /events open
	at, client := startNginx(t, behind.Listener.Addr().String())
	ask := func(path string, body []byte, upgrade string) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://"+at+path, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = "ptyrec.example.com"
		if upgrade != "" {
			r.Header.Set("Upgrade", upgrade)
			r.Header.Set("Connection", "Upgrade")
		}
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = answer.Body.Close() })
		return answer
	}
	segment := ask("/api/push/x/raw", make([]byte, 4<<20), "")
	if text, err := io.ReadAll(segment.Body); segment.StatusCode != http.StatusOK || string(text) != fmt.Sprint(4<<20) {
		t.Errorf("a segment: %s %s, %v", segment.Status, text, err)
	}
	if got := ask("/", make([]byte, 6<<20), "").StatusCode; got != http.StatusRequestEntityTooLarge {
		t.Errorf("6 MiB: %d", got)
	}
	if line, err := bufio.NewReader(ask("/events", nil, "").Body).ReadString('\n'); line != "first\n" {
		t.Errorf("events are held back: %q, %v", line, err)
	}
	if got := ask("/ws", nil, "websocket").StatusCode; got != http.StatusSwitchingProtocols {
		t.Errorf("a WebSocket: %d", got)
	}
}

// startNginx runs nginx with the configuration for operators, in front of a server, until the test
// ends.
func startNginx(t *testing.T, behind string) (at string, client *http.Client) {
	t.Helper()
	program := needed(t, "nginx", "/usr/sbin/nginx")
	text, err := os.ReadFile("server/nginx.conf")
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at = l.Addr().String()
	_ = l.Close() // for nginx
	dir := t.TempDir()
	certificate(t, dir)
	site := strings.NewReplacer("listen 443", "listen "+at, "127.0.0.1:7681", behind,
		"/etc/letsencrypt/live/ptyrec.example.com", dir).Replace(string(text))
	site += "access_log off;\n"
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		site += fmt.Sprintf("%s_temp_path %s/%s;\n", kind, dir, kind)
	}
	conf := filepath.Join(dir, "nginx.conf")
	main := fmt.Sprintf("daemon off;\nmaster_process off;\npid %s/pid;\nerror_log stderr;\nevents {}\nhttp {\n%s}\n",
		dir, site)
	if err := os.WriteFile(conf, []byte(main), 0o600); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	cmd := exec.CommandContext(t.Context(), program, "-e", "stderr", "-p", dir, "-c", conf)
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // it says why
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
	})
	//nolint:gosec // its own
	client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	t.Cleanup(client.CloseIdleConnections)
	for {
		conn, err := net.Dial("tcp", at)
		if err == nil {
			_ = conn.Close()
			return at, client
		}
		select {
		case <-ended:
			t.Fatalf("nginx does not start: %s", said.String())
		case <-time.After(10 * time.Millisecond):
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		}
	}
}

// certificate writes a certificate of its own and its key.
func certificate(t *testing.T, dir string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"ptyrec.example.com"},
		NotAfter: time.Now().Add(time.Hour)}
	signed, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"fullchain.pem": {Type: "CERTIFICATE", Bytes: signed},
		"privkey.pem": {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
