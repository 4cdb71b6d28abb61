package mongodb

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// A Part is a part of MongoDB that some of the servers lack.
type Part string

const (
	Transactions     Part = "transactions"
	ChangeStreams    Part = "change streams"
	Validators       Part = "validators of documents"
	ClientBulkWrites Part = "Client.BulkWrite"
	Capped           Part = "capped collections"
)

// lacks has what each FerretDB lacks, as docs/compatibility.md says.
var lacks = map[string][]Part{
	"FerretDB 1": {Transactions, ChangeStreams, Validators, ClientBulkWrites},
	"FerretDB 2": {Transactions, ChangeStreams, Validators, ClientBulkWrites, Capped},
}

// An Identity is what a server says that it is.
type Identity struct {
	Name       string // "MongoDB", "FerretDB 1" or "FerretDB 2", "" for another server
	Version    string // of MongoDB or of FerretDB
	ReplicaSet string // "" if it is in none
}

func (i Identity) String() string {
	switch {
	case i.Name == "":
		return fmt.Sprintf("a server with MongoDB's protocol %s", i.Version)
	case i.ReplicaSet == "":
		return fmt.Sprintf("%s (%s)", i.Name, i.Version)
	}
	return fmt.Sprintf("%s (%s) in the replica set %s", i.Name, i.Version, i.ReplicaSet)
}

// has reports whether the server has a part. Nobody knows that of another server than
// MongoDB and FerretDB.
func (i Identity) has(p Part) (has, known bool) {
	if i.Name == "MongoDB" {
		return i.ReplicaSet != "" || p != Transactions && p != ChangeStreams, true
	}
	lacking, known := lacks[i.Name]
	return known && !slices.Contains(lacking, p), known
}

// Check fails the test if err, the result of using a part of MongoDB, is not what the server's
// identity lets expect: nil if the server has the part, and an error otherwise. It skips the
// test on servers of which nobody knows.
func (s *Server) Check(t testing.TB, p Part, err error) {
	t.Helper()
	identity, asked := s.Identity(t.Context())
	if asked != nil {
		t.Fatal(asked)
	}
	switch has, known := identity.has(p); {
	case !known:
		t.Skipf("%s: nobody knows whether it has %s, which gave: %v", identity, p, err)
	case has && err != nil:
		t.Errorf("%s, which has %s: %v", identity, p, err)
	case !has && err == nil:
		t.Errorf("%s has %s now, but docs/compatibility.md and the tests say that it lacks them", identity, p)
	case !has:
		t.Logf("%s lacks %s: %v", identity, p, err)
	}
}

// Identity asks the server what it is.
func (s *Server) Identity(ctx context.Context) (Identity, error) {
	client, err := mongo.Connect(options.Client().ApplyURI(s.URI))
	if err != nil {
		return Identity{}, err
	}
	defer client.Disconnect(context.WithoutCancel(ctx))
	var build struct {
		Version        string
		FerretDB1      string                   `bson:"ferretdbVersion"`
		FerretDB2      struct{ Version string } `bson:"ferretdb"`
		StorageEngines []string                 `bson:"storageEngines"`
	}
	var hello struct {
		SetName string `bson:"setName"`
	}
	admin := client.Database("admin")
	if err := admin.RunCommand(ctx, bson.D{{Key: "buildInfo", Value: 1}}).Decode(&build); err != nil {
		return Identity{}, err
	}
	if err := admin.RunCommand(ctx, bson.D{{Key: "hello", Value: 1}}).Decode(&hello); err != nil {
		return Identity{}, err
	}
	i := Identity{Version: build.Version, ReplicaSet: hello.SetName}
	switch {
	case build.FerretDB1 != "": // "unknown" in a program of ours
		i.Name, i.Version = "FerretDB 1", build.FerretDB1
	case build.FerretDB2.Version != "":
		i.Version = build.FerretDB2.Version
		major, _, _ := strings.Cut(strings.TrimPrefix(i.Version, "v"), ".")
		i.Name = "FerretDB " + major
	case slices.Contains(build.StorageEngines, "wiredTiger"): // only a mongod says so
		i.Name = "MongoDB"
	}
	return i, nil
}
