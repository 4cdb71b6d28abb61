module github.com/oidkit/oidkit/internal/itest

go 1.25.0

replace github.com/oidkit/oidkit => ../../
