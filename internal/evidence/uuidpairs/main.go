// Command uuidpairs shows that sqltype.UUID loses nothing and keeps the order of IDs,
// over as many pairs as one likes:
//
//	go run ./internal/evidence/uuidpairs
//	go run ./internal/evidence/uuidpairs -pairs 100000000
package main

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"time"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

func main() {
	pairs := flag.Int("pairs", 10_000_000, "how many pairs of ids")
	flag.Parse()
	if err := run(os.Stdout, *pairs); err != nil {
		fmt.Fprintln(os.Stderr, "uuidpairs:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, pairs int) error {
	r := rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano())))
	start := time.Now()
	var before oid.ID
	last := sqltype.UUID(before).Bytes()
	for n := range pairs {
		id := random(r, before)
		uuid := sqltype.UUID(id).Bytes()
		if back, err := sqltype.FromUUID(uuid); err != nil || back != id {
			return fmt.Errorf("pair %d: the UUID of %v gives %v back, %v", n, id, back, err)
		}
		if bytes.Compare(last[:], uuid[:]) != before.Compare(id) {
			return fmt.Errorf("pair %d: %v and %v have UUIDs in another order: %x, %x", n, before, id, last, uuid)
		}
		before, last = id, uuid
	}
	fmt.Fprintf(w, "%d pairs in %.1f s: every id comes back, every pair is in order\n", pairs, time.Since(start).Seconds())
	return nil
}

// random returns an ID that begins as before does, for a random number of bytes: so
// every bit decides the order of some pair.
func random(r *rand.Rand, before oid.ID) (id oid.ID) {
	binary.BigEndian.PutUint64(id[:], r.Uint64())
	binary.BigEndian.PutUint32(id[8:], r.Uint32())
	copy(id[:r.IntN(len(id))], before[:])
	return id
}
