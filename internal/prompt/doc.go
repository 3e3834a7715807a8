// Package prompt sends prompts to the agents of live sessions, and makes sure that they are taken.
//
// A Sender attaches to the session for each thing that it does, so it holds nothing and needs no
// Close. Send looks at the screen: a prompt goes to an agent that is idle, into an empty input box,
// as one paste; Enter follows when the box shows the end of the text, and is pressed once more if
// nothing happens. The text is never typed twice. What agents do differently is in a table
// (agents.go).
package prompt
