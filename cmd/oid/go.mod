module github.com/oidkit/oidkit/cmd/oid

go 1.25.0

require (
	github.com/oidkit/oidkit v0.1.0-rc.1
	github.com/urfave/cli/v3 v3.14.0
	golang.org/x/term v0.30.0
	golang.org/x/text v0.41.0
)

require golang.org/x/sys v0.31.0 // indirect
