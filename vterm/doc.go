// Package vterm is a terminal emulator that keeps all rows: it takes the bytes that programs write,
// and returns rows with styles, soft wraps and scrollback.
//
// Bytes go through a parser (parser.go). Its sequences (csi.go, escape.go, strings.go) change rows
// of cells (cell.go) on one of two screens (screen.go). Rows that leave the main screen go to the
// scrollback, which matches that of xterm.js, and to the history, which also has the rows that
// xterm.js discards (history.go).
//
// Shown, the screen for people and programs, goes through a vt10x terminal (store.go, vt10x.go):
// changed cells are written to it and read back. Snapshot, for extraction, does not.
//
// The reference is xterm.js: the same bytes result in the same text, cursor, soft wraps, styles and
// scrollback. xterm_test.go lists the differences and their reasons.
//
// A Term is a pure state machine, without a clock, I/O, goroutines or locks. Columns and rows count
// from 0; sizes are in cells.
package vterm
