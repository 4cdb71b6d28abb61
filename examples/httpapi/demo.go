package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// demo shows some requests to the service at url, and their answers.
func demo(ctx context.Context, w io.Writer, url string) error {
	c := client{ctx: ctx, w: w, url: url}
	created := c.do(http.MethodPost, "/orders", `{"customer": "Ada King", "cents": 1999, "currency": "EUR"}`)
	id, _ := created["id"].(string)
	c.do(http.MethodGet, "/orders/"+id, "")

	yesterday := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -1)
	list := c.do(http.MethodGet, fmt.Sprintf("/ids?from=%s&to=%s&limit=2",
		yesterday.Format(time.RFC3339), yesterday.AddDate(0, 0, 1).Format(time.RFC3339)), "")
	next, _ := list["next"].(string)
	list = c.do(http.MethodGet, next, "")
	previous, _ := list["previous"].(string)
	c.do(http.MethodGet, previous, "")

	c.do(http.MethodGet, "/orders/65b3", "")
	c.do(http.MethodGet, "/orders/"+strings.Repeat("0", 24), "")
	c.do(http.MethodGet, "/orders?after=2026-01-01", "")
	return c.err
}

// A client shows what it asks and what it is answered. After an error it does
// nothing.
type client struct {
	ctx context.Context
	w   io.Writer
	url string
	err error
}

func (c *client) do(method, path, body string) (answer map[string]any) {
	if c.err != nil {
		return nil
	}
	fmt.Fprintf(c.w, "%s %s\n", method, path)
	if body != "" {
		fmt.Fprintf(c.w, "  %s\n", body)
	}
	request, err := http.NewRequestWithContext(c.ctx, method, c.url+path, strings.NewReader(body))
	if err != nil {
		c.err = err
		return nil
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		c.err = err
		return nil
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		c.err = err
		return nil
	}
	if c.err = json.Unmarshal(data, &answer); c.err != nil {
		return nil
	}
	fmt.Fprintf(c.w, "%s\n  %s\n\n", response.Status, bytes.TrimSpace(data))
	return answer
}
