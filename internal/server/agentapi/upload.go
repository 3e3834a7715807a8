package agentapi

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

const (
	maxFile   = 10 << 20 // maximum size of a file, in bytes
	maxUpload = maxFile + 1<<20
	tooLarge  = "file size exceeds 10MB limit"
)

// Folder is a private folder for files that clients have sent.
type Folder string

// NewFolder creates a folder that only this user can read. Remove removes it.
func NewFolder() (Folder, error) {
	name, err := os.MkdirTemp("", "ptyrec-agentapi-") // 0700
	if err == nil {
		name, err = filepath.Abs(name)
	}
	return Folder(name), err
}

// Remove removes the folder and all its files.
func (f Folder) Remove() error { return os.RemoveAll(string(f)) }

// Save implements Uploads.
func (f Folder) Save(name string, data []byte) (string, error) {
	sum := sha256.Sum256(data)
	dir := filepath.Join(string(f), hex.EncodeToString(sum[:8]))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(dir, name)
	return path, os.WriteFile(path, data, 0o600)
}

// upload stores a file for the agent.
func (a *API) upload(w http.ResponseWriter, r *http.Request) error {
	if r.ContentLength > maxUpload && r.Header.Get("Expect") != "" {
		return failed(http.StatusBadRequest, tooLarge) // before the client sends it
	}
	body := r.Body
	name, data, err := readFile(w, r)
	if err != nil {
		drain(body)
		return err
	}
	if a.Uploads == nil {
		return failed(http.StatusForbidden, "this session does not accept files")
	}
	path, err := a.Uploads.Save(name, data)
	if err != nil {
		return err
	}
	return a.answer(w, "UploadResponseBody", struct {
		Schema   string `json:"$schema"`
		OK       bool   `json:"ok"`
		FilePath string `json:"filePath"`
	}{a.schemaURL(r, "UploadResponseBody"), true, path})
}

// readFile reads the field "file" of a form.
func readFile(w http.ResponseWriter, r *http.Request) (name string, data []byte, err error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxUpload)
	form, err := r.MultipartReader()
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); err == nil && kind != "multipart/form-data" {
		err = http.ErrNotMultipart
	}
	if err != nil {
		return "", nil, invalid(http.StatusUnprocessableEntity,
			detail{Message: "cannot read multipart form: " + err.Error(), Location: "body"})
	}
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return "", nil, invalid(http.StatusUnprocessableEntity, detail{Message: "File required", Location: "file"})
		}
		if err != nil {
			return "", nil, unreadable(err)
		}
		if part.FormName() != "file" {
			continue
		}
		data, err := io.ReadAll(io.LimitReader(part, maxFile+1))
		switch {
		case err != nil:
			return "", nil, unreadable(err)
		case len(data) > maxFile:
			return "", nil, failed(http.StatusBadRequest, tooLarge)
		}
		switch name = baseName(part); {
		case part.FileName() == "":
			return "", nil, invalid(http.StatusUnprocessableEntity, detail{Message: "File required", Location: "file"})
		case name == "":
			return "", nil, invalid(http.StatusUnprocessableEntity,
				detail{Message: "invalid file name", Location: "file"})
		}
		return name, data, nil
	}
}

func unreadable(err error) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return failed(http.StatusBadRequest, tooLarge)
	}
	return invalid(http.StatusUnprocessableEntity,
		detail{Message: "cannot read multipart form: " + err.Error(), Location: "body"})
}

// baseName returns a file's name in a form that is safe in a folder, or "".
func baseName(part *multipart.Part) string {
	name := part.FileName() // without folders
	name = name[strings.LastIndexByte(name, '\\')+1:]
	if name == "." || name == ".." || name == "/" || strings.ContainsRune(name, 0) || !utf8.ValidString(name) ||
		len(name) > 255 {
		return ""
	}
	return name
}
