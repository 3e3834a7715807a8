// Package switches connects the conditions of an instrumented package with the worker that switches
// them off. See package mutate.
package switches

// Condition is the number of the condition that is switched off; 0: none.
var Condition int

// Met is set for each condition whose value was not the one that switching it off would give it.
// It must be long enough for all conditions.
var Met []bool

// Off returns what condition number n is: value, or off if it is switched off.
func Off[B ~bool](n int, value, off B) B {
	if n == Condition {
		return off
	}
	if value != off {
		Met[n] = true
	}
	return value
}
