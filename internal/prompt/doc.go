// Package prompt sends prompts to the agents of live sessions, and verifies that they are accepted.
//
// A Sender attaches to the session for each operation, so it holds no resources and needs no Close.
// Send watches the screen: it pastes a prompt when the agent is idle and its input box is empty,
// presses Enter when the box shows the end of the text, and presses it once more if nothing
// happens. It never types the text twice. Differences between agents are in a table (agents.go).
//
// A Typist types texts and keys into any program, as a person would.
package prompt
