package store

// EncodePayload returns a segment with any content.
func EncodePayload(raw []byte) []byte { return encoder.EncodeAll(raw, []byte{versionV1}) }
