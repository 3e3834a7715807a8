// Package archive has recorded sessions as their users may see them: the raw log and what it reads
// as (RawLog, Transcribe), without secrets (Redaction, Masked), all of it or an excerpt (Ref,
// Excerpt), and with the pauses in which it is played (Playback).
package archive
