package extractor

// gemini is the Gemini CLI (Ink, printing everything again after a resize).
var gemini = &Profile{Name: "gemini"}
