// Package protocol defines the frames that a live session and its viewers exchange, over the
// session's Unix socket or a WebSocket of the server. docs/protocol.md describes them for programs
// in other languages.
//
// A frame is a type (1 byte), the length of the payload (4 bytes, big endian, at most MaxPayload)
// and the payload. The viewer sends the first frame, Attach. The session answers with Hello, or
// sends Refused and closes the connection. Lower-case types go to the session, upper-case types to
// the viewer. Both sides skip types that they do not know: later versions only add frames and
// fields.
//
// seq is an offset in the output: the number of bytes that the command had written before. The raw
// log and entries use the same offsets.
package protocol

// Version is the protocol's version. A session refuses viewers with a higher one.
const Version = 1

// Limits of a frame's payload, in bytes.
const (
	MaxPayload = 1 << 20  // any frame; a longer one ends the connection
	MaxOutput  = 64 << 10 // output in an Output frame, keys in an Input frame
)

// MaxFrame is the maximum length of a frame on the wire, in bytes. On a WebSocket, a frame is one
// message.
const MaxFrame = headerSize + MaxPayload

// MaxCols and MaxRows are the maximum size of a session's window, in cells.
const (
	MaxCols = 1000
	MaxRows = 2000
)

// Type is the type of a frame.
type Type byte

// Types of frames to the viewer, with the type of their payload.
const (
	TypeHello    Type = 'H' // Hello: the first frame
	TypeRefused  Type = 'F' // Error: the viewer is refused; the connection ends
	TypeSnapshot Type = 'S' // Snapshot: replaces the viewer's screen
	TypeOutput   Type = 'O' // Output: bytes that the command wrote
	TypeGap      Type = 'G' // Gap: bytes that are not available; output continues after them
	TypeResize   Type = 'R' // Size, of the session's window
	TypeEntries  Type = 'E' // Entries: new, changed or removed
	TypeState    Type = 'T' // State: what the agent does
	TypeControl  Type = 'C' // Control: who is attached and who may type, at each change
	TypeScreen   Type = 'N' // Screen: the screen as text, in ModeText
	TypeAck      Type = 'A' // Ack: answers a request, in the order of the requests
	TypeExit     Type = 'X' // Exit: the command has ended and all output was sent; the connection ends
	TypePong     Type = 'P' // payload of the Ping
	TypeNumbered Type = 'L' // Numbered: a frame of the raw log, in ModeFrames
	TypeShell    Type = 'B' // Shell: state of the session's shell, in ModeText
	TypeNotice   Type = 'W' // Notice: message for the user; the session continues
)

// Types of frames to the session. Requests are acknowledged with an Ack.
const (
	TypeAttach  Type = 'h' // Attach: the first frame
	TypeInput   Type = 'i' // Input: keys for the command; acknowledged
	TypeSize    Type = 'r' // SizeRequest; acknowledged
	TypeRequest Type = 'c' // ControlRequest; acknowledged
	TypeKill    Type = 'k' // Kill; acknowledged
	TypeMark    Type = 'm' // MarkRequest; acknowledged
	TypePrompt  Type = 'q' // PromptRequest; acknowledged
	TypePing    Type = 'p' // up to 125 bytes, sent back
)
