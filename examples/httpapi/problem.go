package main

import (
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/oidkit/oidkit/oid"
)

// newProblem makes the problem document (RFC 9457) of an answer that is an error.
// Its detail is the first thing that is wrong, and where. A bad parameter is a
// 400: by itself huma says "validation failed", and makes that a 422. The cause of
// a 500 goes only to the log.
func newProblem(status int, detail string, errs ...error) huma.StatusError {
	if status == http.StatusInternalServerError {
		slog.Error(detail, "error", errors.Join(errs...))
	}
	problem := &huma.ErrorModel{Status: status, Detail: detail}
	for _, err := range errs {
		var e *huma.ErrorDetail
		if !errors.As(err, &e) {
			continue
		}
		nameProblem(e)
		problem.Errors = append(problem.Errors, e)
		place := e.Location
		if in, name, _ := strings.Cut(place, "."); in == "path" || in == "query" {
			problem.Status = http.StatusBadRequest
			place = in + " parameter " + name
		}
		if len(problem.Errors) == 1 && place != "" {
			problem.Detail = place + ": " + e.Message
		}
	}
	problem.Title = http.StatusText(problem.Status)
	return problem
}

// nameProblem takes the names of Go functions out of the message for a bad id. Huma
// keeps only the text of an error, so the value is parsed once more.
func nameProblem(e *huma.ErrorDetail) {
	text, ok := e.Value.(string)
	if !ok || !strings.HasPrefix(e.Message, "invalid value: oid.") {
		return
	}
	var bad *oid.SyntaxError
	if _, err := oid.Parse(text); errors.As(err, &bad) {
		e.Message = "not an id: " + bad.Problem
	}
}
