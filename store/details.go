package store

// Details is what the database knows of a session besides its description, as the command line and
// the API write it as JSON. Duration is in seconds; the other fields are those of Info.
type Details struct {
	Prompt      string   `json:"prompt,omitempty"`
	Name        string   `json:"name,omitempty"`
	Messages    int      `json:"messages"`
	Turns       int      `json:"turns"`
	RawBytes    int64    `json:"raw_bytes"`
	StoredBytes int64    `json:"stored_bytes"`
	Duration    float64  `json:"duration"`
	Tags        []string `json:"tags,omitempty"`
	Note        string   `json:"note,omitempty"`
}

// Details returns the details of a session.
func (i *Info) Details() Details {
	return Details{
		Prompt: i.Prompt, Name: i.Name, Messages: i.Messages, Turns: i.Turns,
		RawBytes: i.RawBytes, StoredBytes: i.StoredBytes, Duration: i.Duration.Seconds(), Tags: i.Tags, Note: i.Note,
	}
}
