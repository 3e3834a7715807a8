package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"syscall"

	"github.com/ptyrec/ptyrec/internal/human/failure"
)

// defaultListen is the address on which a server listens by default: it is reachable only from this
// machine.
const defaultListen = "127.0.0.1:7681"

// address is the address on which a server listens, as configured by the user.
type address struct {
	Listen    string   // host:port; an empty host means all addresses of the machine
	Cert, Key string   // paths of PEM files; both empty: no TLS
	Hosts     []string // further names of the server, besides localhost and IP addresses
}

// Check validates the address.
func (a address) Check() error {
	switch {
	case a.Cert != "" && a.Key == "":
		return failure.Usage(errors.New("--cert requires --key"))
	case a.Cert == "" && a.Key != "":
		return failure.Usage(errors.New("--key requires --cert"))
	}
	if _, _, err := net.SplitHostPort(a.Listen); err != nil {
		return failure.Misuse("write host:port, as in "+defaultListen, "--listen %s: %v", a.Listen, err)
	}
	return nil
}

// Loopback reports whether the address is reachable only from this machine.
func (a address) Loopback() bool {
	host, _, _ := net.SplitHostPort(a.Listen)
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// Names returns the host names that requests may use.
func (a address) Names() []string {
	names := []string{}
	for _, name := range a.Hosts {
		names = append(names, strings.ToLower(name))
	}
	if host, _, _ := net.SplitHostPort(a.Listen); host != "" {
		names = append(names, strings.ToLower(host))
	}
	return names
}

// Open starts to listen. The error has a hint.
func (a address) Open(ctx context.Context) (net.Listener, error) {
	var c net.ListenConfig
	l, err := c.Listen(ctx, "tcp", a.Listen)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, failure.New(fmt.Errorf("address %s is already in use", a.Listen),
			"another `ptyrec serve` may be running; choose another address with --listen 127.0.0.1:7682")
	}
	if err != nil {
		return nil, failure.New(err, "see --listen in `ptyrec serve --help`")
	}
	if a.Cert == "" {
		return l, nil
	}
	pair, err := tls.LoadX509KeyPair(a.Cert, a.Key)
	if err != nil {
		_ = l.Close()
		return nil, failure.New(fmt.Errorf("--cert and --key: %w", err), "name a certificate and its key, both in PEM format")
	}
	return tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12,
		NextProtos: []string{"http/1.1"}}), nil
}

// URL returns the URL of a server that listens on at.
func (a address) URL(at net.Addr) (string, error) {
	scheme := "http"
	if a.Cert != "" {
		scheme = "https"
	}
	host, port, err := net.SplitHostPort(at.String())
	if err != nil {
		return "", err
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
		host = ownAddress()
	}
	if len(a.Hosts) > 0 {
		host = a.Hosts[0]
	}
	return fmt.Sprintf("%s://%s/", scheme, net.JoinHostPort(host, port)), nil
}

// ownAddress returns an address at which others can reach this machine, or "".
func ownAddress() string {
	addresses, _ := net.InterfaceAddrs() // without addresses, localhost is used
	own := "localhost"
	for _, found := range addresses {
		if p, err := netip.ParsePrefix(found.String()); err == nil && p.Addr().IsGlobalUnicast() {
			if own = p.Addr().String(); p.Addr().Is4() {
				break
			}
		}
	}
	return own
}
