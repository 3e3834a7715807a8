package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
)

// An agent that has finished a turn, and one that asks, is told to the terminal, to a fake
// notify-send, to a command, and to a webhook that fails twice. Nothing of it is recorded.
func TestNotify(t *testing.T) {
	t.Parallel()
	posts := make(chan string, 10)
	tries := 0
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if tries++; tries <= 2 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		posts <- r.Header.Get("Webhook-Signature") + " " + string(body)
	}))
	defer hook.Close()
	environ, db := env(t)
	home, bin := t.TempDir(), t.TempDir()
	told, ran := filepath.Join(home, "told"), filepath.Join(home, "ran")
	for name, text := range map[string]string{
		filepath.Join(bin, "notify-send"): "#!/bin/sh\necho \"$*\" >>" + told + "\n",
		filepath.Join(home, ".config/ptyrec/config.toml"): fmt.Sprintf("[notify]\nafter = \"0s\"\nsecret = \"s\"\n"+
			"webhook = %q\ncommand = %q\n", hook.URL, `echo "$PTYREC_SESSION $PTYREC_STATE <$PTYREC_TEXT>" >>`+ran),
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	u := ptytest.New(t)
	cmd := exec.Command("ptyrec", "run", "--notify", "--", "claude")
	cmd.Env = append(environ, "HOME="+home, "XDG_CONFIG_HOME=", "PATH="+bin+":"+os.Getenv("PATH"), "TERM=xterm-256color",
		"AGENT_LOG="+filepath.Join(home, "log"))
	u.Start(t, cmd)
	u.Await(t, "❯")
	u.Type(t, "slow\r")
	u.Await(t, "\x1b]9;ptyrec: claude has finished, after ")
	u.Await(t, "\x07\x07")
	u.Type(t, "ask\r")
	u.Await(t, "\x1b]9;ptyrec: claude asks for approval")
	var post string
	for state := range strings.FieldsSeq("idle asking") {
		post = <-posts
		signature, body, _ := strings.Cut(post, " ")
		var got struct{ Session, State, Text string }
		if err := json.Unmarshal([]byte(body), &got); err != nil || got.State != state || got.Text != "" ||
			!strings.HasPrefix(signature, "v1,") {
			t.Errorf("the webhook got %s, %v", post, err)
		}
	}
	u.Type(t, "1\r")
	u.Type(t, "exit 0\r")
	if status := ptytest.Status(t, cmd); status != 0 {
		t.Errorf("status %d, want 0", status)
	}
	info, events := rawLog(t, db)
	for name, want := range map[string]string{told: "--app-name=ptyrec -- ptyrec claude has finished, after ",
		ran: info.ID + " idle <>\n" + info.ID + " asking <>\n"} {
		if text, err := os.ReadFile(name); err != nil || !strings.HasPrefix(string(text), want) {
			t.Errorf("%s has %q, %v, want %q", name, text, err, want)
		}
	}
	for _, e := range events {
		if strings.Contains(string(e.Data), "]9;") {
			t.Errorf("the notification is recorded: %q", e.Data)
		}
	}
}

// Without [notify] and --notify, and with --notify=false, nothing is told; a setting that cannot be
// understood is an error that does not tell the webhook's address.
func TestNotifyOff(t *testing.T) {
	t.Parallel()
	environ, _ := env(t)
	home := t.TempDir()
	path := filepath.Join(home, "ptyrec", "config.toml")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	run := func(config string, args ...string) (string, error) {
		if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("ptyrec", args...)
		cmd.Env = append(environ, "XDG_CONFIG_HOME="+home)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for config, want := range map[string]string{
		"after = \"x\"":                  "notify.after: \"x\" is not a time",
		"quiet = \"night\"":              "notify.quiet: \"night\" is not a time of day",
		"osc = \"1\"":                    "notify.osc: unknown value",
		"webhook = \"ftp://user:s3c@h\"": "notify.webhook: it must be a URL",
		"bel = true":                     "did you mean notify.bell?",
	} {
		out, err := run("[notify]\n"+config+"\n", "run", "--", "true")
		if err == nil || !strings.Contains(out, want) || !strings.Contains(out, "ptyrec: hint: ") ||
			strings.Contains(out, "s3c") {
			t.Errorf("%s: %v, %s", config, err, out)
		}
	}
	out, err := run("[notify]\nwebhook = \"https://h/s3c\"\nsecret = \"s3c\"\n", "config")
	if err != nil || strings.Contains(out, "s3c") || !strings.Contains(out, "webhook") {
		t.Errorf("config: %v, %s", err, out)
	}
	if out, err := run("[notify]\nwebhook = \"http://127.0.0.1:1\"\n", "run", "--notify=false", "--",
		"true"); err != nil || out != "" {
		t.Errorf("--notify=false: %v, %s", err, out)
	}
	if out, err := run("", "run", "--notify=maybe", "--", "true"); err == nil || !strings.Contains(out, "ptyrec: hint: ") {
		t.Errorf("--notify=maybe: %v, %s", err, out)
	}
}
