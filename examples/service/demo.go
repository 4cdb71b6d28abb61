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

	"github.com/oidkit/oidkit/oid"
)

// demo shows some requests to the service at url, and their answers.
func demo(ctx context.Context, w io.Writer, url string) error {
	var customer Customer
	if err := show(ctx, w, "POST", url+"/customers", `{"name": "Ada King"}`, &customer); err != nil {
		return err
	}
	body := fmt.Sprintf(`{"customer_id": %q, "cents": 1999}`, customer.ID)
	stranger := fmt.Sprintf(`{"customer_id": %q, "cents": 1999}`, CustomerID(oid.ID(customer.ID).Next()))
	for _, body := range []string{body, stranger, body, body} { // the second one is refused, and leaves no gap
		if err := show(ctx, w, "POST", url+"/invoices", body, nil); err != nil {
			return err
		}
	}
	var found page
	path := fmt.Sprintf("/invoices?customer=%s&from=%s&limit=2", customer.ID, time.Now().UTC().Add(-time.Hour).Format(time.RFC3339))
	for path != "" {
		found = page{}
		if err := show(ctx, w, "GET", url+path, "", &found); err != nil {
			return err
		}
		path = found.Next
	}
	return show(ctx, w, "GET", url+"/invoices/inv_00000000000000000000000000", "", nil)
}

// show prints a request and its answer, which it decodes into dest unless that is nil.
func show(ctx context.Context, w io.Writer, method, url, body string, dest any) error {
	request, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s %s %s\n  %s\n  %s\n\n", method, request.URL.RequestURI(), body, response.Status, bytes.TrimSpace(answer))
	if dest == nil {
		return nil
	}
	return json.Unmarshal(answer, dest)
}
