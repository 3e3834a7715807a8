package pg

import "context"

// Viewer is on whose behalf the database is read.
type Viewer struct {
	// All reads every session and changes what it likes: the only user of a database.
	All bool
}

type viewerKey struct{}

// As returns a context in which the methods of a Store act for v.
func As(ctx context.Context, v Viewer) context.Context {
	return context.WithValue(ctx, viewerKey{}, v)
}

func viewerOf(ctx context.Context) (v Viewer) {
	v, _ = ctx.Value(viewerKey{}).(Viewer)
	return v
}

// visible returns the condition under which the viewer may read what belongs to a session. Every
// reading statement has it; no other function decides on that. table has the columns owner and
// space.
func visible(ctx context.Context, table string, a *args) string {
	if viewerOf(ctx).All {
		return "true"
	}
	return "false"
}
