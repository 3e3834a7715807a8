package find

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/listing"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/human/printable"
)

// blameOptions are the options of blame.
type blameOptions struct {
	IO   *cli.IO
	Open *opener.Opener

	json bool
}

// NewCmdBlame returns the blame command.
func NewCmdBlame(f *factory.Factory) *cobra.Command {
	o := &blameOptions{IO: f.IO, Open: f.Open}
	cmd := &cobra.Command{
		Use:   "blame FILE:LINE",
		Short: "Find the session that wrote a line of a file",
		Long: `Blame names the session that most probably wrote a line, and says how sure it is: an agent's edit
added the line; or the commit with the line was made during the session; or only the folder and
the time match.`,
		Example: `  ptyrec blame main.go:42
  ptyrec show "$(ptyrec blame main.go:42 --json | jq -r .ref)"`,
		Args: cli.Operands(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return blameLine(cmd.Context(), o, args[0]) },
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "write JSON")
	return cmd
}

// sureness explains how sure a finding is.
var sureness = map[string]string{
	byEdit:   "sure: this entry shows an edit that adds the line",
	byCommit: "likely: the commit that has the line was made while this session ran",
	byTime:   "perhaps: only the folder and the time agree",
}

func blameLine(ctx context.Context, o *blameOptions, arg string) error {
	line, err := lineOf(arg)
	if err != nil {
		return err
	}
	db, err := o.Open.Existing(ctx)
	if err != nil {
		return err
	}
	lib, err := o.Open.Library(db)
	if err != nil {
		return err
	}
	found, err := writerOf(ctx, lib, line)
	if err != nil {
		return err
	}
	if found == nil {
		return failure.New(fmt.Errorf("no session found that wrote %s", printable.Clip(arg, 200)),
			"`ptyrec search` searches all sessions for words")
	}
	entry := ""
	if found.Seq > 0 {
		entry = fmt.Sprintf("#%d", found.Seq)
	}
	if o.json {
		ref := found.Info.ID + entry
		return cli.WriteBuffered(o.IO.Out, func(w io.Writer) error {
			return printable.WriteJSON(w, map[string]any{"session": found.Info.ID, "entry": found.Seq, "ref": ref,
				"sure": found.Sure, "commit": found.Commit, "title": listing.Title(found.Info), "started_at": found.Info.StartedAt})
		})
	}
	commit := ""
	if found.Commit != "" {
		commit = "  commit " + found.Commit[:8]
	}
	_, err = fmt.Fprintf(o.IO.Out, "%s  %s  %s\n    %s%s\n", opener.ShortID(ctx, db, found.Info.ID)+entry,
		found.Info.StartedAt.Local().Format("2006-01-02 15:04"), printable.Clip(listing.Title(found.Info),
			100), sureness[found.Sure], commit)
	return err
}

// lineOf parses FILE:LINE.
func lineOf(arg string) (fileLine, error) {
	var l fileLine
	colon := strings.LastIndexByte(arg, ':')
	if colon < 1 {
		return l, failure.Usage(errors.New("blame takes FILE:LINE"))
	}
	n, err := strconv.Atoi(arg[colon+1:])
	if err != nil || n < 1 {
		return l, failure.Usage(fmt.Errorf("%q is not a line number", printable.Clip(arg[colon+1:], 60)))
	}
	path, err := filepath.Abs(arg[:colon])
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return l, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return l, err
	}
	if !info.Mode().IsRegular() {
		return l, failure.New(fmt.Errorf("%s is not a regular file", printable.Clip(path, 200)),
			"name a file and a line: FILE:LINE")
	}
	f, err := os.Open(path)
	if err != nil {
		return l, err
	}
	defer func() { _ = f.Close() }()
	in := bufio.NewReader(f)
	for i := 1; ; i++ {
		text, err := in.ReadString('\n')
		if i == n && text != "" {
			return fileLine{File: path, Number: n, Text: strings.TrimRight(text, "\r\n")}, nil
		}
		if err != nil {
			return l, failure.New(fmt.Errorf("%s has no line %d", printable.Clip(path, 200), n), "name an existing line")
		}
	}
}
