// Package sys has what the program needs of the operating system, and the standard library lacks.
package sys
