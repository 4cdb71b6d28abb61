// Package itest holds the tests of oidkit that need a real server, another
// library or an ORM. It is a module of its own, so that no user of the library
// downloads what only its tests need.
package itest
