package agentimport

// Looked returns how many entries and prompts the import has compared.
func (im *Importer) Looked() int { return im.looked }
