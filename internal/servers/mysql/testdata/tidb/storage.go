package main

import (
	"bytes"
	"context"
	"time"

	"github.com/pingcap/kvproto/pkg/kvrpcpb"
	"github.com/tikv/client-go/v2/tikv"
	"github.com/tikv/client-go/v2/tikvrpc"
)

// mark is a text in a row. The storage rolls a transaction back that writes such a row,
// as after its locks expired, before it commits. TiDB then sends error 8022.
const mark = "rolled back by the storage"

// A client of the storage is in its way.
type client struct{ tikv.Client }

func rollBackMarked(c tikv.Client) tikv.Client { return client{c} }

// SendRequest rolls a marked transaction back before the first phase of its commit.
func (c client) SendRequest(ctx context.Context, addr string, req *tikvrpc.Request, timeout time.Duration) (*tikvrpc.Response, error) {
	if req.Type == tikvrpc.CmdPrewrite {
		first, marked, keys := req.Prewrite(), false, [][]byte(nil)
		for _, m := range first.Mutations {
			marked = marked || bytes.Contains(m.Value, []byte(mark))
			keys = append(keys, m.Key)
		}
		if marked {
			undo := tikvrpc.NewRequest(tikvrpc.CmdBatchRollback, &kvrpcpb.BatchRollbackRequest{StartVersion: first.StartVersion, Keys: keys}, req.Context)
			if _, err := c.Client.SendRequest(ctx, addr, undo, timeout); err != nil {
				return nil, err
			}
		}
	}
	return c.Client.SendRequest(ctx, addr, req, timeout)
}
