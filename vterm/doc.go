// Package vterm is a terminal screen that forgets nothing: bytes in, rows with styles, wraps and
// scrollback out.
package vterm
