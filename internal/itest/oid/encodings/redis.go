//go:build nightly

package encodings

import (
	"github.com/oidkit/oidkit/oid"
)

// RedisID is an oid.ID that go-redis writes as 24 hex digits and reads back
// everywhere, from fields of a hash too.
type RedisID struct{ oid.ID }

func (id RedisID) MarshalBinary() ([]byte, error)     { return id.MarshalText() }
func (id *RedisID) UnmarshalBinary(data []byte) error { return id.UnmarshalText(data) }
