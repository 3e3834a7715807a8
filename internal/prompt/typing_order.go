package prompt

import "context"

// TypingOrder is what to type at once: a text, keys behind it, and Enter at the end.
type TypingOrder struct {
	Text  string
	Keys  string // names separated by spaces, see Keys
	Enter bool
	Force bool // type even if the agent is starting or asking a question, and do not check whether it accepts the text
}

// Answers reports whether the order may answer a question of the agent, as keys alone do.
func (o TypingOrder) Answers() bool { return o.Force || o.Text == "" && !o.Enter }

// Type types an order. The errors are those of Ready, Submit and Keys, or the session's.
func (t *Typist) Type(ctx context.Context, o TypingOrder) error {
	keys, err := Keys(o.Keys, t.ApplicationKeys())
	if err != nil {
		return err
	}
	if o.Text != "" && !o.Force {
		if err := t.Ready(ctx); err != nil {
			return err
		}
	}
	if o.Text != "" {
		if err := t.Text(ctx, o.Text); err != nil {
			return err
		}
	}
	for _, key := range keys {
		if err := t.Press(ctx, key); err != nil {
			return err
		}
	}
	switch {
	case !o.Enter:
		return nil
	case o.Force || len(keys) > 0:
		o.Text = "" // it is unknown whether it was typed
	}
	return t.Submit(ctx, o.Text)
}
