package sys

// Commands of fcntl(2) for locks of an open file description: another descriptor of this process
// conflicts with them, too. From <sys/fcntl.h>; x/sys has no names for them.
const (
	ofdSetLock = 90 // F_OFD_SETLK
	ofdGetLock = 92 // F_OFD_GETLK
)
