// Package agentserver is the program agentapi: it starts an agent in a recorded session, and serves
// it by agentapi's HTTP API until the session ends or the server is stopped.
package agentserver
