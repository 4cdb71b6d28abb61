module github.com/oidkit/oidkit/internal/coverage

go 1.25.0
