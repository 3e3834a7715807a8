package sys

// Commands of fcntl(2) for open file description locks, which also conflict with other descriptors
// of this process. From <sys/fcntl.h>; x/sys does not define them.
const (
	ofdSetLock = 90 // F_OFD_SETLK
	ofdGetLock = 92 // F_OFD_GETLK
)
