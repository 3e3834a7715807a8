package server

import (
	"errors"
	"net/http"

	"github.com/ptyrec/ptyrec/internal/prompt"
	"github.com/ptyrec/ptyrec/protocol"
)

// sendPrompt sends a prompt to the session's agent, and responds when the agent has accepted it.
func (s *Server) sendPrompt(w http.ResponseWriter, r *http.Request) error {
	o := struct {
		Text       string        `json:"text"`
		Kind       protocol.Kind `json:"kind"`
		Name       string        `json:"name"`
		AllowShell bool          `json:"allow_shell"`
	}{Kind: protocol.Agent, Name: "api"}
	if err := decode(w, r, &o); err != nil {
		return err
	}
	if o.Kind != protocol.Agent && o.Kind != protocol.Human || len(o.Name) > 100 {
		return badRequest("kind must be agent or human, and name at most 100 bytes")
	}
	info, err := s.findLive(r)
	if err != nil {
		return err
	}
	sender := prompt.New(s.Live, info.ID, prompt.Options{Name: o.Name, Kind: o.Kind, Behalf: LinkOf(r)})
	receipt, err := sender.Send(r.Context(), o.Text, prompt.SendOptions{AllowShell: o.AllowShell})
	if err != nil {
		return promptProblem(err)
	}
	return writeJSON(w, http.StatusOK, map[string]any{"agent": receipt.Agent, "text": receipt.Text,
		"after": receipt.After})
}

// promptProblem returns the error for a prompt that was not sent.
func promptProblem(err error) error {
	var asking *prompt.AskingError
	var box *prompt.BoxError
	var left *prompt.NotTakenError
	switch {
	case errors.As(err, &asking):
		return problem(http.StatusConflict, protocol.CodeAsking, "%v: %s", err, asking.Question)
	case errors.As(err, &box), errors.Is(err, prompt.ErrBusy), errors.Is(err, prompt.ErrNotStarted):
		return problem(http.StatusConflict, "not_idle", "%v", err)
	case errors.Is(err, prompt.ErrInProgress):
		return problem(http.StatusConflict, protocol.CodePrompting, "%v", err)
	case errors.As(err, &left), errors.Is(err, prompt.ErrUnknownCommand):
		return problem(http.StatusConflict, "not_taken", "%v", err)
	case errors.Is(err, prompt.ErrNoAgent):
		return problem(http.StatusConflict, protocol.CodeUnavailable, "%v", err)
	case errors.Is(err, prompt.ErrNoControl):
		return problem(http.StatusForbidden, protocol.CodeNoControl, "%v", prompt.ErrNoControl)
	case errors.Is(err, prompt.ErrEnded):
		return problem(http.StatusConflict, protocol.CodeEnded, "%v", err)
	case errors.Is(err, prompt.ErrEmpty), errors.Is(err, prompt.ErrShell):
		return badRequest("%v", err)
	}
	return notLive(err)
}
