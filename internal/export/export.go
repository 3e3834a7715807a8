// Package export writes stored sessions as files: transcripts, recordings, pages, pictures, and the
// changes to files that agents have shown.
package export

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/human"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/internal/render"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// extension returns the file name extension of a format.
func extension(format string) string {
	if format == "cast2" {
		return "cast"
	}
	return format
}

// Exporter writes sessions in any format.
type Exporter struct {
	Library *library.Library
	At      human.Moment // svg: moment of the screen; default: that of the entries, or of the last message
	Ref     archive.Ref  // entries to export
	Animate bool         // svg: write an animation of the recording
}

// Write writes a session in one of the Formats. If the session does not have the entries of Ref,
// the error is an *archive.MissingError.
func (x Exporter) Write(ctx context.Context, w io.Writer, format string, info *store.Info) error {
	if NeedsRecording(format) {
		if err := library.Recorded(info); err != nil {
			return err
		}
	}
	t, err := x.Library.Transcript(ctx, info)
	if err != nil {
		return err
	}
	if x.Ref, err = x.Ref.Resolve(t); err != nil {
		return err
	}
	switch format {
	case "diff":
		list, err := EditsOf(t, x.Ref, info.Name != "")
		if err != nil {
			return err
		}
		return WriteEdits(w, list)
	case "cast", "cast2":
		return x.writeCast(ctx, w, info, t, format)
	case "svg":
		if x.Animate {
			return x.writeFilm(ctx, w, info, t)
		}
		return x.writeScreen(ctx, w, info, t)
	case "html":
		return x.writePage(ctx, w, info, t)
	}
	if t, err = x.Ref.Cut(t, info.Name != ""); err != nil {
		return err
	}
	return render.Write(w, format, t)
}

// EditsOf returns the edits among the entries of ref.
func EditsOf(t *session.Transcript, ref archive.Ref, named bool) ([]Edit, error) {
	cut, err := ref.Cut(t, named)
	if err != nil {
		return nil, err
	}
	chosen := map[int]bool{}
	for _, e := range cut.Entries {
		chosen[e.Seq] = true
	}
	all := AllEdits(&t.Session, t.Entries) // the folder may be known only from earlier entries
	return slices.DeleteFunc(all, func(e Edit) bool { return !chosen[e.Seq] }), nil
}

// recordingFormats are the formats that show the raw log, which package render does not write.
var recordingFormats = []string{"html", "svg", "cast", "cast2"}

// NeedsRecording reports whether a format shows only the recording. HTML also shows the
// conversation.
func NeedsRecording(format string) bool {
	return format == "svg" || format == "cast" || format == "cast2"
}

// Formats returns the names of all formats.
func Formats() []string { return slices.Concat(render.Formats(), recordingFormats, []string{"diff"}) }

// films are extensions of video formats, which are not supported.
var films = []string{"gif", "mp4", "webm", "apng", "mov"}

// FormatOf returns the format called name or, if name is empty, that of path's extension. For the
// path "-" it is JSON.
func FormatOf(path, name string) (string, error) {
	var err error
	ending := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	switch {
	case name == "" && slices.Contains(films, ending) || slices.Contains(films, name):
		return "", failure.Misuse("write an animated SVG: ptyrec export talk.svg --animate; or a .cast, which agg turns "+
			"into a gif", "export writes no %s", cmp.Or(name, ending))
	case name == "":
		name, err = formatOfPath(path, ending)
	case !slices.Contains(Formats(), name):
		err = fmt.Errorf("%w: %q", render.ErrFormat, name)
	}
	if err != nil {
		return "", &failure.Error{Err: err, Hint: "use --format " + strings.Join(Formats(), "|"), Misuse: true}
	}
	return name, nil
}

// formatOfPath returns the format of a path with an ending.
func formatOfPath(path, ending string) (string, error) {
	switch {
	case path == "-":
		return "json", nil
	case ending == "htm":
		return "html", nil
	case slices.Contains(recordingFormats, ending):
		return ending, nil
	case ending == "diff" || ending == "patch":
		return "diff", nil
	}
	return render.FormatOf(path)
}
