package public_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"strings"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/public"
)

// A Parcel's ID is sealed in JSON and in URLs. The database has the plain ID.
type Parcel struct {
	ID    public.ID[Parcel] `json:"id"`
	Grams int               `json:"grams"`
}

// The key of a real program comes from a secret store. "openssl rand -base64 32" makes one.
var parcelForm = public.Must(public.Sealed("parcel", secret("bm90IGEga2V5LCBidXQgYW4gZXhhbXBsZSBvZiBvbmU=")))

func (Parcel) IDForm() *public.Form { return parcelForm }

func secret(text string) []byte {
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil {
		log.Fatal(err)
	}
	return key
}

func Example() {
	parcel := Parcel{ID: public.ID[Parcel](oid.MustParse("65b3f7a2c1d4e5f6a7b8c9d0")), Grams: 250}
	data, err := json.Marshal(parcel)
	fmt.Println(string(data), err)

	var got Parcel
	err = json.Unmarshal(data, &got)
	fmt.Println(oid.ID(got.ID), err)
	fmt.Println(oid.ID(got.ID).Timestamp())
	// Output:
	// {"id":"parcel_0sgccrc0qdf26sj87xzdbnb1b5","grams":250} <nil>
	// 65b3f7a2c1d4e5f6a7b8c9d0 <nil>
	// 2024-01-26 18:19:14 +0000 UTC
}

// A handler gives the same answer for an invalid text and for a missing row.
func ExampleForm_Parse() {
	handler := func(w http.ResponseWriter, r *http.Request) {
		id, err := parcelForm.Parse(r.PathValue("id"))
		if err != nil {
			http.Error(w, "no such parcel", http.StatusNotFound)
			return
		}
		fmt.Fprintln(w, "look for the row", id)
	}
	http.HandleFunc("GET /parcels/{id}", handler)

	fmt.Println(parcelForm.Parse("parcel_0sgccrc0qdf26sj87xzdbnb1b5"))
	_, err := parcelForm.Parse("parcel_0sgccrc0qdf26sj87xzdbnb1b6")
	fmt.Println(err)
	// Output:
	// 65b3f7a2c1d4e5f6a7b8c9d0 <nil>
	// public.Form.Parse("parcel_0sgccrc0qdf26sj87xzdbnb1b"…): no such ID
}

func ExamplePrefixed() {
	form, err := public.Prefixed("ord")
	if err != nil {
		log.Fatal(err)
	}
	id := oid.MustParse("65b3f7a2c1d4e5f6a7b8c9d0")
	fmt.Println(form.Text(id))
	fmt.Println(form.Text(id.Next()))
	fmt.Println(form.Pattern())
	// Output:
	// ord_01hn3fym6gfges75ytkvhjegrx
	// ord_01hn3fym6gfges75ytkvhjehrx
	// ^ord_[0-7][0-9a-hjkmnp-tv-z]{25}$
}

// To change a key, deploy three times. During each deployment, every server can read the
// texts of all other servers.
func ExampleSealed_rotation() {
	before, now := secret("bm90IGEga2V5LCBidXQgYW4gZXhhbXBsZSBvZiBvbmU="), secret("YW5vdGhlciBleGFtcGxlLCBhbmQgbm90IGEga2V5ISE=")
	first := public.Must(public.Sealed("parcel", before, now)) // everywhere, before the second
	second := public.Must(public.Sealed("parcel", now, before))
	third := public.Must(public.Sealed("parcel", now)) // when no old text is needed anymore

	id := oid.MustParse("65b3f7a2c1d4e5f6a7b8c9d0")
	_, err := first.Parse(second.Text(id))
	fmt.Println(err)
	_, err = second.Parse(first.Text(id))
	fmt.Println(err)
	_, err = third.Parse(first.Text(id))
	fmt.Println(err != nil)
	// Output:
	// <nil>
	// <nil>
	// true
}
