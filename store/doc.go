// Package store defines the types that describe stored sessions: a session (Info), which ones to
// select (Filter, Query, Span), results (Hit, Page), and pieces of a raw log (Segment). Package
// sqlite keeps the sessions of a machine, package postgres those of a team.
package store
