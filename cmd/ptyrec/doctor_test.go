package main

import (
	"bytes"
	"database/sql"
	"os"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdDamage harms the database as no program of ours does: entries deletes them, json breaks one, end makes a session one whose recorder was killed, index, segment and page scribble over the
// file where they stand.
func cmdDamage(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.Getenv("PTYREC_DB")
	db, err := sql.Open("sqlite", "file:"+path)
	ts.Check(err)
	var blob []byte
	const first = "(SELECT pk FROM sessions ORDER BY started_at LIMIT 1)"
	switch args[0] {
	case "entries":
		_, err = db.Exec("DELETE FROM entries WHERE session_pk = " + first)
	case "json":
		_, err = db.Exec("UPDATE entries SET tool = '{' WHERE session_pk = " + first)
	case "end":
		_, err = db.Exec("UPDATE sessions SET ended_at = NULL, exit_code = NULL WHERE pk = " + first)
	case "index":
		err = db.QueryRow("SELECT block FROM entry_fts_data WHERE id > 10 ORDER BY length(block) DESC LIMIT 1").Scan(&blob)
	case "segment":
		err = db.QueryRow("SELECT data FROM segments WHERE session_pk = " + first).Scan(&blob)
	case "page":
		err = db.QueryRow("SELECT data FROM sqlite_dbpage WHERE pgno = (SELECT rootpage FROM sqlite_schema WHERE name = 'segments')").Scan(&blob)
	default:
		ts.Fatalf("usage: damage entries|json|end|index|segment|page")
	}
	ts.Check(err)
	_, err = db.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
	ts.Check(err)
	ts.Check(db.Close())
	if blob == nil {
		return
	}
	data, err := os.ReadFile(path)
	ts.Check(err)
	at := bytes.LastIndex(data, blob)
	if at < 0 {
		ts.Fatalf("the %s is not in one piece", args[0])
	}
	from, to := at+len(blob)/3, at+len(blob)*2/3
	if args[0] == "page" {
		from, to = at, at+len(blob)
	}
	for i := from; i < to; i++ {
		data[i] ^= 0xff
	}
	ts.Check(os.WriteFile(path, data, 0o600))
}
