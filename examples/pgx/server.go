package main

import (
	"errors"
	"os"

	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/internal/servers/postgres"
)

// startServer starts the installed PostgreSQL in a temporary folder, for the
// demonstration, or takes the one that OIDKIT_POSTGRES_DSN names. Your program
// connects to a server of yours instead.
func startServer() (dsn string, stop func() error, err error) {
	server, err := postgres.Run()
	if err == nil {
		return server.DSN, server.Close, nil
	}
	dsn = os.Getenv("OIDKIT_POSTGRES_DSN")
	if !errors.Is(err, daemon.ErrNotInstalled) || dsn == "" {
		return "", nil, err
	}
	return dsn, func() error { return nil }, nil
}
