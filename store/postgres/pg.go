// Package postgres keeps the sessions of a team in PostgreSQL: it stores what machines send, and
// reads it with the rights of the user who asks. Any number of programs may use the same database.
//
// Each exported method is one transaction. Errors wrap the sentinels of package session. The
// context names the viewer on whose behalf a method reads, see As; without a Viewer it finds
// nothing.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/ptyrec/ptyrec/session"
)

// Store is an open database. It may be used concurrently. Close must be called.
type Store struct {
	pool       *pgxpool.Pool
	name       string
	begin      string        // the statement that begins a transaction
	today      string        // SQL: today's date by the database's clock
	searchTime time.Duration // time limit of a search; 0: that of the connection string

	objects Objects // nil if raw logs are in the database
}

// Is reports whether a database's name is a connection string of PostgreSQL, and not a path.
func Is(name string) bool {
	return strings.HasPrefix(name, "postgres://") || strings.HasPrefix(name, "postgresql://")
}

// oldest is the oldest version of PostgreSQL that is supported, as server_version_num.
const oldest = 150000

// statementTime is how long a statement may take, unless the connection string has a
// statement_timeout. It is set in each transaction, because poolers refuse it for a connection.
const statementTime = 30 * time.Second

// Open connects to the database and brings its schema to the newest version. If the connection
// string names several hosts, target_session_attrs=read-write selects the one that accepts writes.
func Open(ctx context.Context, dsn string) (*Store, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("the connection string is not valid: %w", withoutPassword(err))
	}
	config.ConnConfig.RuntimeParams["application_name"] = "ptyrec"
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	s := &Store{pool: pool, name: nameOf(config.ConnConfig), begin: "begin", today: "(now() AT TIME ZONE 'UTC')::date"}
	if config.ConnConfig.RuntimeParams["statement_timeout"] == "" {
		s.searchTime = searchTime
		s.begin = fmt.Sprintf("begin; set local statement_timeout = %d", statementTime.Milliseconds())
	}
	if err := s.prepare(ctx); err != nil {
		pool.Close()
		return nil, s.failed("open", err)
	}
	return s, nil
}

// withoutPassword returns a parser's error with the password masked in its text.
func withoutPassword(err error) error {
	var p *pgconn.ParseConfigError
	if errors.As(err, &p) {
		return p
	}
	return err
}

// nameOf returns a name for the database to show to people, without the password.
func nameOf(c *pgx.ConnConfig) string {
	host := c.Host
	if !strings.HasPrefix(host, "/") {
		host = net.JoinHostPort(host, strconv.Itoa(int(c.Port)))
	}
	return "postgres://" + host + "/" + c.Database
}

func (s *Store) prepare(ctx context.Context) error {
	var version int
	var encoding string
	err := s.pool.QueryRow(ctx,
		"SELECT current_setting('server_version_num')::int, current_setting('server_encoding')").Scan(&version, &encoding)
	switch {
	case err != nil:
		return err
	case version < oldest:
		return fmt.Errorf("it is PostgreSQL %d; ptyrec needs 15 or newer", version/10000)
	case encoding != "UTF8":
		return fmt.Errorf("its encoding is %s; ptyrec needs UTF8", encoding)
	}
	return s.migrate(ctx)
}

// Name returns a name to show to people: the host and the database.
func (s *Store) Name() string { return s.name }

// Close closes all connections.
func (s *Store) Close() error {
	s.pool.Close()
	return nil
}

// Error codes of PostgreSQL.
const (
	codeSerialize  = "40001"
	codeDeadlock   = "40P01"
	codeDiskFull   = "53100"
	codeReadOnly   = "25006"
	codePermission = "42501"
	codeCanceled   = "57014" // by statement_timeout
)

func hasCode(err error, codes ...string) bool {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return false
	}
	for _, code := range codes {
		if e.Code == code {
			return true
		}
	}
	return false
}

// failed wraps err with the database's name and the sentinel for its kind.
func (s *Store) failed(what string, err error) error {
	var kind error
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return err
	case hasCode(err, codeDiskFull):
		kind = session.ErrFull
	case hasCode(err, codeReadOnly, codePermission):
		kind = session.ErrNotWritable
	case hasCode(err, codeSerialize, codeDeadlock, codeCanceled), isConnection(err):
		kind = session.ErrBusy
	default:
		return fmt.Errorf("database %s: %s: %w", s.name, what, err)
	}
	return fmt.Errorf("database %s: %s: %w (%w)", s.name, what, kind, err)
}

// isConnection reports whether the database could not be reached, or the connection to it was lost.
func isConnection(err error) bool {
	var connect *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connect) || errors.As(err, &network) || pgconn.SafeToRetry(err) ||
		hasCode(err, "57P01", "57P02", "57P03")
}

// tries is the maximum number of attempts for a transaction that conflicts with others.
const tries = 10

// inTx runs fn in a transaction.
func (s *Store) inTx(ctx context.Context, what string, fn func(pgx.Tx) error) (err error) {
	for range tries {
		err = pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{BeginQuery: s.begin}, fn)
		if !hasCode(err, codeSerialize, codeDeadlock) {
			break
		}
	}
	return s.failed(what, err)
}

// args are the arguments of a statement.
type args []any

// add adds an argument and returns its placeholder.
func (a *args) add(v any) string {
	*a = append(*a, v)
	return "$" + strconv.Itoa(len(*a))
}
