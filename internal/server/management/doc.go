// Package management serves the protocol by which dashboards open and watch terminals on machines:
// the management WebSocket of agentic-sandbox (docs/management.md). This machine is the one agent.
//
//	conn ─ what one client says and is sent
//	  └ join, follow ─ how far it has got: session_frame or output messages
//	      └ hub ─ one session: its newest frames, its screen, who joined, who controls
//	          └ client.Stream ─ the session's numbered frames, from memory or its raw log
package management
