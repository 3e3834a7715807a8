package redact

import "strings"

var (
	// sumBefore matches the text before a checksum.
	sumBefore = newFilter(`(?i)(?:\bh1:|\bsha(?:1|224|256|384|512)[-:=]["']?|(?:checksum|integrity|digest|md5|sha(?:` +
		`1|224|256|384|512)|content-hash|etag|revision|commit|resolved)["']?\s{0,3}[:=,]{1,2}[\s"'\x60]{0,3})$`)

	// openName matches the name of a key that is no secret, which is before it in its line.
	openName = newFilter(`(?i)(?:sec-websocket-key|idempotency-key|public[ _-]key)["']?\s{0,3}[:=]\s{0,3}["']?$`)

	// Builds name their cache entries by keys. cacheName matches a name for such a key, plainKey
	// just "key", cacheKey a value that begins as many of them do, and hashedKey one that ends with
	// a hash.
	cacheName = newFilter(`(?i)^[^\s:=]{0,40}cache|\bcache[ ` +
		`_.-]?key|(?:^|\s)["']?(?:restore[_-]|primary[_-])keys?["']?\s{0,3}[:=]`)
	plainKey = newFilter(`(?i)^["']?keys?["']?\s{0,3}[:=]`)
	cacheKey = newFilter(`(?i)^(?:v[0-9]+|yarn|npm|pnpm|bun|deps?|dependencies|gems?|bundler?|pip|poetry|uv|cargo|` +
		`rust|go|golang|gradle|maven|m2|node|node_modules|composer|php|venv|cache|build|docker|buildx|setup|linux|macos|` +
		`windows|ubuntu|darwin|turbo|s?ccache|nx|bazel|terraform|tox|pre|playwright|cypress|main|master)[-_.:|]`)
	hashedKey = newFilter(`^(?:[A-Za-z0-9_.]*[A-Za-z][A-Za-z0-9_.]*-)+(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})(?:` +
		`-[A-Za-z0-9_.-]*)?$|^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

	// podSum matches a line of a Podfile.lock with a checksum, and podSecret such a line whose name
	// is that of a secret.
	podSum    = newFilter(`^  [A-Z][A-Za-z0-9+_/.-]*: [0-9a-f]{40}\s*$`)
	podSecret = newFilter(`(?i)(?:token|key|secret|password|credential)s?: `)
)

// isHarmless reports whether a value that the generic rule found is an identifier in source code, a
// checksum, or a cache key. match begins with the name before the value.
func isHarmless(secret, match string, line func() string) bool {
	before, _, _ := strings.Cut(match, secret)
	switch {
	case isIdentifier(secret):
		return true
	case sumBefore.matches(before), openName.matches(lineBefore(line(), secret)):
		return true
	case podSum.matches(line()) && !podSecret.matches(line()):
		return true
	case hashedKey.matches(secret):
		return plainKey.matches(before) && strings.Contains(secret, "-") || cacheName.matches(before) ||
			strings.Contains(strings.ToLower(line()), "cache")
	case cacheKey.matches(secret):
		return plainKey.matches(before) || cacheName.matches(before)
	}
	return false
}

// lineBefore returns the last bytes before a secret in its line.
func lineBefore(line, secret string) string {
	before, _, _ := strings.Cut(line, secret)
	return before[max(0, len(before)-64):]
}
