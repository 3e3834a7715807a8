package chat

// Sending says how an agent takes what is sent to it. SENDER.md has the measurements.
type Sending struct {
	Interrupt []string // keys that stop a reply, pressed one after the other
	Shell     bool     // a text that begins with ! runs a shell command even if it is pasted
	Typed     bool     // a command (/clear) works only if it is typed
	Completes bool     // Enter behind a word that begins with @ chooses a completion
	Denies    bool     // it takes a command that it does not know, and says so
	Clear     string   // the key that empties the input box, where an unknown command stays in it
	Folds     []string // beginnings of what the input box shows in place of a long paste
}
