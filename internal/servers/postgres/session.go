package postgres

import (
	"fmt"
	"io"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"
)

// A session is one connection through a [Strict] server. It sends the client's messages
// one by one, and waits for the answer to each. A statement outside of a transaction gets
// one, so that its commit can be taken back.
type session struct {
	strict     *Strict
	client     *pgproto3.Backend
	server     *pgproto3.Frontend
	statements map[string]*statement // by name
	portals    map[string]*statement

	status   byte // of the transaction, as in ReadyForQuery: I, T or E
	implicit bool // the proxy began the transaction
	skip     bool // there was an error, and the client's messages don't count until its Sync

	rows, ddl, dml int // of the transaction: rows written, and statements
}

// own are the statements of the proxy itself. They are prepared, because a message Query
// would end the client's unnamed statement.
var own = map[string]string{"begin": "BEGIN", "commit": "COMMIT", "rollback": "ROLLBACK", "fail": "SELECT 1 / 0"}

func (s *session) prepare() error {
	for name, query := range own {
		s.server.Send(&pgproto3.Parse{Name: "strict " + name, Query: query})
	}
	s.server.Send(&pgproto3.Sync{})
	_, err := s.ready()
	return err
}

// run runs a statement of the proxy. It returns the server's error, if there was one.
func (s *session) run(name string) (*pgproto3.ErrorResponse, error) {
	name = "strict " + name
	s.server.Send(&pgproto3.Bind{DestinationPortal: name, PreparedStatement: name})
	s.server.Send(&pgproto3.Execute{Portal: name})
	s.server.Send(&pgproto3.Close{ObjectType: 'P', Name: name})
	s.server.Send(&pgproto3.Sync{})
	return s.ready()
}

// ready sends what is to be sent, and drops the answers until the server is ready. It
// returns the error among them, if there was one.
func (s *session) ready() (failure *pgproto3.ErrorResponse, err error) {
	if err := s.server.Flush(); err != nil {
		return nil, err
	}
	for {
		m, err := s.server.Receive()
		if err != nil {
			return nil, err
		}
		switch m := m.(type) {
		case *pgproto3.ErrorResponse:
			failure = new(pgproto3.ErrorResponse)
			*failure = *m
		case *pgproto3.ReadyForQuery:
			s.status = m.TxStatus
			return failure, nil
		case *pgproto3.ParameterStatus:
			s.client.Send(m)
		}
	}
}

// handle answers one message of the client.
func (s *session) handle() error {
	m, err := s.client.Receive()
	if err != nil {
		return err
	}
	switch m := m.(type) {
	case *pgproto3.Terminate:
		return io.EOF
	case *pgproto3.Query:
		return s.query(m.String)
	case *pgproto3.Sync:
		return s.sync()
	case *pgproto3.Flush:
		return s.client.Flush()
	}
	if s.skip {
		return nil
	}
	switch m := m.(type) {
	case *pgproto3.Parse:
		st := &statement{text: m.Query}
		if all := s.strict.engine.split(m.Query); len(all) == 1 {
			st = all[0]
		}
		if s.status != 'E' {
			if refusal := s.strict.engine.refuse(st); refusal != nil {
				return s.fail(refusal)
			}
		}
		s.statements[m.Name] = st
		m.Query = st.text
	case *pgproto3.Bind:
		st := s.statements[m.PreparedStatement]
		s.portals[m.DestinationPortal] = st
		if st != nil {
			if refusal, err := s.admit(st); refusal != nil || err != nil {
				return s.failOr(refusal, err)
			}
		}
	case *pgproto3.Execute:
		if st := s.portals[m.Portal]; st != nil && st.is(commit) && s.status == 'T' {
			if conflict, err := s.conflict(); conflict != nil || err != nil {
				return s.failOr(conflict, err)
			}
		}
	}
	return s.step(m)
}

// admit begins a transaction for a statement that has none. It returns why the statement
// may not be in the transaction, or nil.
func (s *session) admit(st *statement) (*pgproto3.ErrorResponse, error) {
	if s.status == 'I' && !st.is(control) && !st.is(alone) {
		if failure, err := s.run("begin"); failure != nil || err != nil {
			return failure, err
		}
		s.implicit, s.rows, s.ddl, s.dml = true, 0, 0, 0
	}
	if s.status != 'T' {
		return nil, nil
	}
	isDDL, isDML := st.is(ddl), st.is(dml)
	if s.strict.engine.oneDDL {
		switch {
		case isDDL && s.ddl > 0:
			return refused(unsupported, "multiple ddl statements not supported in a transaction"), nil
		case isDDL && s.dml > 0, isDML && s.ddl > 0:
			return refused(unsupported, "ddl and dml are not supported in the same transaction"), nil
		}
	}
	if isDDL {
		s.ddl++
	}
	if isDML {
		s.dml++
	}
	return nil, nil
}

// conflict returns the error with which the commit fails, or nil. The transaction is then
// rolled back.
func (s *session) conflict() (*pgproto3.ErrorResponse, error) {
	if s.rows+s.ddl == 0 {
		return nil, nil
	}
	conflict := s.strict.conflict()
	if conflict == nil {
		return nil, nil
	}
	_, err := s.run("rollback")
	return conflict, err
}

// step sends a message, and passes the answer on.
func (s *session) step(m pgproto3.FrontendMessage) error {
	s.server.Send(m)
	s.server.Send(&pgproto3.Flush{})
	if err := s.server.Flush(); err != nil {
		return err
	}
	for {
		answer, err := s.server.Receive()
		if err != nil {
			return err
		}
		switch answer := answer.(type) {
		case *pgproto3.ErrorResponse:
			s.client.Send(s.translated(answer))
			return s.fail(nil)
		case *pgproto3.CommandComplete:
			if refusal := s.completed(string(answer.CommandTag)); refusal != nil {
				return s.fail(refusal)
			}
		}
		s.client.Send(answer)
		switch answer.(type) {
		case *pgproto3.ParseComplete, *pgproto3.BindComplete, *pgproto3.CloseComplete, *pgproto3.RowDescription, *pgproto3.NoData,
			*pgproto3.CommandComplete, *pgproto3.EmptyQueryResponse, *pgproto3.PortalSuspended:
			return s.client.Flush()
		}
	}
}

// completed counts what a statement has done. It returns why the transaction may not go
// on, or nil.
func (s *session) completed(tag string) *pgproto3.ErrorResponse {
	words := strings.Fields(tag)
	switch words[0] {
	case "BEGIN", "START":
		s.status, s.rows, s.ddl, s.dml = 'T', 0, 0, 0
	case "COMMIT", "ROLLBACK":
		if len(words) == 1 {
			s.status = 'I'
		}
	case "INSERT", "UPDATE", "DELETE", "COPY", "MERGE":
		var n int
		fmt.Sscan(words[len(words)-1], &n)
		s.rows += n
		if most := s.strict.engine.mostRows; most > 0 && s.rows > most {
			return refused(limitExceeded, "transaction row limit exceeded")
		}
	}
	return nil
}

// translated returns an error of the server in the engine's words. Engines without locks
// have no deadlocks.
func (s *session) translated(m *pgproto3.ErrorResponse) *pgproto3.ErrorResponse {
	if m.Code == serialization || m.Code == deadlock {
		return refused(serialization, s.strict.engine.conflicts[0])
	}
	return m
}

func (s *session) failOr(m *pgproto3.ErrorResponse, err error) error {
	if err != nil {
		return err
	}
	return s.fail(m)
}

// fail sends an error, and has the transaction and the client's next messages fail. m is
// nil if the server has failed the transaction.
func (s *session) fail(m *pgproto3.ErrorResponse) error {
	s.skip = true
	if m == nil {
		s.server.Send(&pgproto3.Sync{})
		if _, err := s.ready(); err != nil {
			return err
		}
		return s.client.Flush()
	}
	s.client.Send(m)
	if s.status == 'T' {
		if _, err := s.run("fail"); err != nil {
			return err
		}
	}
	return s.client.Flush()
}

// end ends the transaction that the proxy began. It returns the error of its commit, if
// there was one.
func (s *session) end(failed bool) (*pgproto3.ErrorResponse, error) {
	if !s.implicit {
		return nil, nil
	}
	s.implicit = false
	if failed || s.status == 'E' {
		_, err := s.run("rollback")
		return nil, err
	}
	if conflict, err := s.conflict(); conflict != nil || err != nil {
		return conflict, err
	}
	failure, err := s.run("commit")
	if failure != nil {
		failure = s.translated(failure)
	}
	return failure, err
}

// sync ends a sequence of messages.
func (s *session) sync() error {
	failure, err := s.end(s.skip)
	if err != nil {
		return err
	}
	if failure != nil {
		s.client.Send(failure)
	}
	s.skip = false
	s.server.Send(&pgproto3.Sync{})
	if _, err := s.ready(); err != nil {
		return err
	}
	s.client.Send(&pgproto3.ReadyForQuery{TxStatus: s.status})
	return s.client.Flush()
}

// query runs the statements of a message Query. The answer to the last one waits until its
// transaction has committed.
func (s *session) query(sql string) error {
	all := s.strict.engine.split(sql)
	if len(all) == 0 {
		s.client.Send(&pgproto3.EmptyQueryResponse{})
	}
	var tag []byte // of the last statement
	failed := false
	for _, st := range all {
		if tag != nil {
			s.client.Send(&pgproto3.CommandComplete{CommandTag: tag})
			tag = nil
		}
		failure, err := s.simple(st, &tag)
		if err != nil {
			return err
		}
		if failure != nil {
			s.client.Send(failure)
			failed = true
			break
		}
	}
	failure, err := s.end(failed)
	switch {
	case err != nil:
		return err
	case failure != nil:
		s.client.Send(failure)
	case tag != nil && !failed:
		s.client.Send(&pgproto3.CommandComplete{CommandTag: tag})
	}
	s.client.Send(&pgproto3.ReadyForQuery{TxStatus: s.status})
	return s.client.Flush()
}

// simple runs one statement of a message Query, and sets tag to its answer. It returns the
// error that the client gets, if there was one.
func (s *session) simple(st *statement, tag *[]byte) (failure *pgproto3.ErrorResponse, err error) {
	if st.is(control) && s.implicit {
		if failure, err := s.end(false); failure != nil || err != nil {
			return failure, err
		}
	}
	if s.status != 'E' {
		if failure = s.strict.engine.refuse(st); failure == nil {
			failure, err = s.admit(st)
		}
	}
	if failure == nil && err == nil && s.status == 'T' && st.is(commit) {
		if conflict, err := s.conflict(); conflict != nil || err != nil {
			return conflict, err
		}
	}
	if failure == nil && err == nil {
		s.server.Send(&pgproto3.Query{String: st.text})
		failure, err = s.relay(tag)
	}
	if failure != nil && err == nil && s.status == 'T' {
		_, err = s.run("fail")
	}
	return failure, err
}

// relay passes the answers to a message Query on, until the server is ready.
func (s *session) relay(tag *[]byte) (failure *pgproto3.ErrorResponse, err error) {
	if err := s.server.Flush(); err != nil {
		return nil, err
	}
	for {
		m, err := s.server.Receive()
		if err != nil {
			return nil, err
		}
		switch m := m.(type) {
		case *pgproto3.ReadyForQuery:
			s.status = m.TxStatus
			return failure, nil
		case *pgproto3.ErrorResponse:
			failure = new(pgproto3.ErrorResponse)
			*failure = *s.translated(m)
		case *pgproto3.CommandComplete:
			*tag = append([]byte{}, m.CommandTag...)
			failure = s.completed(string(m.CommandTag))
		case *pgproto3.CopyInResponse:
			s.client.Send(m)
			if err := s.copyIn(); err != nil {
				return nil, err
			}
		default:
			s.client.Send(m)
		}
	}
}

// copyIn passes the rows of COPY on.
func (s *session) copyIn() error {
	if err := s.client.Flush(); err != nil {
		return err
	}
	for {
		m, err := s.client.Receive()
		if err != nil {
			return err
		}
		s.server.Send(m)
		switch m.(type) {
		case *pgproto3.CopyDone, *pgproto3.CopyFail:
			return s.server.Flush()
		}
		if err := s.server.Flush(); err != nil {
			return err
		}
	}
}
