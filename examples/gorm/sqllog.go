package main

import (
	"context"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"gorm.io/gorm/logger"
)

// width is where a statement is cut.
const width = 128

// sqlLog prints each statement as it is sent. Wrapped by gormplugin.Logger it
// prints ids as hex.
type sqlLog struct {
	logger.Interface
	w io.Writer
}

// LogMode keeps the logger: it has one level.
func (l sqlLog) LogMode(logger.LogLevel) logger.Interface { return l }

// Trace prints a statement.
func (l sqlLog) Trace(_ context.Context, _ time.Time, statement func() (string, int64), err error) {
	sql, rows := statement()
	if utf8.RuneCountInString(sql) > width {
		sql = string([]rune(sql)[:width-1]) + "…"
	}
	if err != nil {
		fmt.Fprintf(l.w, "    %s  -- %v\n", sql, err)
		return
	}
	fmt.Fprintf(l.w, "    %s  -- rows: %d\n", sql, rows)
}
