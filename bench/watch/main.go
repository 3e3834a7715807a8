// Command watch reads all output of a live session as a viewer that wants every byte, and tells how
// many there were, their SHA-256 and how fast they came. It stops at the session's end, or behind
// -bytes.
//
//	head -c 100000000 /dev/urandom | base64 -w 76 > flood.txt
//	id=$(ptyrec run --detach -- sh -c 'stty -opost; cat flood.txt; read x')
//	go run ./bench/watch -bytes $(stat -c %s flood.txt) -server http://127.0.0.1:7681 $id
package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
)

func main() {
	server := flag.String("server", "", "the server's URL; without it the session's own socket")
	bytes := flag.Int64("bytes", 1<<62, "stop behind so many bytes")
	flag.Parse()
	log.SetFlags(0)
	if flag.NArg() != 1 {
		log.Fatal("watch: it takes the id of a session")
	}
	if err := watch(*server, flag.Arg(0), *bytes); err != nil {
		log.Fatalf("watch: %v", err)
	}
}

func watch(server, id string, limit int64) error {
	ctx := context.Background()
	c, err := client.Dial(ctx, server, client.Options{})
	if err != nil {
		return err
	}
	begun := time.Now()
	gaps := 0
	s, err := c.Attach(ctx, id, client.AttachOptions{Name: "bench", Mode: protocol.ModeBytes,
		OnEvent: func(e client.Event) {
			if _, gap := e.(protocol.Gap); gap {
				gaps++
			}
		}})
	if err != nil {
		return err
	}
	defer s.Close()
	sum := sha256.New()
	n, err := io.CopyN(sum, s, limit)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	took := time.Since(begun)
	fmt.Printf("%d bytes, sha256 %x, %d gaps, %.2f s, %.0f MB/s\n", n, sum.Sum(nil), gaps, took.Seconds(),
		float64(n)/1e6/took.Seconds())
	return nil
}
