package servetest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hostName is how the process of a command is called, see package process.
const hostName = "ptyrec-command-host"

// Measure reports, when done is called, the processor time of each run of a benchmark: of the
// server, of the hosts of sessions and commands that run then, and of this process, the client. It
// also reports the most memory that the server and the largest host have taken.
func (s *Serve) Measure(b *testing.B) (done func()) {
	server, hosts, own := cpu(s.PID), s.hostsCPU(), ownCPU()
	return func() {
		for name, spent := range map[string]time.Duration{
			"serve": cpu(s.PID) - server, "hosts": s.hostsCPU() - hosts, "client": ownCPU() - own,
		} {
			b.ReportMetric(float64(spent.Milliseconds())/float64(b.N), name+"-cpu-ms/op")
		}
		b.ReportMetric(peak(s.PID), "serve-MiB")
		if host := s.LargestHost(); host > 0 {
			b.ReportMetric(host, "host-MiB")
		}
	}
}

// LargestHost returns the most memory that a host which runs now has taken, in MiB.
func (s *Serve) LargestHost() (most float64) {
	for _, pid := range s.hosts() {
		most = max(most, peak(pid))
	}
	return most
}

// hosts returns the processes that record sessions and run commands.
func (s *Serve) hosts() (pids []int) {
	names, _ := filepath.Glob("/proc/[0-9]*/cmdline") // the pattern is right
	for _, name := range names {
		text, _ := os.ReadFile(name) // the process may be gone
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if pid != s.PID && (bytes.HasPrefix(text, []byte(hostName)) || bytes.Contains(text, []byte(s.db))) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func (s *Serve) hostsCPU() (sum time.Duration) {
	for _, pid := range s.hosts() {
		sum += cpu(pid)
	}
	return sum
}

// peak returns the most memory that a process has taken, in MiB.
func peak(pid int) float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // a process that is gone has none
	for line := range strings.Lines(string(text)) {
		if kib, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, _ := strconv.Atoi(strings.Fields(kib)[0])
			return float64(n) / 1024
		}
	}
	return 0
}

// tick is the unit of processor times in /proc.
const tick = 10 * time.Millisecond

// cpu returns the processor time of a process, to the tick; 0 if it is gone.
func cpu(pid int) time.Duration {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := bytes.Cut(text, []byte(") "))
	fields, n := strings.Fields(string(rest)), 0
	if len(fields) < 13 {
		return 0
	}
	for _, field := range fields[11:13] { // utime, stime
		k, _ := strconv.Atoi(field)
		n += k
	}
	return time.Duration(n) * tick
}

// ownCPU returns the processor time of this process.
func ownCPU() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // never fails
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
