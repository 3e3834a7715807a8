// Package protocol is what a live session and its viewers say to each other: frames over any stream
// of bytes (the session's unix socket, a WebSocket of the server). docs/protocol.md describes it
// for programs in other languages.
//
// A frame is a type (1 byte), a length (4 bytes, big endian, at most MaxPayload) and so many bytes
// of payload. The viewer speaks first (Attach); the session answers with Hello, or with Refused and
// closes. Lower-case types go from the viewer to the session, upper-case ones to the viewer. A type
// that one does not know is skipped: frames and their JSON fields are only ever added.
//
// seq is the number of bytes that the child had written before: the first byte of output has seq 0.
// It is never reused, and is the offset of the raw log and of entries.
package protocol

// Version is the protocol's version. A session refuses a viewer of a higher major version; there is
// only one so far.
const Version = 1

// Bounds of frames, in bytes of payload.
const (
	MaxPayload = 1 << 20  // of any frame; a longer one ends the connection
	MaxOutput  = 64 << 10 // of the output in one Output frame, and of the keys in one Input frame
)

// MaxFrame is the length of the longest frame on the wire, in bytes: of one message, where frames
// travel as messages.
const MaxFrame = headerSize + MaxPayload

// MaxCols and MaxRows are the largest size of a session's window, in cells.
const (
	MaxCols = 1000
	MaxRows = 2000
)

// Type says what a frame holds.
type Type byte

// Frames to the viewer.
const (
	TypeHello    Type = 'H' // Hello: the first one
	TypeRefused  Type = 'F' // Error: the viewer cannot be served; the connection ends
	TypeSnapshot Type = 'S' // Snapshot: forget the screen you have, this is it
	TypeOutput   Type = 'O' // Output: what the child wrote
	TypeGap      Type = 'G' // Gap: bytes that are lost; the next output comes after them
	TypeResize   Type = 'R' // Size, of the session's window
	TypeEntries  Type = 'E' // Entries: new, changed or taken back
	TypeState    Type = 'T' // State of the agent
	TypeControl  Type = 'C' // Control: who is attached, and who may type; at each change
	TypeScreen   Type = 'N' // Screen: what an observer sees
	TypeAck      Type = 'A' // Ack: the answer to a request, in the order of the requests
	TypeExit     Type = 'X' // Exit: the child is over, and all before it was sent; the connection ends
	TypePong     Type = 'P' // the Ping's payload
	TypeNumbered Type = 'L' // Numbered: a frame of the raw log, in ModeFrames
	TypeShell    Type = 'B' // Shell: what the session's shell does, in ModeText
	TypeNotice   Type = 'W' // Notice: what the user should know; the session continues
)

// Frames to the session.
const (
	TypeAttach  Type = 'h' // Attach: the first one
	TypeInput   Type = 'i' // Input: keys for the child; acknowledged
	TypeSize    Type = 'r' // SizeRequest; acknowledged
	TypeRequest Type = 'c' // ControlRequest; acknowledged
	TypeKill    Type = 'k' // Kill; acknowledged
	TypeMark    Type = 'm' // MarkRequest; acknowledged
	TypePrompt  Type = 'q' // PromptRequest; acknowledged
	TypePing    Type = 'p' // up to 125 bytes, sent back
)
