package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/oidkit/oidkit/oid"
)

type requestKey struct{}

// requestID returns the ID under which the log has the request of ctx.
func requestID(ctx context.Context) oid.ID {
	id, _ := ctx.Value(requestKey{}).(oid.ID)
	return id
}

// logged logs each request with its answer. Queries, headers and bodies may hold
// secrets: they aren't logged.
func logged(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begin := time.Now()
		id := oid.New()
		w.Header().Set("X-Request-Id", id.Hex())
		answer := &recorder{ResponseWriter: w}
		defer func() { // also when the handler panics
			slog.InfoContext(r.Context(), "request", "id", id, "method", r.Method, "path", r.URL.Path,
				"status", answer.status, "duration", time.Since(begin).Round(time.Microsecond), "bytes", answer.bytes)
		}()
		h.ServeHTTP(answer, r.WithContext(context.WithValue(r.Context(), requestKey{}, id)))
	})
}

// A recorder knows what it has answered.
type recorder struct {
	http.ResponseWriter
	status int // 0 before the answer
	bytes  int64
}

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// recovered answers 500 where h panics. Where an answer has begun, it cuts the
// connection, so that nobody takes half an answer for a whole one.
func recovered(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &recorder{ResponseWriter: w}
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler {
				panic(p)
			}
			err := fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			if answer.status != 0 {
				slog.ErrorContext(r.Context(), "request failed", "id", requestID(r.Context()), "error", err)
				panic(http.ErrAbortHandler)
			}
			writeProblem(w, r, http.StatusInternalServerError, "", err)
		}()
		h.ServeHTTP(answer, r)
	})
}

// secure makes browsers load nothing from elsewhere, show the page in no frame, and
// send no request that another site asks for.
func secure(h http.Handler) http.Handler {
	sameOrigin := http.NewCrossOriginProtection()
	sameOrigin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		writeProblem(w, r, http.StatusForbidden, "The request comes from a page of another site. Send it from this site's own page, or from a program.")
	}))
	h = sameOrigin.Handler(h)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "+
			"base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Cache-Control", "no-store")
		h.ServeHTTP(w, r)
	})
}

// routed serves mux, and answers a problem document where mux has no route.
func routed(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refuse, pattern := mux.Handler(r)
		if pattern != "" {
			mux.ServeHTTP(w, r)
			return
		}
		var refusal refusal
		refuse.ServeHTTP(&refusal, r)
		if methods := refusal.Header().Get("Allow"); methods != "" {
			w.Header().Set("Allow", methods)
			writeProblem(w, r, http.StatusMethodNotAllowed, fmt.Sprintf("%s can't be used for %s. Use %s.",
				cut(r.Method), cut(r.URL.Path), strings.ReplaceAll(methods, ", ", " or ")))
			return
		}
		writeProblem(w, r, http.StatusNotFound, fmt.Sprintf("There is nothing at %s. The page is at /, the description of the API at /openapi.yaml.", cut(r.URL.Path)))
	})
}

// A refusal keeps the headers of an answer that isn't sent.
type refusal struct{ header http.Header }

func (r *refusal) Header() http.Header {
	if r.header == nil {
		r.header = http.Header{}
	}
	return r.header
}

func (*refusal) Write(p []byte) (int, error) { return len(p), nil }
func (*refusal) WriteHeader(int)             {}
