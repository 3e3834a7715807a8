// Package recording records a command as a session of a database, and lets others attach to it
// while it runs.
//
// It connects package recorder, which runs the command, to the session's journal, to the database
// and to package live. A session needs no database to be recorded: the journal is enough, and the
// next program that opens the database imports it. A session that nobody can attach to is recorded
// all the same.
package recording
