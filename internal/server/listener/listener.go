// Package listener opens the port of a server, with TLS or without, and tells the user the URL
// at which others reach it.
package listener

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

// Default is where a server listens if nothing is said: for this machine only.
const Default = "127.0.0.1:7681"

// Address is where a server listens, as the user says it.
type Address struct {
	Listen    string   // host:port; an empty host is every address of the machine
	Cert, Key string   // files in PEM form; both empty: no TLS
	Hosts     []string // by which the server is reached, besides localhost and IP addresses
}

// Check says what is wrong with the address.
func (a Address) Check() error {
	if (a.Cert == "") != (a.Key == "") {
		return &failure.Error{Err: errors.New("--cert and --key go together"), Misuse: true}
	}
	if _, _, err := net.SplitHostPort(a.Listen); err != nil {
		return failure.Misuse("write host:port, as in "+Default, "--listen %s: %v", a.Listen, err)
	}
	return nil
}

// Loopback reports whether only this machine can reach the address.
func (a Address) Loopback() bool {
	host, _, _ := net.SplitHostPort(a.Listen)
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// Names are those that requests may call the server by.
func (a Address) Names() []string {
	names := []string{}
	for _, name := range a.Hosts {
		names = append(names, strings.ToLower(name))
	}
	if host, _, _ := net.SplitHostPort(a.Listen); host != "" {
		names = append(names, strings.ToLower(host))
	}
	return names
}

// Open listens. The error has a hint.
func (a Address) Open(ctx context.Context) (net.Listener, error) {
	var c net.ListenConfig
	l, err := c.Listen(ctx, "tcp", a.Listen)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, failure.New(fmt.Errorf("%s is taken", a.Listen), "another `ptyrec serve` may run; name another with --listen 127.0.0.1:7682")
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
		return nil, failure.New(fmt.Errorf("--cert and --key: %w", err), "both are files in PEM form")
	}
	return tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}), nil
}

// URL returns the URL at which a server that listens at an address is reached.
func (a Address) URL(at net.Addr) (string, error) {
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

// ownAddress returns an address by which others reach this machine, if it has one.
func ownAddress() string {
	addresses, _ := net.InterfaceAddrs() // where they cannot be had, there is localhost
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
