// Package timerange has ranges of creation times.
package timerange

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"gorm.io/gorm"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/bsoncodec/mongov1"
	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
)

type window struct{ From, To, StartAt, EndTime time.Time }

const day = 24 * time.Hour

func ranges(db *gorm.DB, from, to, now time.Time, w window, d time.Duration) bson.D {
	oid.Range(to, from)                            // want `Range wants the earlier time first: this range is empty, and finds nothing`
	oid.Range(w.To, w.From)                        // want `Range wants the earlier time first`
	oid.Range((w.EndTime), w.StartAt)              // want `Range wants the earlier time first`
	oid.Range(now, now.Add(-day))                  // want `Range wants the earlier time first`
	oid.Range(time.Now(), time.Now().Add(-30*day)) // want `Range wants the earlier time first`
	oid.Range(now, now.AddDate(0, -1, 0))          // want `Range wants the earlier time first`
	db.Where(gormplugin.CreatedBetween(to, from))  // want `CreatedBetween wants the earlier time first`
	mongov1.CreatedBetween("_id", to, from)        // want `CreatedBetween wants the earlier time first`

	oid.Range(now.Add(day), now) // want `Range wants the earlier time first`
	yesterday, tomorrow := now.Add(-day), now.AddDate(0, 0, 1)
	oid.Range(now, yesterday)  // want `Range wants the earlier time first`
	oid.Range(tomorrow, (now)) // want `Range wants the earlier time first`
	oid.Range(tomorrow, (to))
	oid.Range(now, tomorrow)
	oid.Range(yesterday, now)
	oid.Range(now, now.AddDate(1, -1, 0))
	last := w.To.Add(-day)
	oid.Range(w.To, last)
	{
		now := time.Now()
		earlier := now.Add(-day)
		now = now.Add(-2 * day)
		oid.Range(now, earlier)
		oid.Range(now, yesterday)
	}

	// These are right, or nobody can tell.
	oid.Range(from, to)
	oid.Range(to, to)
	oid.Range(to, now)
	oid.Range(now, from)
	oid.Range(now.Add(-day), now)
	oid.Range(to, from) //oidvet:ignore timerange a test of the empty range
	oid.Range(now, now.Add(day))
	oid.Range(now, now.Add(d))
	oid.Range(now, now.Add(0))
	oid.Range(now, from.Add(-day))
	oid.Range(now, now.AddDate(0, 1, -1))
	oid.Range(now, now.Truncate(-day))
	oid.Range(both())
	oid.Range(today(), from)
	Range(to, from)
	return bsoncodec.CreatedBetween("_id", to, from) // want `CreatedBetween wants the earlier time first`
}

func both() (to, from time.Time) { return }

func today() time.Time { return time.Time{} }

// Range is not oid's.
func Range(to, from time.Time) {}
