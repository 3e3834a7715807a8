// Package vterm is a terminal screen that forgets nothing: bytes in, rows with styles, wraps and
// scrollback out.
//
// Bytes go through a parser (parser.go), whose sequences (csi.go, escape.go, strings.go) change
// rows of cells (cell.go) on one of two screens (screen.go). Rows that leave the main screen go to
// the scrollback, which is xterm.js's, and to the history, which keeps what xterm.js forgets
// (history.go).
//
// The screen that is shown to people and programs (Shown) is read from a vt10x terminal (store.go,
// vt10x.go): the cells that changed are written to it, and read back. What is read of a screen as
// it goes by (Snapshot) does not go through it.
//
// What the screen shows is held against xterm.js: same bytes, same text, cursor, soft wraps, styles
// and scrollback. xterm_test.go lists where the two differ, and why.
//
// A Term is a pure state machine: no clock, no input or output, no goroutine, no lock. Columns and
// rows count from 0, sizes are in cells.
package vterm
