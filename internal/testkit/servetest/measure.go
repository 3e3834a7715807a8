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

// hostName is the process name of a command's host, see package process.
const hostName = "ptyrec-command-host"

// Measure reports, when done is called, the processor time of each iteration of a benchmark: of the
// server, of the hosts of sessions and commands that run at that time, and of this process, the
// client. It also reports the peak memory of the server and of the largest host.
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

// LargestHost returns the peak memory of the largest running host, in MiB.
func (s *Serve) LargestHost() (most float64) {
	for _, pid := range s.hosts() {
		most = max(most, peak(pid))
	}
	return most
}

// hosts returns the pids of the processes that record sessions and run commands.
func (s *Serve) hosts() (pids []int) {
	names, _ := filepath.Glob("/proc/[0-9]*/cmdline") // the pattern is right
	for _, name := range names {
		text, _ := os.ReadFile(name) // the process may have exited
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

// peak returns the peak memory of a process, in MiB.
func peak(pid int) float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // a process that has exited has none
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

// cpu returns the processor time of a process, or 0 if it has exited.
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
