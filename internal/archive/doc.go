// Package archive returns recorded sessions as their users may see them: the raw log and its
// transcript (RawLog, Transcribe), without secrets (Redaction, Masked), completely or in part (Ref,
// Excerpt), and with the times at which it is played (Playback).
package archive
