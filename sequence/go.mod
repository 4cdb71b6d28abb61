module github.com/oidkit/oidkit/sequence

go 1.25.0
