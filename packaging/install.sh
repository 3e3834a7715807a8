#!/bin/sh
# Installs ptyrec's newest release, without root:
#
#	curl -fsSL https://github.com/ptyrec/ptyrec/raw/main/packaging/install.sh | sh
#
# VERSION=0.9.0 installs that release. PREFIX=/usr/local installs there; the default is ~/.local.
# BASE is the address of the releases, for mirrors. The archive must have the SHA-256 that the
# release's checksums.txt names; otherwise nothing is installed.
set -eu

fail() {
	printf 'install ptyrec: error: %s\ninstall ptyrec: hint: %s\n' "$1" "$2" >&2
	exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }

# fetch URL FILE
fetch() {
	if has curl; then
		curl -fsSL --retry 3 -o "$2" "$1"
	elif has wget; then
		wget -q -O "$2" "$1"
	else
		fail "there is neither curl nor wget" "install one of them"
	fi || fail "cannot download $1" "look at the releases: $BASE"
}

sha256() {
	if has sha256sum; then
		sha256sum "$1"
	else
		shasum -a 256 "$1"
	fi | cut -d' ' -f1
}

main() {
	: "${BASE:=https://github.com/ptyrec/ptyrec/releases}" "${PREFIX:=$HOME/.local}" "${VERSION:=}"

	os=$(uname -s) arch=$(uname -m)
	case $os in
	Linux) os=linux ;;
	Darwin) os=darwin ;;
	*) fail "ptyrec does not run on $os" "on Windows, install it in WSL" ;;
	esac
	case $arch in
	x86_64 | amd64) arch=amd64 ;;
	aarch64 | arm64) arch=arm64 ;;
	*) fail "there is no archive for $arch" "build it: go install github.com/ptyrec/ptyrec/cmd/ptyrec@latest" ;;
	esac

	has sha256sum || has shasum || fail "there is neither sha256sum nor shasum to verify the download" "install coreutils or Perl"

	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
	trap 'exit 1' HUP INT TERM

	from=$BASE/latest/download
	[ -z "$VERSION" ] || from=$BASE/download/v${VERSION#v}
	fetch "$from/checksums.txt" "$dir/checksums.txt"
	archive=$(awk -v end="_${os}_$arch.tar.gz" 'substr($2, length($2) - length(end) + 1) == end { print $2; exit }' "$dir/checksums.txt")
	case $archive in
	ptyrec_*) ;;
	*) fail "the release has no archive for $os on $arch" "look at $BASE" ;;
	esac
	case $archive in
	*/*) fail "checksums.txt names a path: $archive" "look at $BASE" ;;
	esac
	fetch "$from/$archive" "$dir/$archive"
	want=$(awk -v name="$archive" '$2 == name { print $1; exit }' "$dir/checksums.txt")
	got=$(sha256 "$dir/$archive")
	[ "$got" = "$want" ] || fail "$archive has the SHA-256 $got, not $want" "nothing is installed; try again, and report it if it stays so"

	mkdir "$dir/files"
	tar -xzf "$dir/$archive" -C "$dir/files" --strip-components=1
	mkdir -p "$PREFIX/bin" "$PREFIX/share/man/man1" "$PREFIX/share/bash-completion/completions" \
		"$PREFIX/share/zsh/site-functions" "$PREFIX/share/fish/vendor_completions.d"
	cp "$dir"/files/man1/*.1 "$PREFIX/share/man/man1/"
	cp "$dir/files/completions/ptyrec.bash" "$PREFIX/share/bash-completion/completions/ptyrec"
	cp "$dir/files/completions/_ptyrec" "$PREFIX/share/zsh/site-functions/_ptyrec"
	cp "$dir/files/completions/ptyrec.fish" "$PREFIX/share/fish/vendor_completions.d/ptyrec.fish"
	cp "$dir/files/ptyrec" "$PREFIX/bin/ptyrec.new" # a running ptyrec keeps its file
	chmod 755 "$PREFIX/bin/ptyrec.new"
	mv -f "$PREFIX/bin/ptyrec.new" "$PREFIX/bin/ptyrec"

	echo "installed: $PREFIX/bin/ptyrec"
	case :$PATH: in
	*:"$PREFIX/bin":*) ;;
	*) echo "add $PREFIX/bin to your PATH" ;;
	esac
}

main # at the end: a script that arrives only in part does nothing
