package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"sync"
)

// An outcome is a line of the state file: what became of a mutant.
type outcome struct {
	Mutant string // the hash of its file, its function and its change
	Tests  string // the hash of the guards, for a survivor
	Killed string // what killed it, or ""
	Never  bool   // no test comes to it
}

// A state remembers outcomes. A killed mutant stays killed until its file changes.
// A survivor runs again when a test changes.
type state struct {
	mu   sync.Mutex
	file *os.File
	old  map[string]outcome
}

func openState(name string) (*state, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	s := &state{file: file, old: map[string]outcome{}}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var o outcome
		if json.Unmarshal(lines.Bytes(), &o) == nil { // the last line may be cut
			s.old[o.Mutant] = o
		}
	}
	return s, nil
}

func (s *state) get(mutant, tests string) (outcome, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, ok := s.old[mutant]
	return o, ok && (o.Killed != "" || o.Tests == tests)
}

func (s *state) put(o outcome) error {
	data, err := json.Marshal(o)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.old[o.Mutant] = o
	_, err = s.file.Write(append(data, '\n'))
	return err
}

func (s *state) close(err error) error { return errors.Join(err, s.file.Close()) }
