module github.com/oidkit/oidkit/cmd/oidmove

go 1.26.0

require (
	github.com/rogpeppe/go-internal v1.14.1
	golang.org/x/mod v0.41.0
	golang.org/x/tools v0.50.0
)

require golang.org/x/sync v0.23.0 // indirect
