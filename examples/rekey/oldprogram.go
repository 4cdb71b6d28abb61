package main

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"
)

// An oldProgram knows only the old keys. It stores customers and orders, and moves orders
// to other customers, while the tables change.
type oldProgram struct {
	quit  chan struct{}
	ended chan error
	added int // orders
}

func startOldProgram(ctx context.Context, pool *pgxpool.Pool) *oldProgram {
	p := &oldProgram{quit: make(chan struct{}), ended: make(chan error, 1)}
	go func() { p.ended <- p.run(ctx, pool) }()
	return p
}

// stop ends the program. It returns the number of orders that it has stored.
func (p *oldProgram) stop() (added int, err error) {
	close(p.quit)
	err = <-p.ended
	return p.added, err
}

func (p *oldProgram) run(ctx context.Context, pool *pgxpool.Pool) error {
	for {
		for _, statement := range []string{
			"INSERT INTO customers (name) VALUES ('new customer')",
			"INSERT INTO orders (customer_id, cents) SELECT id, 100 FROM customers ORDER BY random() LIMIT 1",
			"UPDATE orders SET customer_id = (SELECT id FROM customers ORDER BY random() LIMIT 1) WHERE id = (SELECT id FROM orders ORDER BY random() LIMIT 1)",
		} {
			if _, err := pool.Exec(ctx, statement); err != nil {
				return err
			}
		}
		p.added++
		select {
		case <-p.quit:
			return nil
		default:
		}
	}
}
