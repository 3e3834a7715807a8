package archive

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/session"
)

// Passwords among the arguments of sshpass, mysql and curl were stored in the command line; a
// secret in the folder's name was, too.
func TestRedactedCommand(t *testing.T) {
	finder, err := redact.New(redact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const secret = "h4nter2two9"
	for _, command := range [][]string{
		{"sshpass", "-p", secret, "ssh", "dev@host"}, {"sshpass", "-p" + secret, "ssh"},
		{"sshpass", "-p", "two " + secret, "ssh"},
		{"mysql", "-u", "root", "-p" + secret, "shop"}, {"mysqldump", "--password=" + secret},
		{"mysql", "--password", secret},
		{"env", "PGPASSWORD=" + secret, "psql"}, {"redis-cli", "-a", secret}, {"curl", "-u", "dev:" + secret, "https://host"},
		{"curl", "-H", "Cookie: sid=" + secret, "https://host"}, {"docker", "login", "-u", "me", "-p", secret},
		{"bash", "-c", "mysql -p" + secret + " shop"}, {"bash", "-c", "sshpass -p '" + secret + "' ssh dev@host"},
		{"psql", "postgres://dev:" + secret + "@host/db"},
		{"zip", "-P", secret, "a.zip", "a"}, {"openssl", "enc", "-k", secret}, {"tool", "--api-key=" + secret},
		{"tool", "-t", "gsk_" + strings.Repeat("x7Kd93mQvTz1", 5)},
	} {
		transcript := &session.Transcript{Session: session.Session{
			Command: command, Title: strings.Join(command, " "),
		}}
		transcript.Session.Cwd = "/home/dev/ghp_x7Kd93mQvTz1LrPw8YbNcE5hJ2gUsA4fRo6I"
		Redaction{Redactor: finder}.Transcript(transcript, nil)
		s := transcript.Session
		if said := strings.Join(append(slices.Clone(s.Command), s.Title, s.Cwd), " "); strings.Contains(said, secret) ||
			strings.Contains(said, "Kd93") {
			t.Errorf("%q became %q, %q, %q", command, s.Command, s.Title, s.Cwd)
		}
		if s.Command[0] != command[0] || len(s.Command) != len(command) {
			t.Errorf("%q became %q", command, s.Command)
		}
	}
	for _, command := range [][]string{{"mysql", "-p", "shop"}, {"ssh", "-p", "2222", "host"}, {"find", ".", "-print"},
		{"docker", "run", "-p", "8080:80", "img"}, {"zip", "-r", "a.zip", "a"}, {"claude", "--resume"}} {
		if got := (Redaction{Redactor: finder}).Command(command); !slices.Equal(got, command) {
			t.Errorf("%q became %q", command, got)
		}
	}
}

// TestRedactedShell checks that redaction adds nothing to an entry: a shell command, which has no
// Markdown, got its text as that.
func TestRedactedShell(t *testing.T) {
	finder, err := redact.New(redact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := &session.Entry{Type: session.TypeMessage, Role: session.RoleShell, Text: "make", Output: "done"}
	if got := (Redaction{Redactor: finder}).Entry(e, nil); got != e {
		t.Errorf("an entry without a secret was copied: Markdown %q", got.Markdown)
	}
	e.Text = "mysql -ph4nter2two9"
	if got := (Redaction{Redactor: finder}).Entry(e, nil); got.Text == e.Text || got.Markdown != "" {
		t.Errorf("became %q, Markdown %q", got.Text, got.Markdown)
	}
}

// A password that is a word is hidden in Markdown where it is the password, and stays elsewhere.
func TestWordsThatArePasswordsStayElsewhere(t *testing.T) {
	finder, err := redact.New(redact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, markdown, want string }{
		{"https://instruction:dev@example.test/x and api.bar.dev/api, devices",
			"https://instruction:dev@example.test/x and `api.bar.dev/api`, *devices*",
			"https://instruction:[redacted:url-password]@example.test/x and `api.bar.dev/api`, *devices*"},
		{"postgres://app:test1@db/shop runs test1", "postgres://**app**:test1@db/shop runs _test1_",
			"postgres://**app**:[redacted:url-password]@db/shop runs _test1_"},
		{"https://ann:de_v@acme.io/ and devices", "https://ann:de\\_v@acme.io/ and *devices*",
			"https://ann:[redacted:url-password]@acme.io/ and *devices*"},
		{"https://ann:instruction@acme.io/ is an instruction", "https://ann:**instruction**@acme.io/ is an *instruction*",
			"https://ann:[redacted:url-password]@acme.io/ is an *instruction*"},
		// Any other secret is hidden everywhere, and so is a word if its place cannot be found.
		{"https://ann:Kf93mQvTz1x@acme.io/ or Kf93mQvTz1x", "https://ann:Kf93mQvTz1x@acme.io/ or Kf93*mQvTz1x*",
			"https://ann:[redacted:url-password]@acme.io/ or [redacted:url-password]*"},
		{"https://ann:x7-q2!@acme.io/ or x7-q2!", "https://ann:x7-q2!@acme.io/ or *x7-\\q2!*",
			"https://ann:[redacted:url-password]@acme.io/ or *[redacted:url-password]*"},
		{"https://ann:deva@acme.io/", "[a](<https://ann><:deva@>acme.io/)",
			"[a](<https://ann><:[redacted:url-password]@>acme.io/)"},
	} {
		e := &session.Entry{Type: session.TypeMessage, Role: session.RoleAssistant, Text: c.text, Markdown: c.markdown}
		if got := (Redaction{Redactor: finder}).Entry(e, nil).Markdown; got != c.want {
			t.Errorf("%q\nbecame %q,\nwant   %q", c.markdown, got, c.want)
		}
	}
}

// Secrets that formatting splits in the Markdown of a message are hidden, however many there are.
// Reading the whole Markdown for each of them would take many minutes.
func TestManySecretsInMarkdown(t *testing.T) {
	finder, err := redact.New(redact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	var text, markdown strings.Builder
	for n := range 20_000 {
		secret := make([]byte, 12)
		for i := range secret {
			secret[i] = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"[random.IntN(49)]
		}
		secret[8] = '5'
		if n%10 == 0 { // it may be a word
			secret = secret[:4]
		}
		fmt.Fprintf(&text, "https://user%d:%s@acme.io/ x\n", n, secret)
		fmt.Fprintf(&markdown, "https://**user%d**:%s\\%s@acme.io/ x\n", n, secret[:2], secret[2:])
	}
	e := &session.Entry{
		Type: session.TypeMessage, Role: session.RoleAssistant, Text: text.String(), Markdown: markdown.String(),
	}
	got := (Redaction{Redactor: finder}).Entry(e, nil).Markdown
	if left := regexp.MustCompile(`user[0-9]+\*\*:[^[]\S*`).FindAllString(got, 3); left != nil {
		t.Errorf("%q and others are left", left)
	}
	if n := strings.Count(got, "[redacted:url-password]"); n != 20_000 {
		t.Errorf("%d marks, want 20,000", n)
	}
}
