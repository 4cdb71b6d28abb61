package oid_test

import (
	"testing"

	"github.com/rs/xid"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/oid"
)

func TestConversionsKeepTheBytes(t *testing.T) {
	id := oid.New()
	if got := oid.ID(xid.ID(id)); got != id {
		t.Errorf("by way of xid.ID: %v, want %v", got, id)
	}
	if got := bson.ObjectID(id).Hex(); got != id.Hex() {
		t.Errorf("bson.ObjectID(id).Hex() = %s, want %s", got, id)
	}
}
