package redact_test

import (
	"strings"
	"testing"
)

func TestValueEndsAtQuoteOrBlank(t *testing.T) {
	r := newRedactor(t)
	const token = "k9Qz81LmTx7" + "2Vb0"
	for _, c := range []struct{ before, secret, after string }{
		{`api_token = "`, token + `!`, `"`},
		{`secret_key: '`, token + `$`, `'`},
		{`API_KEY=`, token + `=!`, "\n"},
		{`client_secret="`, token + `!x`, `"`},
		{`client_secret="`, token + `!, (x) y`, `" # comment`},
		{"auth_key = `", token + "#'", "`, next"},
		{`{\"accessToken\": \"`, token + `%`, `\"}`},
		{`https://acme.io/?api_key=`, token + `~`, `&user=anna`},
		{`export AUTH_TOKEN=`, token + `@`, `&& make`},
		{`f(api_key=`, token + `^`, `, user)`},
		{`private_key: `, token + strings.Repeat("+"+token, 100) + "==", "\n"},
		{"**api key: ", token + "?", "**"},
		{`Your token is `, token + `d93mQvTz1LrP!`, ` now`},
	} {
		text := c.before + c.secret + c.after
		start, end := len(c.before), len(c.before)+len(c.secret)
		if m := r.Find(text); len(m) != 1 || m[0].Start != start || m[0].End != end {
			t.Errorf("%q becomes %q", text, r.Text(text, nil))
		}
	}
}
