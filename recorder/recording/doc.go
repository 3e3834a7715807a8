// Package recording records a command as a session of a database, and lets viewers attach while it
// runs.
//
// It connects package recorder, which runs the command, to the session's journal, the database and
// package live. Recording needs no database: the journal is enough, and the next program that opens
// the database imports it. A session is recorded even if no one can attach to it.
package recording
