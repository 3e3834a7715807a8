//go:build !linux

package usertest

const setResUID uintptr = 0
