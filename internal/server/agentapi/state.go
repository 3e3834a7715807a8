package agentapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"

	"github.com/ptyrec/ptyrec/internal/sys"
)

// stateVersion is the version of the state file.
const stateVersion = 1

// maxState is the maximum size of a state file, in bytes.
const maxState = 256 << 20

// State is the state that one run saves for the next.
type State struct {
	Version           int            `json:"version"`
	Messages          []StateMessage `json:"messages"`
	InitialPrompt     string         `json:"initial_prompt"`
	InitialPromptSent bool           `json:"initial_prompt_sent"`
}

// StateMessage is a message in a state file.
type StateMessage struct {
	ID      int       `json:"id"`
	Message string    `json:"message"`
	Role    string    `json:"role"`
	Time    time.Time `json:"time"`
}

// messages returns the messages in the form for clients.
func (s State) messages() []Message {
	list := make([]Message, 0, len(s.Messages))
	for _, m := range s.Messages {
		list = append(list, Message{ID: m.ID, Content: m.Message, Role: m.Role, Time: m.Time})
	}
	return list
}

// State returns the state for the next run. ok is false until the state of the previous run is
// loaded.
func (s *Session) State() (state State, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	state = State{Version: stateVersion, Messages: []StateMessage{}, InitialPrompt: s.prompt, InitialPromptSent: s.sent}
	for _, m := range s.talk.messages {
		state.Messages = append(state.Messages, StateMessage{ID: m.ID, Message: m.Content, Role: m.Role, Time: m.Time})
	}
	return state, !s.loading
}

// ReadState reads a state file. A missing file is an empty state.
func ReadState(name string) (State, error) {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return State{}, nil
	}
	if err == nil && info.Size() > maxState {
		err = fmt.Errorf("%s: too large", name)
	}
	if err != nil {
		return State{}, err
	}
	text, err := os.ReadFile(name)
	if err != nil || len(text) == 0 {
		return State{}, err
	}
	var s State
	if err := json.Unmarshal(text, &s); err != nil {
		return State{}, fmt.Errorf("%s: %w", name, err)
	}
	if s.Version != stateVersion {
		return State{}, fmt.Errorf("%s: unknown version %d, must be %d", name, s.Version, stateVersion)
	}
	for i, m := range s.Messages {
		if m.Role != roleUser && m.Role != roleAgent {
			return State{}, fmt.Errorf("%s: message %d has the unknown role %q", name, i, m.Role)
		}
	}
	return s, nil
}

// WriteState atomically writes a state file. Only its owner can read it.
func WriteState(name string, s State) error {
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return err
	}
	folder := filepath.Dir(name)
	if err := sys.PrivateFolder(folder); err != nil {
		return err
	}
	f, err := renameio.NewPendingFile(name, renameio.WithTempDir(folder), renameio.WithPermissions(0o600))
	if err != nil {
		return err
	}
	sys.GiveAs(f.File, folder)
	if _, err := f.Write(append(text, '\n')); err != nil {
		return errors.Join(err, f.Cleanup())
	}
	return f.CloseAtomicallyReplace()
}
