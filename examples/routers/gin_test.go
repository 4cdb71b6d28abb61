//go:build nightly

package main

import (
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"

	"github.com/oidkit/oidkit/oid"
)

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
