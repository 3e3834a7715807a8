package sqlite

import (
	"errors"
	"io"

	"github.com/ptyrec/ptyrec/recorder/journal"
)

// JournalState describes a file in the journal folder.
type JournalState struct {
	Path    string
	Session string
	Live    bool  // it is being written
	Torn    int64 // bytes at the end that are not a complete event
	Aside   bool  // set aside because it is damaged or does not belong to its session
	Err     error // why it cannot be read
}

// InspectJournals examines the journals of the database at path.
func InspectJournals(path string) (states []JournalState, err error) {
	files, err := journal.List(JournalFolder(path))
	for _, file := range files {
		states = append(states, inspect(file))
	}
	aside, globErr := globIn(JournalFolder(path), "*"+setAside)
	for _, name := range aside {
		states = append(states, JournalState{Path: name, Aside: true})
	}
	return states, errors.Join(err, globErr)
}

func inspect(file journal.File) JournalState {
	state := JournalState{Path: file.Path, Session: file.Session}
	r, f, err := openJournal(file)
	if err != nil {
		state.Err = err
		return state
	}
	defer f.Close()
	if state.Live = journal.IsWritten(f); state.Live {
		return state
	}
	for err == nil {
		_, err = r.Next()
	}
	if !errors.Is(err, io.EOF) {
		state.Err = err
	}
	state.Torn = r.Torn()
	return state
}
