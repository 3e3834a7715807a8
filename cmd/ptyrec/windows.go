//go:build windows

package main

import _ "embed" // for the directive below

// A Windows build stops here, before the compiler meets the first system call that Windows lacks.
// No such file exists: the go command prints the name as its one line.
//
//go:embed "ptyrec needs WSL on Windows"
var needsWSL string
