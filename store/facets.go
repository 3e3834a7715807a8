package store

import (
	"time"
)

// Facets counts sessions by the values they can be filtered by.
type Facets struct {
	Sessions    int       // all of them
	First, Last time.Time // when the oldest and the newest started; zero without sessions
	Agents      []Facet
	Folders     []Facet
	Tags        []Facet
}

// Facet is a value of a filter and the number of sessions that have it.
type Facet struct {
	Value    string `json:"value"`
	Sessions int    `json:"sessions"`
}
