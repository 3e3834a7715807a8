// Package packaging_test tries the files by which ptyrec is installed.
package packaging_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// release is what a server has of a release.
func release(t *testing.T) map[string][]byte {
	t.Helper()
	name := fmt.Sprintf("ptyrec_0.9.0_%s_%s", runtime.GOOS, runtime.GOARCH)
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for path, text := range map[string]string{
		"ptyrec": "#!/bin/sh\necho ptyrec 0.9.0\n", "man1/ptyrec.1": "man", "man1/ptyrec-list.1": "man",
		"completions/ptyrec.bash": "bash", "completions/_ptyrec": "zsh", "completions/ptyrec.fish": "fish",
	} {
		if err := w.WriteHeader(&tar.Header{Name: name + "/" + path, Mode: 0o755, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	archive := name + ".tar.gz"
	sums := fmt.Sprintf("%x  ptyrec_0.9.0_plan9_mips.tar.gz\n%x  %s\n", sha256.Sum256(nil), sha256.Sum256(b.Bytes()),
		archive)
	return map[string][]byte{"checksums.txt": []byte(sums), archive: b.Bytes()}
}

// install runs the script against a server with these files.
func install(t *testing.T, files map[string][]byte, env ...string) (prefix, out string, err error) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, ok := files[filepath.Base(r.URL.Path)]
		if dir := filepath.Dir(r.URL.Path); !ok || dir != "/latest/download" && dir != "/download/v0.9.0" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(data)
	}))
	defer server.Close()
	prefix = filepath.Join(t.TempDir(), "a prefix")
	cmd := exec.CommandContext(t.Context(), "sh", "install.sh")
	cmd.Env = append(os.Environ(), append([]string{"HOME=" + t.TempDir(), "BASE=" + server.URL, "PREFIX=" + prefix},
		env...)...)
	b, err := cmd.CombinedOutput()
	return prefix, string(b), err
}

func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skip(err)
		}
	}
}

// The script installs what the checksums allow, newest or of a version.
func TestInstall(t *testing.T) {
	needs(t, "sh", "tar", "curl")
	for name, env := range map[string][]string{"newest": nil, "version": {"VERSION=0.9.0"}, "tag": {"VERSION=v0.9.0"}} {
		t.Run(name, func(t *testing.T) {
			prefix, out, err := install(t, release(t), env...)
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			got, err := exec.CommandContext(t.Context(), filepath.Join(prefix, "bin", "ptyrec")).Output()
			if err != nil || string(got) != "ptyrec 0.9.0\n" {
				t.Errorf("the installed program prints %q (%v)", got, err)
			}
			for _, path := range []string{
				"share/man/man1/ptyrec.1", "share/man/man1/ptyrec-list.1", "share/bash-completion/completions/ptyrec",
				"share/zsh/site-functions/_ptyrec", "share/fish/vendor_completions.d/ptyrec.fish",
			} {
				if _, err := os.Stat(filepath.Join(prefix, path)); err != nil {
					t.Error(err)
				}
			}
			if !strings.Contains(out, "to your PATH") {
				t.Errorf("the script does not mention PATH: %q", out)
			}
		})
	}
}

// Nothing is installed unless the checksum is right.
func TestInstallRefuses(t *testing.T) {
	needs(t, "sh", "tar", "curl")
	for name, c := range map[string]struct {
		change func(files map[string][]byte)
		env    string
		want   string
	}{
		"other bytes": {func(f map[string][]byte) {
			for name := range f {
				if name != "checksums.txt" {
					f[name] = append(f[name], 'x')
				}
			}
		}, "", "has the SHA-256"},
		"no checksums":    {func(f map[string][]byte) { delete(f, "checksums.txt") }, "", "cannot download"},
		"empty checksums": {func(f map[string][]byte) { f["checksums.txt"] = nil }, "", "has no archive"},
		"a path": {func(f map[string][]byte) {
			f["checksums.txt"] = bytes.ReplaceAll(f["checksums.txt"], []byte("  ptyrec"), []byte("  ptyrec_/../x"))
		}, "", "names a path"},
		"no such version": {func(map[string][]byte) {}, "VERSION=0.8.0", "cannot download"},
		"no program for sum": {func(map[string][]byte) {},
			"PATH=" + only(t, "sh", "uname", "mktemp", "rm", "curl", "awk", "cut", "mkdir", "tar"), "to verify the download"},
	} {
		t.Run(name, func(t *testing.T) {
			files := release(t)
			c.change(files)
			prefix, out, err := install(t, files, c.env)
			if err == nil {
				t.Errorf("the script succeeds: %s", out)
			}
			if !strings.Contains(out, "error: ") || !strings.Contains(out, "hint: ") || !strings.Contains(out, c.want) {
				t.Errorf("it prints %q, want %q and a hint", out, c.want)
			}
			if _, err := os.Stat(prefix); err == nil {
				t.Error("something is installed")
			}
		})
	}
}

// only returns a folder with these programs alone.
func only(t *testing.T, programs ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, p := range programs {
		path, err := exec.LookPath(p)
		if err != nil {
			t.Skip(err)
		}
		if err := os.Symlink(path, filepath.Join(dir, p)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The formula and the PKGBUILD have the version and the sums of the release.
func TestFill(t *testing.T) {
	needs(t, "sh", "sed", "grep")
	dir := t.TempDir()
	sums := filepath.Join(dir, "checksums.txt")
	text := ""
	for i, platform := range []string{"linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64"} {
		text += fmt.Sprintf("%064x  ptyrec_0.9.0_%s.tar.gz\n", i+1, platform)
	}
	fill := func(text string) (string, error) {
		if err := os.WriteFile(sums, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		b, err := exec.CommandContext(t.Context(), "./fill", sums, dir).CombinedOutput()
		return string(b), err
	}
	if out, err := fill(text); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, want := range map[string][]string{
		"ptyrec.rb": {`version "0.9.0"`, fmt.Sprintf("darwin_arm64.tar.gz\"\n      sha256 \"%064x\"", 4)},
		"PKGBUILD":  {"pkgver=0.9.0\n", fmt.Sprintf("sha256sums_aarch64=('%064x')", 2)},
	} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(string(b), w) {
				t.Errorf("%s has no %q:\n%s", name, w, b)
			}
		}
	}
	if out, err := fill(strings.Replace(text, "darwin_arm64", "darwin_mips", 1)); err == nil ||
		!strings.Contains(out, "no sum for darwin_arm64") {
		t.Errorf("a missing sum: %v, %q", err, out)
	}
}
