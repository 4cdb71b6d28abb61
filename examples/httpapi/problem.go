package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"
	"github.com/oidkit/oidkit/oid"
)

// Huma keeps the texts of its errors in variables. These read on from the name of
// what is wrong: The field "cents" of the body must be at least 1.
func init() {
	huma.NewErrorWithContext = func(c huma.Context, status int, detail string, errs ...error) huma.StatusError {
		return newProblem(c.Context(), status, detail, errs...)
	}
	huma.NewError = func(status int, detail string, errs ...error) huma.StatusError {
		return newProblem(context.Background(), status, detail, errs...)
	}
	validation.MsgExpectedMinimumNumber = "must be at least %v"
	validation.MsgExpectedMaximumNumber = "must be at most %v"
	validation.MsgExpectedMinLength = "must have a length of at least %d"
	validation.MsgExpectedMaxLength = "must have a length of at most %d"
	validation.MsgExpectedBePattern = "must be %s"
	validation.MsgExpectedInteger = "must be a whole number"
	validation.MsgExpectedNumber = "must be a number"
	validation.MsgExpectedString = "must be a string"
	validation.MsgExpectedObject = "must be a JSON object"
	validation.MsgExpectedRequiredProperty = `lacks the field "%s"`
	validation.MsgUnexpectedProperty = "is unknown"
}

// newProblem returns the problem document (RFC 9457) of an error. Its detail says
// for people what is wrong first, and where. The cause of a failure in the server
// goes only to the log, under the ID of the request.
func newProblem(ctx context.Context, status int, detail string, errs ...error) huma.StatusError {
	problem := &huma.ErrorModel{Status: status, Detail: detail}
	switch {
	case status == http.StatusInternalServerError:
		err := errors.Join(errs...)
		if errors.Is(err, context.Canceled) { // nobody waits for this answer
			problem.Status = http.StatusServiceUnavailable
			problem.Detail = "The request was given up."
			break
		}
		id := requestID(ctx)
		slog.ErrorContext(ctx, "request failed", "id", id, "error", err)
		problem.Detail = fmt.Sprintf("The server failed. Try again. If it fails again, look for %s in the server's log.", id)
	case status == http.StatusRequestEntityTooLarge:
		problem.Detail = fmt.Sprintf("The body is too large. Send less than %d KiB.", maxBody>>10)
	case detail == "request body is required":
		problem.Detail = "The body is missing. Send a JSON object."
	default:
		for _, err := range errs {
			var e *huma.ErrorDetail
			if errors.As(err, &e) {
				problem.Errors = append(problem.Errors, explain(problem, e))
			}
		}
	}
	problem.Title = http.StatusText(problem.Status)
	return problem
}

// explain returns e with a text for people. The first e of a problem is its detail.
// A bad parameter makes the status 400: by itself, huma answers 422.
func explain(problem *huma.ErrorModel, e *huma.ErrorDetail) *huma.ErrorDetail {
	text, isText := e.Value.(string)
	message := e.Message
	switch {
	case strings.HasPrefix(message, "unknown content type"):
		message = "has an unknown Content-Type. Send application/json"
	case e.Location == "body" && isText:
		message = "is not valid JSON: " + message
	case message == "unknown query parameter":
		message = validation.MsgUnexpectedProperty
	case message == "invalid integer":
		message = validation.MsgExpectedInteger
	case strings.HasPrefix(message, "invalid date/time"):
		message = "is not a time with a zone, such as 2026-01-31T00:00:00Z"
		if strings.Contains(text, " ") {
			message += ". In an address, write + as %2B"
		}
	case strings.HasPrefix(message, "invalid value: oid."):
		// Huma keeps only the text of an error, so the value is parsed once more.
		var bad *oid.SyntaxError
		if _, err := oid.Parse(text); errors.As(err, &bad) {
			message = "is not an ID: " + bad.Problem
		}
	}

	place := "The body"
	switch in, name, _ := strings.Cut(e.Location, "."); {
	case in == "path" || in == "query":
		problem.Status = http.StatusBadRequest
		place = fmt.Sprintf("The %s parameter %q", in, name)
	case name != "":
		place = fmt.Sprintf("The field %q of the body", name)
	}
	explained := &huma.ErrorDetail{Location: e.Location, Message: place + " " + message + "."}
	switch value := e.Value.(type) {
	case string:
		if e.Location != "body" && value != "" {
			explained.Value = cut(value)
			explained.Message += fmt.Sprintf(" It is %q.", cut(value))
		}
	case float64:
		explained.Value = value
		explained.Message += fmt.Sprintf(" It is %v.", value)
	case int64:
		explained.Value = value
		explained.Message += fmt.Sprintf(" It is %d.", value)
	}
	if len(problem.Errors) == 0 {
		problem.Detail = explained.Message
	}
	return explained
}

// cut returns as much of s as an error shows.
func cut(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// writeProblem answers with a problem document what doesn't reach huma.
func writeProblem(w http.ResponseWriter, r *http.Request, status int, detail string, errs ...error) {
	problem := newProblem(r.Context(), status, detail, errs...)
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(problem.GetStatus())
	json.NewEncoder(w).Encode(problem) // an error here means that the client is gone
}
