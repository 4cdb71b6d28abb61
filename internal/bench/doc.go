// Package bench measures oidkit beside the libraries that it stands in for. It is
// a module of its own, so that no user of the library downloads them.
package bench
