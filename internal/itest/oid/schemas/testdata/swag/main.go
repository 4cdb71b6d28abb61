// Package main is read by swag, and not compiled.
package main

import (
	"net/http"

	"github.com/oidkit/oidkit/oid"
)

type Customer struct{}

type Order struct {
	ID       oid.ID            `json:"id"`
	Parent   *oid.ID           `json:"parent,omitempty"`
	Lines    []oid.ID          `json:"lines"`
	Customer oid.For[Customer] `json:"customer" swaggertype:"string"`
}

// @Summary Change an order
// @Param id path string true "the order"
// @Param order body Order true "what it shall be"
// @Success 200 {object} Order
// @Router /orders/{id} [put]
func PutOrder(http.ResponseWriter, *http.Request) {}

// @title Orders
// @version 1
func main() {}
