package main

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/oidkit/oidkit/oid"
)

// newEcho serves orders with echo, which binds an oid.ID itself. An error that is not an
// echo.HTTPError becomes a 500.
func newEcho(db orders) http.Handler {
	router := echo.New()
	router.GET("/orders/:id", func(c echo.Context) error {
		var path struct {
			ID oid.ID `param:"id"`
		}
		err := c.Bind(&path)
		var bad *oid.SyntaxError
		if errors.As(err, &bad) {
			return echo.NewHTTPError(http.StatusBadRequest, "invalid ID: "+bad.Problem)
		}
		if err != nil {
			return err
		}
		order, err := db.find(path.ID)
		if errors.Is(err, errNotFound) {
			return echo.NewHTTPError(http.StatusNotFound, err.Error())
		}
		if err != nil {
			return err
		}
		return c.JSON(http.StatusOK, order)
	})
	return router
}
