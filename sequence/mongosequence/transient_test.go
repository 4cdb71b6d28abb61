package mongosequence

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
)

func TestTransientFailures(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want bool
	}{
		{mongo.CommandError{Code: 91, Labels: []string{"RetryableWriteError"}}, true},
		{mongo.CommandError{Code: 251, Labels: []string{"TransientTransactionError"}}, true},
		{mongo.CommandError{Labels: []string{"NetworkError"}}, true},
		{mongo.CommandError{Code: 50, Name: "MaxTimeMSExpired"}, true},
		{mongo.CommandError{Code: 10107, Name: "NotWritablePrimary"}, true}, // without a label
		{mongo.WriteException{WriteConcernError: &mongo.WriteConcernError{Code: 64, Name: "WriteConcernFailed"}}, true},
		{mongo.WriteException{WriteConcernError: &mongo.WriteConcernError{Code: 100, Name: "UnsatisfiableWriteConcern"}}, false},
		{mongo.CommandError{Code: 13, Name: "Unauthorized"}, false},
		{mongo.CommandError{Code: 11000}, false},
		{errNoAnswer, true},
		{context.DeadlineExceeded, true},
		{context.Canceled, false},
		{errors.New("something else"), false},
	} {
		for _, err := range []error{tt.err, fmt.Errorf("one: %w", fmt.Errorf("two: %w", tt.err))} {
			if got := (collection{}).Transient(err); got != tt.want {
				t.Errorf("Transient(%v) = %v, want %v", err, got, tt.want)
			}
		}
	}
}

func TestOwnLimitIsNoDeadlineOfTheCaller(t *testing.T) {
	wait := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	err := within(t.Context(), time.Nanosecond, wait)
	if !errors.Is(err, errNoAnswer) || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("within a nanosecond: %v", err)
	}
	short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	for _, limit := range []time.Duration{0, time.Hour} {
		if err := within(short, limit, wait); err != context.DeadlineExceeded {
			t.Errorf("within %v of a context that ended: %v", limit, err)
		}
	}
}
