package redact_test

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/redact"
)

// sums makes checksums that are the same in each run.
type sums int

func (s *sums) next() [64]byte {
	*s++
	return sha512.Sum512([]byte(fmt.Sprint(int(*s))))
}

func (s *sums) hex(n int) string {
	sum := s.next()
	return hex.EncodeToString(sum[:n])
}

func (s *sums) base64(n int) string {
	sum := s.next()
	return base64.StdEncoding.EncodeToString(sum[:n])
}

// none reports what is found in a text that has no secret.
func none(t *testing.T, r *redact.Redactor, what, text string) {
	t.Helper()
	for _, m := range r.Find(text) {
		start := strings.LastIndexByte(text[:m.Start], '\n') + 1
		t.Errorf("%s: %s is %q in %q", what, m.Rule, text[m.Start:m.End], text[start:min(len(text), m.End+20)])
	}
}

// Lock files are full of checksums after names such as jsonwebtoken.
func TestNoSecretsInLockFiles(t *testing.T) {
	r := newRedactor(t)
	for _, file := range []string{"../../go.sum", "../../web/package-lock.json"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		none(t, r, file, string(text))
	}
	var s sums
	kinds := map[string]func(name, version string) string{
		"go.sum": func(n, v string) string {
			return fmt.Sprintf("github.com/acme/%s v%s h1:%s\ngithub.com/acme/%s v%s/go.mod h1:%s\n", n, v, s.base64(32), n, v,
				s.base64(32))
		},
		"package-lock.json": func(n, v string) string {
			return fmt.Sprintf("    \"node_modules/%s\": {\n      \"version\": \"%s\",\n"+
				"      \"resolved\": \"https://registry.npmjs.org/%s/-/%s-%s.tgz\",\n      \"integrity\": \"sha512-%s\"\n"+
				"    },\n", n, v, n, n, v, s.base64(64))
		},
		"yarn.lock": func(n, v string) string {
			return fmt.Sprintf("\"%s@^%s\":\n  version \"%s\"\n"+
				"  resolved \"https://registry.yarnpkg.com/%s/-/%s-%s.tgz#%s\"\n  integrity sha512-%s\n", n, v, v, n, n, v,
				s.hex(20), s.base64(64))
		},
		"yarn.lock, berry": func(n, v string) string {
			return fmt.Sprintf("\"%s@npm:^%s\":\n  version: %s\n  checksum: 10c0/%s\n", n, v, v, s.hex(64))
		},
		"pnpm-lock.yaml": func(n, v string) string {
			return fmt.Sprintf("  %s@%s:\n    resolution: {integrity: sha512-%s}\n", n, v, s.base64(64))
		},
		"bun.lock": func(n, v string) string {
			return fmt.Sprintf("    %q: [\"%s@%s\", \"\", {}, \"sha512-%s\"],\n", n, n, v, s.base64(64))
		},
		"Cargo.lock": func(n, v string) string {
			return fmt.Sprintf("[[package]]\nname = %q\nversion = %q\n"+
				"source = \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"%s\"\n\n", n, v, s.hex(32))
		},
		"poetry.lock": func(n, v string) string {
			return fmt.Sprintf("[[package]]\nname = %q\nversion = %q\nfiles = [\n"+
				"    {file = \"%s-%s.tar.gz\", hash = \"sha256:%s\"},\n]\ncontent-hash = \"%s\"\n\n", n, v, n, v, s.hex(32),
				s.hex(32))
		},
		"requirements.txt": func(n, v string) string {
			return fmt.Sprintf("%s==%s \\\n    --hash=sha256:%s \\\n    --hash=sha256:%s\n", n, v, s.hex(32), s.hex(32))
		},
		"composer.lock": func(n, v string) string {
			return fmt.Sprintf("    \"content-hash\": \"%s\",\n            \"name\": \"acme/%s\",\n"+
				"            \"source\": {\n                \"reference\": \"%s\"\n            },\n            \"dist\": {\n"+
				"                \"url\": \"https://api.github.com/repos/acme/%s/zipball/%s\",\n"+
				"                \"shasum\": \"%s\"\n", s.hex(16), n, s.hex(20), n, s.hex(20), s.hex(20))
		},
		"Gemfile.lock": func(n, v string) string {
			return fmt.Sprintf("    %s (%s)\n  %s (%s) sha256=%s\n", n, v, n, v, s.hex(32))
		},
		"Podfile.lock": func(n, v string) string {
			return fmt.Sprintf("SPEC CHECKSUMS:\n  %sKit: %s\n", strings.ToUpper(n[:1])+n[1:], s.hex(20))
		},
		"SHA256SUMS": func(n, v string) string {
			return fmt.Sprintf("%s  %s-%s.tar.gz\nSHA256 (%s) = %s\nMD5 (%s) = %s\n", s.hex(32), n, v, n, s.hex(32), n,
				s.hex(16))
		},
		"git": func(n, v string) string {
			return fmt.Sprintf("%s\trefs/tags/%s-v%s\ncommit %s (tag: %s)\n%s rotate the token of the api key\n"+
				"index %s..%s 100644\n", s.hex(20), n, v, s.hex(20), n, s.hex(4)[:7], s.hex(4)[:7], s.hex(4)[:7])
		},
		"packages": func(n, v string) string { return fmt.Sprintf("ii  %s   1:%s+dfsg1-1   amd64\n%s   v%s\n", n, v, n, v) },
		"docker": func(n, v string) string {
			return fmt.Sprintf("acme/%s   %s   %s   2 weeks ago   1.2GB\nacme/%s@sha256:%s\n", n, v, s.hex(6), n, s.hex(32))
		},
	}
	names := strings.Fields("jsonwebtoken keyv token-types secret-stack password-hash passport-auth-token authy " +
		"api-key-auth access-token-jwt credential-providers oauth2-server keygrip cookie-signature csrf-tokens tokenizers " +
		"secrecy auth0-js next-auth api-client argon2-password hmac-secret pyjwt passlib clientsecret creds password " +
		"token key")
	for kind, line := range kinds {
		var b strings.Builder
		for i := range 8 {
			for k, name := range names {
				b.WriteString(line(name, fmt.Sprintf("%d.%d.%d", i, k, i+k)))
			}
		}
		none(t, r, kind, b.String())
	}
}

// A key of a build's cache is no secret.
func TestNoSecretsInCacheKeys(t *testing.T) {
	r := newRedactor(t)
	var s sums
	var text strings.Builder
	for range 30 {
		fmt.Fprintf(&text, "    key: v1-deps-%s\n", s.hex(20))
	}
	none(t, r, "in a row", text.String())
	for _, line := range []string{
		"key: v1-deps-%s", "key: Linux-node-%s", "Cache restored from key: Linux-node-%s",
		"Cache hit for: linux-go-1.22-%s", "restore-keys: Linux-node-%s", "cache-key: node-cache-Linux-x64-npm-%s",
		"Cache saved with key: setup-go-Linux-x64-ubuntu22-go-1.22.1-%s",
		"primary-key: v2-cargo-%s", `cache_key="v1-gems-%s"`, `"key": "v3-pip-%s"`, "CACHE_KEY=deps-%s",
		"Found a cache from build 123 at v1-dependencies-%s", "key: v1-%s", "key: yarn-%s-v2", "Cache key: npm-%s",
		"cacheKey: 'pnpm-%s'", "key = deps-%s", "cache.key: deps-%s",
	} {
		for _, sum := range []string{s.hex(20), s.hex(32), s.base64(32)} {
			none(t, r, "alone", fmt.Sprintf(line, sum))
		}
	}
}

func TestNoSecretsInErrorsAndTables(t *testing.T) {
	r := newRedactor(t)
	for _, text := range []string{
		"error=invalid_grant", "oauth2: token: error=invalid_grant", "Cookie: error=invalid_grant",
		"password: error=invalid_grant", `{"error":"invalid_grant","error_description":"Token has been expired or ` +
			`revoked."}`, "?error=invalid_grant&state=x",
		"NAME      PASSWORD   STATUS\nbob       none       active",
		"| Field | Type |\n|---|---|\n| password | varchar(255) |",
		"user, password, ok := r.BasicAuth()\nif user, password, err2 := f()",
		"ok  \tgithub.com/acme/password\t0.012s", "Password      string `json:\"password\"`", "token   v1.2.3",
		"passwd     1:4.13+dfsg1-1     amd64", "PASSWORD   ********", "DB_PASSWORD        $DB_PASSWORD",
		"export DB_PASSWORD=$(cat /run/secrets/db1)",
		"- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      key: password1",
		"- name: DB_PASSWORD_FILE\n  value: /run/secrets/db1", "TRUE / FALSE 1 of the cases",
		"snmp-server community public RO", "802-11-wireless-security.psk:           <hidden>",
		"the root token is created once",
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Idempotency-Key: 8e03978e-40d5-43e8-bc93-6894a57f9324",
		"public key: age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kdfljwpyqmyd9as",
		"|PASSWORD=$PASSWORD|", "password=os.environ['DB_PASSWORD1']", "curl -u https://a:443/", "Signature=abc",
		"set password policy minimum-length 8",
		"diff --git a/token_test.go b/token_test.go\nindex 3f2a91c..88d0e1b 100644\n--- a/token_test.go\n" +
			"+++ b/token_test.go\n@@ -1,3 +1,4 @@ func TestToken(t *testing.T) {\n-\tkey := newKey(t)\n" +
			"+\tkey, token := newKey(t), tokenOf(t, 42)\n",
	} {
		none(t, r, "text", text)
	}
}

// Nothing in 100,000 lines of Go is taken for a secret.
func TestNoSecretsInSourceCode(t *testing.T) {
	r := newRedactor(t)
	most := 100_000
	if testing.Short() { // make test reads them all
		most = 10_000
	}
	root := filepath.Join(build.Default.GOROOT, "src")
	lines := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case lines >= most:
			return fs.SkipAll
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "vendor"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		lines += bytes.Count(text, []byte("\n"))
		none(t, r, path, string(text))
		return err
	})
	if err != nil || lines < most {
		t.Skipf("%s has %d lines of Go, and this needs %d: %v", root, lines, most, err)
	}
}

// A value that looks like a checksum is a secret if its name says so.
func TestSecretsBesideHarmlessNames(t *testing.T) {
	r := newRedactor(t)
	sum := sha256.Sum256([]byte("x"))
	secret := hex.EncodeToString(sum[:20])
	for _, before := range []string{"api_key: ", "token=", "  token: ", "  Token: ", "client_secret: live-",
		"auth_token: 'prod-", "secret_key = ", "access_token: v1.", "public_key=a, secret_key="} {
		if got := r.Text(before+secret, nil); strings.Contains(got, secret[8:]) {
			t.Errorf("%q becomes %q", before+secret, got)
		}
	}
}

// Commands that name no secret, and rows that come after those that do.
func TestNoSecretsInCommands(t *testing.T) {
	r := newRedactor(t)
	for _, text := range []string{
		"ssh-keygen -t ed25519 -N '' -f id_2026\n", "ssh-keygen -N \"$PASS2\" -f id\n",
		"openssl rand -hex 32 > key1.txt\n", "wg genkey | tee private1.key | wg pubkey > public1.key\n",
		"$ openssl rand -hex 32 -out key.bin\n$ ls -la\n", "kubectl get secret db2 -o yaml\napiVersion: v1\nkind: Secret\n",
		"$ kubectl get secrets\nNAME            TYPE     DATA   AGE\ndb-5f7d8c9b6   Opaque   2      41d\n",
		"INSERT INTO users (name, password) VALUES (?, ?)\n", "INSERT INTO users (name, password) VALUES ($1, $2)\n",
		"cur.execute(\"INSERT INTO users (name, password) VALUES (%s, %s)\", (name, pw1))\n",
		"INSERT INTO users (name, token_count) VALUES ('bob', '12')\n",
		"headers[\"X-Api-Key\"] = settings.api_key_v2\n", "job[\"cache_key\"] = \"v1-deps-main-2026\"\n",
		"[sudo] password for bob: \nGet:12 http://deb.debian.org/debian trixie/main amd64 libssl3t64\n",
		"Password for 'https://bob@github.com': \nTo https://github.com/bob/x2.git\n",
		"The new password is sent to: bob2@example.com\n", "\"Type\": \"SecureString\",\n\"Value\": \"${var.db_1}\"\n",
		"mc alias set play https://play.min.io $KEY1 $SECRET1\n", "etcdctl --user root get /x1\n",
		"type netrcLine struct {\n\tmachine  string\n\tlogin    string\n\tpassword string\n}\n",
		"gh secret set DEPLOY_KEY2 < key2.pem\n", "ansible-vault encrypt_string --stdin-name db_pass2\n",
	} {
		none(t, r, "a command", text)
	}
}
