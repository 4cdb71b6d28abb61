module github.com/oidkit/oidkit/examples

go 1.25.0

replace github.com/oidkit/oidkit => ../
