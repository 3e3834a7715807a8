package server

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

// pageFile is a file of the web page and its digest.
type pageFile struct {
	body []byte
	hash string
}

// loadPage reads the page's files. index.html refers to the others by digest, so that browsers can
// cache them forever.
func loadPage(files fs.FS) (map[string]pageFile, error) {
	page := map[string]pageFile{}
	if files == nil {
		return page, nil
	}
	names, err := fs.Glob(files, "*")
	if err != nil {
		return nil, err
	}
	index := ""
	var replace []string
	for _, name := range names {
		body, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		if name == "index.html" {
			index = string(body)
			continue
		}
		page[name] = newPageFile(body)
		replace = append(replace, fmt.Sprintf(`"/%s"`, name), fmt.Sprintf(`"/%s?v=%s"`, name, page[name].hash))
	}
	page["index.html"] = newPageFile([]byte(strings.NewReplacer(replace...).Replace(index)))
	return page, nil
}

func newPageFile(body []byte) pageFile {
	sum := sha256.Sum256(body)
	return pageFile{body, hex.EncodeToString(sum[:8])}
}

// page responds with a file of the web page. The pages of sessions, links and machine logins are
// the file of /.
func (s *Server) page(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return problem(http.StatusMethodNotAllowed, "method_not_allowed", "%s is not allowed here", r.Method)
	}
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	if isOne(name, "l/") {
		w.Header().Set("X-Robots-Tag", "noindex")
	}
	if name == "" || isPage(name) {
		name = "index.html"
	}
	file, ok := s.files[name]
	if !ok {
		return problem(http.StatusNotFound, "not_found", "no such page")
	}
	w.Header().Set("ETag", `W/"`+file.hash+`"`) // weak, because it is sent with different encodings
	w.Header().Set("Cache-Control", "no-cache")
	if r.URL.Query().Get("v") == file.hash {
		w.Header().Set("Cache-Control", "max-age=31536000, immutable")
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(file.body))
	return nil
}

// isPage reports whether a path is that of a session, a link or a machine login.
func isPage(name string) bool {
	return isOne(name, "s/") || isOne(name, "l/") || isOne(name, "m/")
}

// isOne reports whether a path is a single name below a folder: s/ID, l/CODE, m/CODE.
func isOne(name, folder string) bool {
	id, ok := strings.CutPrefix(name, folder)
	return ok && id != "" && !strings.Contains(id, "/")
}
