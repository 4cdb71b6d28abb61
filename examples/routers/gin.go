//go:build nightly

package main

import (
	"errors"
	"net/http"

	"github.com/gin-gonic/gin"

	"github.com/oidkit/oidkit/oid"
)

// newGin serves orders with gin, which binds an oid.ID itself. Don't mark the field
// binding:"required": the zero ID would then be a 400.
func newGin(db orders) http.Handler {
	gin.SetMode(gin.ReleaseMode)
	router := gin.New()
	router.GET("/orders/:id", func(c *gin.Context) {
		var path struct {
			ID oid.ID `uri:"id"`
		}
		err := c.ShouldBindUri(&path)
		var bad *oid.SyntaxError
		if errors.As(err, &bad) {
			c.JSON(http.StatusBadRequest, gin.H{"error": "invalid ID: " + bad.Problem})
			return
		}
		if err != nil {
			c.JSON(http.StatusBadRequest, gin.H{"error": err.Error()})
			return
		}
		order, err := db.find(path.ID)
		switch {
		case errors.Is(err, errNotFound):
			c.JSON(http.StatusNotFound, gin.H{"error": err.Error()})
		case err != nil:
			c.JSON(http.StatusInternalServerError, gin.H{"error": "internal error"})
		default:
			c.JSON(http.StatusOK, order)
		}
	})
	return router
}
