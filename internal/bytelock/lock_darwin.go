package bytelock

// From <sys/fcntl.h>; x/sys has no names for them.
const (
	ofdSetLock = 90 // F_OFD_SETLK
	ofdGetLock = 92 // F_OFD_GETLK
)
