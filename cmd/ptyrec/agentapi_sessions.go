package main

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/agentserver"
	"github.com/ptyrec/ptyrec/internal/buildinfo"
	"github.com/ptyrec/ptyrec/prompt"
	"github.com/ptyrec/ptyrec/server"
	"github.com/ptyrec/ptyrec/server/agentapi"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// agentapiSessions returns what serves /agentapi.
func agentapiSessions(db *store.Store, live *client.Client, past *past, log *slog.Logger) *agentapi.Sessions {
	return agentapi.NewSessions(agentapi.SessionsOptions{
		Store: db, Live: live, Banner: agentserver.Banner, Version: buildinfo.Version(), Log: log,
		Entries: past.entries,
		Sender: func(id string, r *http.Request) agentapi.Sender {
			return prompt.New(live, id, prompt.Options{Name: agentapiName, Behalf: server.LinkOf(r)})
		},
	})
}

// entries returns all entries of a session that is over, which it first reads to its end.
func (v *past) entries(ctx context.Context, info *store.Info) ([]*session.Entry, error) {
	page, reading, err := v.Page(ctx, info, store.Span{})
	for err == nil && reading != nil {
		page, reading, err = v.Page(ctx, info, store.Span{})
	}
	return page.Entries, err
}
