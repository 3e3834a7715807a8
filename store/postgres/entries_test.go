package postgres_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// A session of many entries, sent in any order and some of them again with other numbers, is read
// in order, from any number on: the index has only parts of it in order.
func TestManyEntriesInOrder(t *testing.T) {
	ctx, s := open(t)
	id := store.NewID()
	if _, err := s.Begin(ctx, postgres.Push{Session: session.Session{ID: id}, Machine: "m", Version: 1}); err != nil {
		t.Fatal(err)
	}
	const n = 1500
	version := int64(0)
	save := func(entries []*session.Entry) {
		t.Helper()
		version++
		if err := s.SaveEntries(ctx, id, postgres.Batch{Version: version, Entries: sent(entries)}); err != nil {
			t.Fatal(err)
		}
	}
	var want []string
	all := make([]*session.Entry, n)
	for i := range all {
		want = append(want, fmt.Sprintf("%020x", i))
		all[i] = &session.Entry{ID: want[i], Seq: i + 1, Type: session.TypeMessage, Text: "needle"}
	}
	for _, e := range all {
		e.Seq += 10_000 // until it is sent again
	}
	save(all)
	for i := range all {
		all[i].Seq = i + 1
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(n, func(i, k int) { all[i], all[k] = all[k], all[i] })
	for part := range slices.Chunk(all, 400) {
		save(part)
	}
	check := func(what string, entries []*session.Entry, err error, want []string) {
		t.Helper()
		var got []string
		for _, e := range entries {
			got = append(got, e.ID)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %d entries, want %d: %v", what, len(got), len(want), err)
		}
	}
	for _, after := range []int{-1, 0, 1, 126, 127, 128, 129, 255, 256, 1000, n, n + 1} {
		entries, err := s.EntriesAfter(ctx, id, after)
		check(fmt.Sprint("after ", after), entries, err, want[min(max(after, 0), n):])
	}
	var each []*session.Entry
	for e, err := range s.Each(ctx, id) {
		if err != nil {
			t.Fatal(err)
		}
		each = append(each, e)
	}
	check("each", each, nil, want)
	for _, c := range []struct {
		span  store.Span
		start int // of 200 entries
	}{{store.Span{Since: 127}, 127}, {store.Span{Since: 128}, 128}, {store.Span{Before: 513},
		312}, {store.Span{Before: 385}, 184}} {
		c.span.Limit = 200
		page, err := s.Page(ctx, id, c.span)
		check(fmt.Sprintf("%+v", c.span), page.Entries, err, want[c.start:c.start+200])
		if page.Total != n || page.Start != c.start {
			t.Errorf("%+v: from %d, %d in all", c.span, page.Start, page.Total)
		}
	}
	if hits, err := s.Search(ctx, store.Query{Text: "needle", Filter: store.Filter{Limit: 2 * n}}); err != nil ||
		len(hits) != n {
		t.Errorf("%d hits, %v", len(hits), err)
	}
}
