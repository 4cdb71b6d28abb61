package mongosequence

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/oidkit/oidkit/sequence"
)

func TestTransientFailures(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		err  error
		want bool
	}{
		{mongo.CommandError{Code: 91, Labels: []string{"RetryableWriteError"}}, true},
		{mongo.CommandError{Code: 251, Labels: []string{"TransientTransactionError"}}, true},
		{mongo.CommandError{Labels: []string{"NetworkError"}}, true},
		{mongo.CommandError{Code: 50, Name: "MaxTimeMSExpired"}, true},
		{mongo.CommandError{Code: 13, Name: "Unauthorized"}, false},
		{mongo.CommandError{Code: 11000}, false},
		{context.DeadlineExceeded, true},
		{context.Canceled, false},
		{mongo.ErrNoDocuments, false},
		{errors.New("something else"), false},
	} {
		for _, err := range []error{tt.err, fmt.Errorf("one: %w", fmt.Errorf("two: %w", tt.err))} {
			if got := errors.Is(failed(t.Context(), "Take()", err), sequence.ErrTransient); got != tt.want {
				t.Errorf("%v: transient %v, want %v", err, got, tt.want)
			}
			if errors.Is(failed(ended, "Take()", err), sequence.ErrTransient) {
				t.Errorf("%v, after the caller's context: transient", err)
			}
		}
	}
}
