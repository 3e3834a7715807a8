package teamserver

import "time"

// SetChunkTime says how long each part of a body may take.
func SetChunkTime(p *Push, d time.Duration) { p.chunkTime = d }

// MaxReading is how many large bodies are read at a time.
const MaxReading = maxReading
