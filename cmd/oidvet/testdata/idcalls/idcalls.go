// Package idcalls has calls to which an ID, or a time for one, means something else.
package idcalls

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/url"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	v1 "go.mongodb.org/mongo-driver/mongo"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"gorm.io/gorm"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

type User struct{}

type row struct {
	ID        oid.ID
	CreatedAt time.Time
}

// text writes IDs.
func text(t *testing.T, l *log.Logger, id oid.ID, user oid.For[User], p *oid.ID, n int, verb string) {
	fmt.Printf("%x", id)                           // want `%x encodes the hex digits as hex again: use %v`
	fmt.Sprintf("%d and %-30X", n, user)           // want `%X encodes the hex digits as hex again: use %v`
	fmt.Sprintf("%d%% of %d", n, id)               // want `%d prints 12 numbers: use %v`
	fmt.Fprintf(l.Writer(), "%s %o %b", id, id, p) // want `%o prints 12 numbers` `%b prints 12 numbers`
	l.Printf("%c", id)                             // want `%c prints 12 numbers`
	t.Errorf("%U", sqltype.Hex(id))                // want `%U prints 12 numbers`
	json.Marshal(id[:])                            // want `encoding/json writes bytes as base64: pass the ID itself`
	json.Marshal((p[:]))                           // want `encoding/json writes bytes as base64`
	url.PathEscape(string(id[:]))                  // want `these are 12 raw bytes: use the hex digits`
	url.QueryEscape(string(user[:]))               // want `these are 12 raw bytes: use the hex digits`

	// These are right, or nobody can tell.
	fmt.Printf("%v %s %+v %q %d", id, id, p, id, n)
	fmt.Printf("%x %x", id[:], id.Hex())
	fmt.Printf("%[2]x", n, id)
	fmt.Printf("%*d", n, n)
	fmt.Printf(verb, id)
	fmt.Printf("%d", []any{n, id}...)
	fmt.Printf("%d", printed{})
	fmt.Printf("100%", id)
	fmt.Printf("", id)
	fmt.Printf("%", id)
	fmt.Println("%x", id)
	fmt.Fprintf(both())
	fmt.Printf("%x", id) //oidvet:ignore idcalls a test
	json.Marshal(id)
	json.Marshal(id[:4])
	json.Marshal(verb[:])
	url.PathEscape(id.String())
	url.PathEscape(string(id[4:]))
	url.PathEscape(verb)
	url.PathEscape(fmt.Sprint(id[:]))
	func(s string) {}(verb)
	new(row).CreatedAt.String()
	format(verb, id)
}

type printed oid.ID

func (printed) Format(fmt.State, rune) {}

func both() (w io.Writer, format string) { return }

func format(format string, args oid.ID) {}

// times turns times into IDs.
func times(id oid.ID, r row, created, now time.Time, g *oid.Generator) {
	oid.Derive(time.Now(), "a")                 // want `with the current time, Derive returns another ID in each second: pass a time that the row holds`
	oid.Derive((time.Now().UTC)().Local(), "a") // want `Derive returns another ID in each second`
	oid.Derive(time.Now().Add(-time.Hour), "a") // want `Derive returns another ID in each second`
	oid.Fill(make([]oid.ID, 0, 10))             // want `this slice is empty, so Fill makes no ID: make it with a length`
	g.Fill([]oid.ID{})                          // want `this slice is empty`
	none := make([]oid.ID, 0)
	oid.Fill(none)                                                // want `this slice is empty`
	_ = id.Timestamp().Equal(r.CreatedAt)                         // want `an ID has whole seconds, so this comparison is false for a time with a fraction: truncate it to the second`
	_ = created.Equal(id.Timestamp())                             // want `an ID has whole seconds`
	oid.MinAt(time.Unix(now.UnixMilli(), 0))                      // want `time.Unix takes seconds: use time.UnixMilli for milliseconds`
	oid.Range(now, (time.Unix((now.UnixMilli()), 0)))             // want `time.Unix takes seconds`
	gormplugin.CreatedSince(time.Unix(now.UnixMilli(), 0))        // want `time.Unix takes seconds`
	bsoncodec.CreatedBefore("_id", time.Unix(now.UnixMilli(), 0)) // want `time.Unix takes seconds`
	millis := now.UnixMilli()
	oid.Until(time.Unix(millis, 0)) // want `time.Unix takes seconds`

	// These are right, or nobody can tell.
	oid.Derive(r.CreatedAt, "a")
	oid.Derive(time.Now().Truncate(24*time.Hour), "a")
	oid.Fill(make([]oid.ID, 10))
	oid.Fill(make([]oid.ID, r.CreatedAt.Second()))
	oid.Fill(some())
	oid.Fill([]oid.ID{id})
	oid.Fill(none[:0])
	var list []oid.ID
	oid.Fill(list)
	grown := make([]oid.ID, 0)
	grown = append(grown, id)
	oid.Fill(grown)
	shared := make([]oid.ID, 0)
	grow(&shared)
	oid.Fill(shared)
	_ = id.Timestamp().Equal(now)
	_ = id.Timestamp().Equal(r.CreatedAt.Truncate(time.Second))
	_ = r.CreatedAt.Equal(now)
	_ = r.CreatedAt.Equal(time.Now())
	_ = r.CreatedAt.Equal(some()[0].Timestamp().UTC())
	{
		created := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
		_ = id.Timestamp().Equal(created)
	}
	oid.MinAt(time.Unix(now.Unix(), 0))
	oid.MinAt(time.UnixMilli(now.UnixMilli()))
	oid.MinAt(now)
	oid.MinAt(time.Time(now))
	seconds := now.UnixMilli()
	seconds /= 1000
	oid.MinAt(time.Unix(seconds, 0))
	_ = time.Unix(now.UnixMilli(), 0)
	lo, hi := oid.Range(now, now)
	_ = func() time.Time { return now }().Equal(lo.Timestamp())
	r.ID = hi
}

func some() []oid.ID { return nil }

func grow(*[]oid.ID) {}

type (
	untagged struct {
		ID   oid.ID
		Name string
	}
	pointer struct {
		ID *oid.ID `json:"id"`
	}
	tagged struct {
		ID oid.ID `bson:"_id,omitempty"`
	}
	renamed struct {
		ID oid.ID `bson:"number"`
	}
	other struct {
		Key tagged `bson:"_id"`
		ID  oid.ID
	}
	embeds struct {
		tagged `bson:",inline"`
		ID     oid.ID
	}
	numbered struct {
		ID int
	}
	gormModel struct {
		gorm.Model
		UserID oid.ID
	}
)

const insert = "\n\tINSERT INTO users (boss) VALUES ($1)"

// stored stores rows and documents.
func stored(ctx context.Context, db *sql.DB, conn *pgx.Conn, g *gorm.DB, c *mongo.Collection, c1 *v1.Collection, query string, id oid.ID) {
	db.Exec("UPDATE users SET boss = ?", oid.ID{})                       // want `this stores a zero ID, which is not NULL: pass nil`
	db.ExecContext(ctx, insert, (sqltype.Hex{}))                         // want `this stores a zero ID, which is not NULL: pass nil`
	conn.Exec(ctx, insert, oid.For[User]{})                              // want `this stores a zero ID, which is not NULL: pass nil`
	g.Model(&numbered{}).Update("boss_id", oid.ID{})                     // want `this stores a zero ID, which is not NULL: pass nil`
	g.Model(&numbered{}).Updates(map[string]any{"boss_id": oid.ID{}})    // want `this stores a zero ID, which is not NULL: pass nil`
	g.Model(&numbered{}).UpdateColumns(map[string]oid.ID{"boss_id": {}}) // want `this stores a zero ID, which is not NULL: pass nil`
	c.InsertOne(ctx, untagged{})                                         // want `MongoDB's driver stores the field ID as "id", and makes another _id: give the field the tag .bson:"_id".`
	c1.InsertOne(ctx, &pointer{})                                        // want `MongoDB's driver stores the field ID as "id"`
	gormplugin.WithModels(&untagged{}, &numbered{})                      // want `this model has no field with an ID type, so the plugin makes no key for it: add the field ID oid.ID`

	// These are right, or nobody can tell.
	db.Exec("DELETE FROM users WHERE boss = ?", oid.ID{})
	db.Exec(query, oid.ID{})
	db.Exec(insert, id)
	db.Exec(insert, oid.ID{1}, sqltype.ZeroNull{}, sqltype.ZeroNullFor[User]{}, User{})
	db.Query("INSERT INTO users (boss) VALUES (?) RETURNING id", oid.ID{})
	g.Where("boss_id = ?", oid.ID{}).Find(&[]numbered{})
	g.Model(&numbered{}).Updates(map[string]any{"boss_id": id, "name": ""})
	c.InsertOne(ctx, tagged{})
	c.InsertOne(ctx, renamed{})
	c.InsertOne(ctx, other{})
	c.InsertOne(ctx, embeds{})
	c.InsertOne(ctx, numbered{})
	c.InsertOne(ctx, bson.M{"ID": id})
	c.InsertOne(document())
	c.InsertMany(ctx, []any{untagged{}})
	gormplugin.WithModels(&gormModel{}) // want `this model has the integer key of gorm.Model, so the plugin makes no key for it: embed gormplugin.Model`
	gormplugin.WithModels(&untagged{}, &embeds{}, &pointer{}, &User{}, "")
	InsertOne(untagged{})
	WithModels(&numbered{})
}

func document() (context.Context, untagged) { return nil, untagged{} }

// InsertOne is not a driver's.
func InsertOne(untagged) {}

// WithModels is not the plugin's.
func WithModels(*numbered) {}
