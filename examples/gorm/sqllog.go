package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"gorm.io/gorm/logger"
)

// sqlLog prints each statement that GORM sends. gormplugin.Logger makes it print IDs as
// literals of the database.
type sqlLog struct {
	logger.Interface
	w io.Writer
}

// LogMode returns l. It has only one level.
func (l sqlLog) LogMode(logger.LogLevel) logger.Interface { return l }

// Trace prints a statement.
func (l sqlLog) Trace(_ context.Context, _ time.Time, statement func() (string, int64), err error) {
	sql, rows := statement()
	if err != nil {
		fmt.Fprintf(l.w, "    %s  -- %v\n", shorten(sql), err)
		return
	}
	fmt.Fprintf(l.w, "    %s  -- rows: %d\n", shorten(sql), rows)
}

// shorten cuts the middle out of a long statement. The end is often the part to look
// at.
func shorten(sql string) string {
	const head, tail = 70, 100
	if text := []rune(sql); len(text) > head+tail {
		return string(text[:head]) + " … " + string(text[len(text)-tail:])
	}
	return sql
}
