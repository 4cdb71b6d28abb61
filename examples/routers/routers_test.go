package main

import (
	"net/http/httptest"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"

	"github.com/oidkit/oidkit/oid"
)

func TestRouters(t *testing.T) {
	var out strings.Builder
	run(&out)
	const (
		found     = `  GET /orders/([0-9a-f]{24})  200 \{"id":"([0-9a-f]{24})","number":"A1001"\}\n`
		zero      = `  GET /orders/0{24}  404 `
		malformed = `  GET /orders/65b3 {20}  400 `
	)
	want := `^chi\n` + found + zero + `no such order\n` + malformed + `invalid ID: length 4, want 24 hex digits\n` +
		`gin\n` + found + zero + `\{"error":"no such order"\}\n` + malformed + `\{"error":"invalid ID: length 4, want 24 hex digits"\}\n` +
		`echo\n` + found + zero + `\{"message":"no such order"\}\n` + malformed + `\{"message":"invalid ID: length 4, want 24 hex digits"\}\n$`
	m := regexp.MustCompile(want).FindStringSubmatch(out.String())
	if m == nil {
		t.Fatalf("it prints\n%s\nwant\n%s", out.String(), want)
	}
	for _, id := range m[2:] { // three in requests, three in answers
		if id != m[1] {
			t.Errorf("an answer has the ID %s, want %s:\n%s", id, m[1], out.String())
		}
	}
}

// No order has the zero ID, even if a bug has stored one under it.
func TestTheZeroIDIsNotFound(t *testing.T) {
	if order, err := (orders{{}: {Number: "A1"}}).find(oid.ID{}); err != errNotFound {
		t.Errorf("find(zero ID) = %+v, %v, want %v", order, err, errNotFound)
	}
}

// The comment of newGin says so.
func TestGinTakesTheZeroIDForAMissingOne(t *testing.T) {
	gin.SetMode(gin.ReleaseMode)
	for tag, bad := range map[string]bool{`required`: true, ``: false} {
		c, _ := gin.CreateTestContext(httptest.NewRecorder())
		c.Params = gin.Params{{Key: "id", Value: strings.Repeat("0", 24)}}
		path := reflect.New(reflect.StructOf([]reflect.StructField{{
			Name: "ID", Type: reflect.TypeFor[oid.ID](), Tag: reflect.StructTag(`uri:"id" binding:"` + tag + `"`),
		}}))
		if err := c.ShouldBindUri(path.Interface()); (err != nil) != bad {
			t.Errorf("binding:%q: error %v", tag, err)
		}
	}
}
