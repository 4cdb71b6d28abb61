//go:build nightly

package encodings

import (
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/oidkit/oidkit/oid"
	"github.com/redis/go-redis/v9"
)

func connectRedis(t *testing.T) (*redis.Client, *miniredis.Miniredis) {
	t.Helper()
	server := miniredis.RunT(t)
	client := redis.NewClient(&redis.Options{Addr: server.Addr(), DisableIdentity: true})
	t.Cleanup(func() { client.Close() })
	return client, server
}

// TestRedis shows that an ID is an argument like any other and is read back, but
// for one place: from a hash into a struct.
func TestRedis(t *testing.T) {
	client, server := connectRedis(t)
	ctx := t.Context()
	if err := client.Set(ctx, "key", sample, 0).Err(); err != nil {
		t.Fatal(err)
	}
	if got, _ := server.Get("key"); got != string(sample[:]) {
		t.Errorf("SET wrote %q, want the 12 bytes", got)
	}
	got := preset
	if err := client.Get(ctx, "key").Scan(&got); err != nil || got != sample {
		t.Errorf("GET gave %v, %v", got, err)
	}
	if err := client.Set(ctx, "bad", "abc", 0).Err(); err != nil {
		t.Fatal(err)
	}
	got = preset
	if err := client.Get(ctx, "bad").Scan(&got); err == nil || got != preset {
		t.Errorf("GET of a bad value gave %v, %v", got, err)
	}
	if err := client.SAdd(ctx, "set", sample, &sample, oid.For[order](sample)).Err(); err != nil {
		t.Fatal(err)
	}
	if n, err := client.SCard(ctx, "set").Result(); err != nil || n != 1 {
		t.Errorf("an id, a pointer to it and its typed form make %d members, %v, want 1", n, err)
	}

	type hash struct {
		ID oid.ID `redis:"id"`
	}
	if err := client.HSet(ctx, "hash", hash{sample}).Err(); err != nil {
		t.Fatal(err)
	}
	if got := server.HGet("hash", "id"); got != string(sample[:]) {
		t.Errorf("HSET wrote %q, want the 12 bytes", got)
	}
	h := hash{preset}
	if err := client.HGetAll(ctx, "hash").Scan(&h); err == nil || h.ID != preset {
		t.Errorf("HGETALL gave %v, %v: docs/libraries.md says that it can't", h.ID, err)
	}
}

func TestRedisID(t *testing.T) {
	client, server := connectRedis(t)
	ctx := t.Context()
	type hash struct {
		ID  RedisID  `redis:"id"`
		Ptr *RedisID `redis:"ptr"`
	}
	want := hash{RedisID{sample}, &RedisID{preset}}
	if err := client.HSet(ctx, "hash", want).Err(); err != nil {
		t.Fatal(err)
	}
	if got := server.HGet("hash", "id"); got != hexText {
		t.Errorf("HSET wrote %q, want the digits", got)
	}
	var got hash
	if err := client.HGetAll(ctx, "hash").Scan(&got); err != nil || got.ID != want.ID || got.Ptr == nil || *got.Ptr != *want.Ptr {
		t.Errorf("HGETALL gave %v, %v", got, err)
	}
	if err := client.Set(ctx, "key", want.ID, 0).Err(); err != nil {
		t.Fatal(err)
	}
	var id RedisID
	if err := client.Get(ctx, "key").Scan(&id); err != nil || id != want.ID {
		t.Errorf("GET gave %v, %v", id, err)
	}
}
