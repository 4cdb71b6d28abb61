// Package otlptracehttp takes the place of the package that FerretDB 1 sends traces with. Our
// FerretDB sends none, and gRPC and the other libraries of the real package take 14 seconds to
// compile.
package otlptracehttp

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/sdk/trace"
)

type Option struct{}

type Compression int

const NoCompression Compression = 0

func WithEndpointURL(string) Option        { return Option{} }
func WithHeaders(map[string]string) Option { return Option{} }
func WithTimeout(time.Duration) Option     { return Option{} }
func WithCompression(Compression) Option   { return Option{} }
func NewUnstarted(...Option) *Exporter     { return new(Exporter) }

type Exporter struct{}

var errNone = errors.New("this FerretDB sends no traces")

func (*Exporter) Start(context.Context) error                             { return errNone }
func (*Exporter) ExportSpans(context.Context, []trace.ReadOnlySpan) error { return errNone }
func (*Exporter) Shutdown(context.Context) error                          { return nil }
