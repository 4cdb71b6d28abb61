package main

import (
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// newProblem makes the problem document (RFC 9457) of an answer that is an error.
// Its detail is the first thing that is wrong, and where; a bad parameter is a
// 400. By itself huma says "validation failed", and makes that a 422. What a 500
// is about is for the log alone.
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
