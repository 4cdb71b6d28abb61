//go:build nightly

package encodings

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/gin-gonic/gin/binding"
	"github.com/labstack/echo/v4"
	"github.com/oidkit/oidkit/oid"
)

// A params is what a handler binds: an ID of the path and of the query, twice.
type params struct {
	ID    oid.ID   `uri:"id" param:"id"`
	After oid.ID   `form:"after" query:"after"`
	In    []oid.ID `form:"in" query:"in"`
	Ptr   *oid.ID  `form:"ptr" query:"ptr"`
}

var _ = []binding.BindUnmarshaler{(*oid.ID)(nil), (*oid.For[struct{}])(nil)}

// A framework binds the parameters of a request to /orders/:id.
type framework struct {
	name, module string
	bind         func(url string) (params, error)
	add          string
}

var frameworks = []framework{
	{"net/http, chi", "", bindNetHTTP, "`oid.Parse(r.PathValue(\"id\"))`. In queries, call `Has` first"},
	{"gin", "github.com/gin-gonic/gin", bindGin, ""},
	{"echo", "github.com/labstack/echo/v4", bindEcho, ""},
	{"huma", "github.com/danielgtaylor/huma/v2", bindHuma, "[`DescribeIDs`](../internal/itest/oid/encodings/huma.go)"},
}

func serve(h http.Handler, url string) (status int, body string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", url, nil))
	return w.Code, w.Body.String()
}

func bindNetHTTP(url string) (p params, err error) {
	mux := http.NewServeMux()
	mux.HandleFunc("/orders/{id}", func(_ http.ResponseWriter, r *http.Request) {
		parse := func(s string) (id oid.ID) {
			id, parseErr := oid.Parse(s)
			err = errors.Join(err, parseErr)
			return id
		}
		query := r.URL.Query()
		p.ID = parse(r.PathValue("id"))
		if query.Has("after") {
			p.After = parse(query.Get("after"))
		}
		for _, s := range query["in"] {
			p.In = append(p.In, parse(s))
		}
		if query.Has("ptr") {
			id := parse(query.Get("ptr"))
			p.Ptr = &id
		}
	})
	serve(mux, url)
	return p, err
}

func bindGin(url string) (p params, err error) {
	gin.SetMode(gin.ReleaseMode)
	g := gin.New()
	g.GET("/orders/:id", func(c *gin.Context) { err = errors.Join(c.ShouldBindUri(&p), c.ShouldBindQuery(&p)) })
	serve(g, url)
	return p, err
}

func bindEcho(url string) (p params, err error) {
	e := echo.New()
	e.GET("/orders/:id", func(c echo.Context) error {
		err = c.Bind(&p)
		return err
	})
	status, body := serve(e, url)
	if err != nil && status != http.StatusBadRequest {
		err = fmt.Errorf("%d %s", status, body)
	}
	return p, err
}

func bindHuma(url string) (p params, err error) {
	var in humaInput
	handler, _ := newHuma(true, &in)
	if status, body := serve(handler, url); status != 200 {
		err = fmt.Errorf("%d %s", status, body)
	}
	return params{ID: in.ID, After: in.After, In: in.In}, err
}

// TestFrameworks shows that IDs bind from paths and queries, and that a bad one
// is an error that leaves the destination as it was.
func TestFrameworks(t *testing.T) {
	for _, f := range frameworks {
		t.Run(f.name, func(t *testing.T) {
			in := "?in=" + hexText + "&in=" + preset.Hex()
			if f.name == "huma" {
				in = "?in=" + hexText + "," + preset.Hex()
			}
			p, err := f.bind("/orders/" + hexText + in + "&after=" + preset.Hex())
			if err != nil || p.ID != sample || p.After != preset || len(p.In) != 2 || p.In[0] != sample || p.In[1] != preset {
				t.Errorf("bound %v, %v", p, err)
			}
			if f.name != "huma" { // which refuses to take pointers
				if p, err := f.bind("/orders/" + hexText + "?ptr=" + hexText); err != nil || p.Ptr == nil || *p.Ptr != sample {
					t.Errorf("bound %v, %v", p, err)
				}
			}
			for _, bad := range []string{"abc", hexText[1:], hexText[1:] + "g", hexText + "0", "abcdefghijkl", "ObjectId(%22" + hexText + "%22)"} {
				if p, err := f.bind("/orders/" + bad); err == nil || !p.ID.IsZero() {
					t.Errorf("%s in the path gave %v, %v", bad, p.ID, err)
				}
				if p, err := f.bind("/orders/" + hexText + "?after=" + bad); err == nil || !p.After.IsZero() {
					t.Errorf("%s in the query gave %v, %v", bad, p.After, err)
				}
				if p, err := f.bind("/orders/" + hexText + "?in=" + bad); err == nil || len(p.In) > 0 && !p.In[0].IsZero() {
					t.Errorf("%s in a list of the query gave %v, %v", bad, p.In, err)
				}
			}
		})
	}
}

// bound says in a word what f makes of an ID in the query.
func bound(f framework, query string) string {
	p, err := f.bind("/orders/" + hexText + query)
	switch {
	case err != nil:
		return "error"
	case p.After == sample:
		return "id"
	case p.After.IsZero():
		return "zero"
	default:
		return "**an ID, although no ID was sent**"
	}
}

// namesParameter reports whether f says in its error which parameter is bad.
func namesParameter(f framework) bool {
	_, err := f.bind("/orders/" + hexText + "?after=abc")
	return err != nil && strings.Contains(err.Error(), "after")
}
