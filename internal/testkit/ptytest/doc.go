// Package ptytest is a terminal with somebody before it, for tests: it types, and sees what is
// shown. It works on Linux.
package ptytest
