//go:build nightly

package schemas

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/oidkit/oidkit/oid"
)

// A tool is called by a client, over the protocol, with IDs as arguments and result.
func TestMCPToolTakesAndGivesIDs(t *testing.T) {
	ctx := t.Context()
	server := mcp.NewServer(&mcp.Implementation{Name: "orders", Version: "1"}, nil)
	handler := func(_ context.Context, _ *mcp.CallToolRequest, in order) (*mcp.CallToolResult, order, error) {
		return nil, in, nil
	}
	if err := AddTool(server, &mcp.Tool{Name: "described"}, handler, customerID); err != nil {
		t.Fatal(err)
	}
	mcp.AddTool(server, &mcp.Tool{Name: "plain"}, handler)
	toServer, toClient := mcp.NewInMemoryTransports()
	if _, err := server.Connect(ctx, toServer, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, toClient, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()

	parent := oid.New()
	want := order{ID: oid.New(), Parent: &parent, Lines: []oid.ID{oid.New(), oid.New()}, Customer: oid.For[customer](oid.New())}
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "described", Arguments: want})
	if err != nil || result.IsError {
		t.Fatalf("%+v, %v", result, err)
	}
	text, err := json.Marshal(result.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	var got order
	if err := json.Unmarshal(text, &got); err != nil || got.ID != want.ID || *got.Parent != parent || got.Lines[1] != want.Lines[1] || got.Customer != want.Customer {
		t.Errorf("got %s, want %+v, %v", text, want, err)
	}
	for what, bad := range map[string]any{
		"a short id": map[string]any{"id": "65b3", "lines": []oid.ID{}, "customer": want.Customer},
		"numbers":    map[string]any{"id": [12]int{}, "lines": []oid.ID{}, "customer": want.Customer},
	} {
		if result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "described", Arguments: bad}); err == nil && !result.IsError {
			t.Errorf("%s is taken: %+v", what, result)
		}
	}
	if result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "plain", Arguments: want}); err == nil && !result.IsError {
		t.Errorf("the tool without schemas takes ids now: change docs/libraries.md: %+v", result)
	}
}
