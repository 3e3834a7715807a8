package notify

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"html"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode/utf16"
)

// commandTime is how long a command may run.
const commandTime = 10 * time.Second

// command runs the user's command. Its result is ignored.
func (n *Notifier) command(notice Notice) {
	n.run(notice, "/bin/sh", "-c", n.options.Command)
}

// desktop shows a notice with the desktop's own program, if there is one.
func (n *Notifier) desktop(notice Notice) {
	if argv := desktopCommand(notice, n.find, isWSL()); argv != nil {
		n.run(notice, argv...)
	}
}

// find returns the path of a program in the session's PATH.
func (n *Notifier) find(name string) string {
	for _, dir := range filepath.SplitList(variable(n.around.Environ, "PATH")) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); filepath.IsAbs(path) && err == nil && info.Mode().IsRegular() &&
			info.Mode()&0o111 != 0 {
			return path
		}
	}
	return ""
}

// run runs a program without a terminal, for a limited time including everything it starts.
func (n *Notifier) run(notice Notice, argv ...string) {
	ctx, stop := context.WithTimeout(n.ctx, commandTime)
	defer stop()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(n.around.Environ[:len(n.around.Environ):len(n.around.Environ)],
		"PTYREC_SESSION="+notice.Session, "PTYREC_STATE="+notice.State, "PTYREC_AGENT="+notice.Agent,
		"PTYREC_TEXT="+notice.Text)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
	cmd.WaitDelay = time.Second
	_ = cmd.Run() // the result does not matter
}

// isWSL reports whether this is Linux on Windows.
func isWSL() bool {
	version, err := os.ReadFile("/proc/version")
	return !errors.Is(err, fs.ErrNotExist) && strings.Contains(strings.ToLower(string(version)), "microsoft")
}

// desktopCommand returns the command that shows a notice on the desktop, or nil.
func desktopCommand(n Notice, find func(name string) string, wsl bool) []string {
	body := n.Words()
	if n.Text != "" {
		body += "\n" + n.Text
	}
	if path := find("notify-send"); path != "" {
		return []string{path, "--app-name=" + title, "--", title, html.EscapeString(body)} // a body may have markup
	}
	if path := find("terminal-notifier"); path != "" {
		// a leading dash or bracket would be an option
		return []string{path, "-title", title, "-message", " " + body, "-group", "ptyrec-" + n.Session}
	}
	if path := find("powershell.exe"); wsl && path != "" {
		return []string{path, "-NoProfile", "-NonInteractive", "-EncodedCommand", encoded(toast(body))}
	}
	return nil
}

// toast returns a script for Windows PowerShell that shows a text.
func toast(text string) string {
	data := base64.StdEncoding.EncodeToString([]byte(text)) // encoded, so that nothing in it is executed
	return `$text = [Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('` + data + `'))
[void][Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]
$xml = [Windows.UI.Notifications.ToastNotificationManager]::` +
		`GetTemplateContent([Windows.UI.Notifications.ToastTemplateType]::ToastText02)
$nodes = $xml.GetElementsByTagName('text')
[void]$nodes.Item(0).AppendChild($xml.CreateTextNode('` + title + `'))
[void]$nodes.Item(1).AppendChild($xml.CreateTextNode($text))
$app = '{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\WindowsPowerShell\v1.0\powershell.exe'
[Windows.UI.Notifications.ToastNotificationManager]::` +
		`CreateToastNotifier($app).Show([Windows.UI.Notifications.ToastNotification]::new($xml))
`
}

// encoded returns a script as PowerShell's -EncodedCommand takes it: UTF-16LE in base64.
func encoded(script string) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune(script)) {
		b = binary.LittleEndian.AppendUint16(b, unit)
	}
	return base64.StdEncoding.EncodeToString(b)
}
