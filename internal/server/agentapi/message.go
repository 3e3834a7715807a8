package agentapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxBody is the maximum length of a request's body, in bytes.
const maxBody = 1 << 20

// Kinds of messages that clients send.
const (
	typeUser = "user"
	typeRaw  = "raw"
)

// message types a client's message.
func (a *API) message(w http.ResponseWriter, r *http.Request) error {
	content, kind, err := readMessage(w, r)
	if err != nil {
		return err
	}
	var by Sender
	if a.Sender != nil {
		by = a.Sender(r)
	}
	if kind == typeRaw {
		err = a.Session.Raw(by, []byte(content))
	} else {
		err = a.Session.Send(by, content)
	}
	if err != nil {
		text := unexpected
		if why := (*refusal)(nil); errors.As(err, &why) && why.detail != "" {
			text = why.detail
		}
		return failed(http.StatusInternalServerError, text, detail{Message: "failed to send message: " + err.Error()})
	}
	return a.answer(w, "MessageResponseBody", struct {
		Schema string `json:"$schema"`
		OK     bool   `json:"ok"`
	}{a.schemaURL(r, "MessageResponseBody"), true})
}

// readMessage reads and validates the body of a message.
func readMessage(w http.ResponseWriter, r *http.Request) (content, kind string, err error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		drain(r.Body)
		return "", "", failed(http.StatusRequestEntityTooLarge,
			fmt.Sprintf("request body is too large limit=%d bytes", maxBody))
	case err != nil:
		return "", "", failed(http.StatusBadRequest, "the request body cannot be read")
	case len(body) == 0:
		return "", "", failed(http.StatusBadRequest, "request body is required")
	}
	if media := r.Header.Get("Content-Type"); !isJSON(media) {
		return "", "", invalid(http.StatusUnsupportedMediaType,
			detail{Message: "unknown content type: " + media, Location: "body", Value: text(body)})
	}
	if !utf8.Valid(body) {
		return "", "", invalid(http.StatusBadRequest,
			detail{Message: "the text is not UTF-8", Location: "body", Value: text(body)})
	}
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return "", "", invalid(http.StatusBadRequest, detail{Message: err.Error(), Location: "body", Value: text(body)})
	}
	if wrong := checkMessage(value); len(wrong) > 0 {
		return "", "", invalid(http.StatusUnprocessableEntity, wrong...)
	}
	fields := value.(map[string]any)
	return fields["content"].(string), fields["type"].(string), nil
}

// maxDrain is how many bytes beyond maxBody are read of a request, so that its client reads the
// response.
const maxDrain = 64 << 20

// drain reads the rest of a rejected body. Many clients read the response only after they have
// written everything.
func drain(body io.Reader) {
	_, _ = io.CopyN(io.Discard, body, maxDrain) // the response already reports an error
}

// isJSON reports whether a content type is that of JSON. A missing one counts as JSON.
func isJSON(media string) bool {
	if media == "" {
		return true
	}
	kind, _, err := mime.ParseMediaType(media)
	return err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json"))
}

// text returns the beginning of a body, to quote it in an error.
func text(body []byte) string {
	const most = 1 << 10
	s := strings.ToValidUTF8(string(body), "\uFFFD")
	if len(s) > most {
		s = s[:most]
		for !utf8.ValidString(s) {
			s = s[:len(s)-1]
		}
		s += "…"
	}
	return s
}

// checkMessage returns the errors in a message.
func checkMessage(value any) (wrong []detail) {
	fields, ok := value.(map[string]any)
	if !ok {
		return []detail{{Message: "expected object", Location: "body", Value: value}}
	}
	for _, name := range []string{"content", "type"} {
		field, ok := fields[name]
		if !ok {
			wrong = append(wrong, detail{Message: "expected required property " + name + " to be present", Location: "body",
				Value: value})
			continue
		}
		if _, ok := field.(string); !ok {
			wrong = append(wrong, detail{Message: "expected string", Location: "body." + name, Value: field})
		} else if name == "type" && field != typeUser && field != typeRaw {
			wrong = append(wrong, detail{Location: "body.type", Value: field}) // like the original
		}
	}
	var more []string
	for name := range fields {
		if name != "content" && name != "type" && name != "$schema" {
			more = append(more, name)
		}
	}
	slices.Sort(more)
	for _, name := range more {
		wrong = append(wrong, detail{Message: "unexpected property", Location: "body." + name, Value: value})
	}
	return wrong
}
