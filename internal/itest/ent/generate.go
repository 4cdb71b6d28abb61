// Package ent is what ent generates for the schema below it.
package ent

//go:generate go run entgo.io/ent/cmd/ent@v0.14.5 generate ./schema
