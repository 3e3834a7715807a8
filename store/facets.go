package store

import (
	"time"
)

// Facets counts sessions by the values they can be filtered by.
type Facets struct {
	Sessions    int       // number of all sessions
	First, Last time.Time // start of the oldest and the newest; zero without sessions
	Agents      []Facet
	Folders     []Facet
	Tags        []Facet
}

// Facet is a value of a filter and the number of sessions that have it.
type Facet struct {
	Value    string `json:"value"`
	Sessions int    `json:"sessions"`
}
