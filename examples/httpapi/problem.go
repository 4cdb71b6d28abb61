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
			if !errors.As(err, &e) {
				continue
			}
			if !strings.HasPrefix(e.Location, "body") {
				problem.Status = http.StatusBadRequest // by itself, huma answers 422
			}
			problem.Errors = append(problem.Errors, explain(e))
		}
		if len(problem.Errors) > 0 {
			problem.Detail = problem.Errors[0].Message
		}
	}
	problem.Title = http.StatusText(problem.Status)
	return problem
}

// explain returns e with a text for people: what is wrong, where, and the value.
func explain(e *huma.ErrorDetail) *huma.ErrorDetail {
	place := "The body"
	switch in, name, _ := strings.Cut(e.Location, "."); {
	case in != "body":
		place = fmt.Sprintf("The %s parameter %q", in, name)
	case name != "":
		place = fmt.Sprintf("The field %q of the body", name)
	}
	explained := &huma.ErrorDetail{Location: e.Location, Message: place + " " + reason(e) + "."}
	switch value := e.Value.(type) {
	case string:
		if e.Location != "body" && value != "" {
			explained.Value = cut(value)
			explained.Message += fmt.Sprintf(" It is %q.", cut(value))
		}
	case int64, float64:
		explained.Value = value
		explained.Message += fmt.Sprintf(" It is %v.", value)
	}
	return explained
}

// reason returns huma's message of e in words that read on from a name.
func reason(e *huma.ErrorDetail) string {
	text, isText := e.Value.(string)
	switch {
	case strings.HasPrefix(e.Message, "unknown content type"):
		return "has an unknown Content-Type. Send application/json"
	case e.Location == "body" && isText:
		return "is not valid JSON: " + e.Message
	case e.Message == "unknown query parameter":
		return validation.MsgUnexpectedProperty
	case e.Message == "invalid integer":
		return validation.MsgExpectedInteger
	case strings.HasPrefix(e.Message, "invalid date/time"):
		if strings.Contains(text, " ") {
			return "is not a time with a zone, such as 2026-01-31T00:00:00Z. In an address, write + as %2B"
		}
		return "is not a time with a zone, such as 2026-01-31T00:00:00Z"
	case strings.HasPrefix(e.Message, "invalid value: oid."):
		// Huma keeps only the text of an error, so the value is parsed once more.
		var bad *oid.SyntaxError
		if _, err := oid.Parse(text); errors.As(err, &bad) {
			return "is not an ID: " + bad.Problem
		}
	}
	return e.Message
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
