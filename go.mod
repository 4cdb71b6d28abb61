module github.com/oidkit/oidkit

go 1.25.0
