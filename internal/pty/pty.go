// Package pty opens pseudoterminals, both ends of the same one.
package pty
