//go:build !linux

package main

// yieldThread does nothing: this system has no nice value for a thread.
func yieldThread(int) {}
