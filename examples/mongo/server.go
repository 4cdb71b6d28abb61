package main

import "github.com/oidkit/oidkit/internal/servers/mongodb"

// startServer starts a MongoDB inside this program, for the demonstration. Your
// program connects to a server of yours instead.
func startServer() (uri string, stop func() error, err error) {
	server, err := mongodb.Run()
	if err != nil {
		return "", nil, err
	}
	return server.URI, server.Close, nil
}
