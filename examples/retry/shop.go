package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/oidkit/oidkit/oid"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"gorm.io/gorm"
)

// An Order has lines, which are stored together with it.
type Order struct {
	ID     oid.ID `bson:"_id"`
	Number string `gorm:"size:20;uniqueIndex"`
	Lines  []OrderLine
}

type OrderLine struct {
	ID      oid.ID `bson:"_id"`
	OrderID oid.ID `bson:"-"`
	Product string
}

// newOrder makes an order with all its IDs, before anything is sent.
func newOrder(number string, products ...string) Order {
	o := Order{ID: oid.New(), Number: number}
	for _, p := range products {
		o.Lines = append(o.Lines, OrderLine{ID: oid.New(), OrderID: o.ID, Product: p})
	}
	return o
}

// A shop stores orders.
type shop struct {
	insert func(ctx context.Context, o Order) error           // all of an order, or nothing
	stored func(ctx context.Context, id oid.ID) (bool, error) // whether an order is there
}

// store stores an order once. It tries again until the database has stored or refused the order,
// or ctx ends. An answer that is lost says nothing about whether the order was stored, and
// neither does an error of the next try, such as too many connections. Each try has the same
// ID, so the database refuses a second row. That is the answer: the first one was stored.
func (s shop) store(ctx context.Context, o Order) error {
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		err := s.insert(ctx, o)
		if err == nil {
			return nil
		}
		if isDuplicate(err) {
			// Was it mine? The ID says so. The number may belong to another order.
			mine, lost := s.stored(ctx, o.ID)
			if lost == nil && mine {
				return nil
			}
			if lost == nil {
				return err
			}
		} else if isRefusal(err) {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return fmt.Errorf("order %v may be stored or not: %w", o.ID, errors.Join(ctx.Err(), err))
		}
	}
}

// isDuplicate says whether a database refused a row because of a value that another row has.
func isDuplicate(err error) bool {
	var pg *pgconn.PgError
	var my *mysql.MySQLError
	return errors.Is(err, gorm.ErrDuplicatedKey) || mongo.IsDuplicateKeyError(err) ||
		errors.As(err, &pg) && pg.Code == "23505" || errors.As(err, &my) && my.Number == 1062
}

// isRefusal says whether a server refused the order itself, as it would refuse it in each try:
// for a value, a constraint, or a column that the table lacks.
func isRefusal(err error) bool {
	var pg *pgconn.PgError
	var my *mysql.MySQLError
	var mg mongo.ServerError
	switch {
	case errors.As(err, &pg):
		return refusals.MatchString(pg.Code)
	case errors.As(err, &my):
		return refusals.MatchString(string(my.SQLState[:])) || my.Number == 3819 // MySQL: a CHECK
	case errors.As(err, &mg):
		return mg.HasErrorCode(121) // the collection's schema
	}
	return errors.Is(err, gorm.ErrForeignKeyViolated) || errors.Is(err, gorm.ErrCheckConstraintViolated)
}

// refusals matches the classes of SQLSTATE for data, constraints, and syntax or access rules.
var refusals = regexp.MustCompile("^(22|23|42)")

// sqlShop stores orders through database/sql. mark returns the n-th parameter, such as $1 or ?.
func sqlShop(db *sql.DB, mark func(n int) string) shop {
	insertOrder := fmt.Sprintf("INSERT INTO orders (id, number) VALUES (%s, %s)", mark(1), mark(2))
	insertLine := fmt.Sprintf("INSERT INTO order_lines (id, order_id, product) VALUES (%s, %s, %s)", mark(1), mark(2), mark(3))
	return shop{
		insert: func(ctx context.Context, o Order) error {
			tx, err := db.BeginTx(ctx, nil)
			if err != nil {
				return err
			}
			defer tx.Rollback()
			if _, err := tx.ExecContext(ctx, insertOrder, o.ID, o.Number); err != nil {
				return err
			}
			for _, l := range o.Lines {
				if _, err := tx.ExecContext(ctx, insertLine, l.ID, l.OrderID, l.Product); err != nil {
					return err
				}
			}
			return tx.Commit()
		},
		stored: func(ctx context.Context, id oid.ID) (bool, error) {
			var n int
			err := db.QueryRowContext(ctx, "SELECT count(*) FROM orders WHERE id = "+mark(1), id).Scan(&n)
			return n > 0, err
		},
	}
}

// gormShop stores orders through GORM. The configuration of db has TranslateError, which turns
// each database's error into gorm.ErrDuplicatedKey.
func gormShop(db *gorm.DB) shop {
	return shop{
		insert: func(ctx context.Context, o Order) error {
			return db.WithContext(ctx).Create(&o).Error // in a transaction, with its lines
		},
		stored: func(ctx context.Context, id oid.ID) (bool, error) {
			var n int64
			err := db.WithContext(ctx).Model(&Order{}).Where("id = ?", id).Count(&n).Error
			return n > 0, err
		},
	}
}

// mongoShop stores an order as one document.
func mongoShop(orders *mongo.Collection) shop {
	return shop{
		insert: func(ctx context.Context, o Order) error {
			_, err := orders.InsertOne(ctx, o)
			return err
		},
		stored: func(ctx context.Context, id oid.ID) (bool, error) {
			n, err := orders.CountDocuments(ctx, bson.D{{Key: "_id", Value: id}})
			return n > 0, err
		},
	}
}
