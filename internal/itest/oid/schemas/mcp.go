//go:build nightly

package schemas

import (
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// AddTool is mcp.AddTool for a tool that has IDs among its arguments or results.
func AddTool[In, Out any](server *mcp.Server, tool *mcp.Tool, handler mcp.ToolHandlerFor[In, Out], typed ...reflect.Type) error {
	in, err := jsonschema.For[In](IDSchemas(typed...))
	if err != nil {
		return err
	}
	out, err := jsonschema.For[Out](IDSchemas(typed...))
	if err != nil {
		return err
	}
	tool.InputSchema, tool.OutputSchema = in, out
	mcp.AddTool(server, tool, handler)
	return nil
}
