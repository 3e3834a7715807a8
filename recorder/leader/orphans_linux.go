package leader

import "syscall"

// setChildSubreaper is PR_SET_CHILD_SUBREAPER (prctl(2)), which package syscall does not define.
const setChildSubreaper = 36

// AdoptOrphans makes this process the parent of all its descendants whose parent exits.
func AdoptOrphans() {
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0) // available in all kernels since 3.4
}
