package main

import (
	"crypto/md5"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/oidkit/oidkit/oid"
)

// shards is the size of the simulated cluster.
const shards = 8

// sharding prints where new documents go in a collection that is split over
// shards by ranges of a key: ranges that held equally many documents before.
func sharding(w io.Writer, random *rand.Rand) error {
	const documents = 400_000
	const tenants = 1000
	fmt.Fprintf(w, "%d shards, balanced over %d documents; where the next %d go\n", shards, documents/2, documents/2)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "shard key\tbusiest shard\tidlest shard\tshards that hold an hour\t")
	for _, k := range shardKeys {
		busiest, idlest, asked := spread(k.of, documents, tenants, random)
		fmt.Fprintf(table, "%s\t%.1f %%\t%.1f %%\t%d\t\n", k.name, 100*busiest, 100*idlest, asked)
	}
	return table.Flush()
}

// shardKeys are the keys to compare: 64-bit numbers in the order that shards are
// split by.
var shardKeys = []struct {
	name string
	of   func(id oid.ID, tenant uint32) uint64
}{
	{"{_id: 1}", func(id oid.ID, _ uint32) uint64 { return binary.BigEndian.Uint64(id[:8]) }},
	// A hashed index of MongoDB holds 8 bytes of an MD5 of the value and its
	// type. Further hashed fields make no difference here.
	{`{_id: "hashed"}`, func(id oid.ID, _ uint32) uint64 {
		sum := md5.Sum(append([]byte{7, 0, 0, 0}, id[:]...))
		return binary.LittleEndian.Uint64(sum[:8])
	}},
	{"{tenant: 1, _id: 1}", func(id oid.ID, tenant uint32) uint64 {
		return uint64(tenant)<<32 | uint64(binary.BigEndian.Uint32(id[:4]))
	}},
}

// spread returns the shares of the busiest and the idlest shard among new
// documents, and how many shards hold the documents of one hour.
func spread(key func(oid.ID, uint32) uint64, documents, tenants int, random *rand.Rand) (busiest, idlest float64, asked int) {
	now := time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)
	keys := make([]uint64, documents)
	hour := make([]bool, documents)
	for i := range keys {
		now = now.Add(250 * time.Millisecond)
		id := oid.MinAt(now)
		binary.BigEndian.PutUint32(id[8:], uint32(i)) // as one process counts, but the same in every run
		keys[i] = key(id, uint32(random.IntN(tenants)))
		hour[i] = now.Day() == 1 && now.Hour() == 12
	}
	old := slices.Sorted(slices.Values(keys[:documents/2]))
	bounds := make([]uint64, shards-1) // the first keys of the shards after the first
	for i := range bounds {
		bounds[i] = old[(i+1)*len(old)/shards]
	}
	shard := func(key uint64) int {
		i, found := slices.BinarySearch(bounds, key)
		if found {
			i++
		}
		return i
	}
	var counts [shards]int
	var holds [shards]bool
	for i, k := range keys {
		s := shard(k)
		if i >= documents/2 {
			counts[s]++
		}
		holds[s] = holds[s] || hour[i]
	}
	for _, h := range holds {
		if h {
			asked++
		}
	}
	share := func(n int) float64 { return float64(n) / float64(documents-documents/2) }
	return share(slices.Max(counts[:])), share(slices.Min(counts[:])), asked
}
