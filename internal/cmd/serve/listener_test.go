package serve

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/internal/human/failure"
)

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		address address
		want    string
	}{
		{address{Listen: defaultListen}, ""},
		{address{Listen: ":80"}, ""},
		{address{Listen: "[::1]:80", Cert: "a", Key: "b"}, ""},
		{address{Listen: "localhost"}, "--listen localhost: address localhost: missing port in address"},
		{address{Listen: defaultListen, Cert: "a"}, "--cert requires --key"},
		{address{Listen: defaultListen, Key: "a"}, "--key requires --cert"},
	} {
		err := c.address.Check()
		var f *failure.Error
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%+v: %v", c.address, err)
		case c.want != "" && (!errors.As(err, &f) || !f.Misuse || err.Error() != c.want):
			t.Errorf("%+v: %v, want %q", c.address, err, c.want)
		}
	}
}

func TestLoopback(t *testing.T) {
	for listen, want := range map[string]bool{
		defaultListen: true, "localhost:1": true, "[::1]:1": true, "127.1.2.3:1": true, ":1": false, "0.0.0.0:1": false,
		"192.168.1.5:1": false, "laptop.lan:1": false,
	} {
		if got := (address{Listen: listen}).Loopback(); got != want {
			t.Errorf("%s: %v, want %v", listen, got, want)
		}
	}
}

func TestNamesAndURL(t *testing.T) {
	at := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7681}
	for _, c := range []struct {
		address address
		names   []string
		url     string
	}{
		{address{Listen: defaultListen}, []string{"127.0.0.1"}, "http://127.0.0.1:7681/"},
		{address{Listen: ":7681", Cert: "a", Key: "b"}, []string{}, "https://127.0.0.1:7681/"},
		{address{Listen: "Laptop:7681", Hosts: []string{"Laptop.LAN", "x"}}, []string{"laptop.lan", "x", "laptop"},
			"http://Laptop.LAN:7681/"},
	} {
		if diff := cmp.Diff(c.names, c.address.Names()); diff != "" {
			t.Errorf("%+v: names (-want +got):\n%s", c.address, diff)
		}
		if url, err := c.address.URL(at); url != c.url || err != nil {
			t.Errorf("%+v: %s, %v, want %s", c.address, url, err, c.url)
		}
	}
	everywhere := &net.TCPAddr{IP: net.IPv4zero, Port: 7681}
	if url, err := (address{Listen: ":7681"}).URL(everywhere); err != nil || strings.Contains(url, "0.0.0.0") {
		t.Errorf("every address of the machine is at %s, %v", url, err)
	}
}

func TestOpenTwice(t *testing.T) {
	l, err := address{Listen: "127.0.0.1:0"}.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	at := l.Addr().String()
	if _, err := (address{Listen: at}).Open(t.Context()); err == nil || err.Error() != "address "+at+" is already in use" {
		t.Errorf("the same port again: %v", err)
	}
}

// With a certificate it is a server of https.
func TestOpenTLS(t *testing.T) {
	dir := t.TempDir()
	a := address{Listen: "127.0.0.1:0", Cert: filepath.Join(dir, "cert"), Key: filepath.Join(dir, "key")}
	if _, err := a.Open(t.Context()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without the files: %v", err)
	}
	certify(t, a)
	l, err := a.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_,
			_ = io.WriteString(w, "hello")
	})}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(l) // ends with the server
	}()
	defer func() {
		_ = server.Close()
		<-served
	}()
	url, err := a.URL(l.Addr())
	if err != nil {
		t.Fatal(err)
	}
	c := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		DisableKeepAlives: true}}
	r, err := c.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if text, err := io.ReadAll(r.Body); string(text) != "hello" || err != nil {
		t.Errorf("%s answered %q, %v", url, text, err)
	}
}

// certify writes a certificate and its key.
func certify(t *testing.T, a address) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	text, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]*pem.Block{a.Cert: {Type: "CERTIFICATE", Bytes: cert},
		a.Key: {Type: "PRIVATE KEY", Bytes: text}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
