package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
)

// dir is where the session of the examples listens; leave it empty.
var dir string

// Everything that a session writes, from its beginning to its end, whatever happens to the
// connection.
func ExampleStream_Read() {
	ctx := context.Background()
	sessions, err := client.Dial(ctx, "", client.Options{Dir: dir})
	if err != nil {
		log.Fatal(err)
	}
	s, err := sessions.Attach(ctx, "last", client.AttachOptions{Mode: protocol.ModeBytes})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	if _, err := io.Copy(os.Stdout, s); err != nil {
		log.Fatal(err)
	}
	status, _ := s.ExitStatus()
	fmt.Println("exit status", status)
	// Output:
	// hello
	// exit status 3
}

// What a session tells, in order.
func ExampleStream_Next() {
	ctx := context.Background()
	sessions, err := client.Dial(ctx, "", client.Options{Dir: dir})
	if err != nil {
		log.Fatal(err)
	}
	s, err := sessions.Attach(ctx, "last", client.AttachOptions{Mode: protocol.ModeBytes})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	for {
		event, err := s.Next(ctx)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			log.Fatal(err)
		}
		switch e := event.(type) {
		case client.Connected:
			fmt.Println("connected to", e.Session.Command)
		case client.Output:
			fmt.Printf("byte %d on: %q\n", e.Seq, e.Data)
		case protocol.Exit:
			fmt.Println("ended with", e.Status)
		}
	}
	// Output:
	// connected to [sh]
	// byte 0 on: "hello\n"
	// ended with 3
}

// A program may type while the user has granted it.
func ExampleStream_Write() {
	ctx := context.Background()
	sessions, err := client.Dial(ctx, "", client.Options{Dir: dir}) // or a server: "https://host/", with Options.Token
	if err != nil {
		log.Fatal(err)
	}
	s, err := sessions.Attach(ctx, "last", client.AttachOptions{Name: "example", Kind: protocol.Agent,
		Mode: protocol.ModeNone})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	if _, err := io.WriteString(s, "make test\r"); err != nil {
		log.Fatal(err)
	}
	fmt.Println("typed")
	// Output: typed
}
