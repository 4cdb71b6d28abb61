package public_test

import (
	"bytes"
	"database/sql"
	"database/sql/driver"
	"encoding"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	htmltemplate "html/template"
	"log/slog"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"text/template"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/public"
)

var orderForm = public.Must(public.Sealed("ord", []byte("0123456789abcdef0123456789abcdef")))

type (
	Order struct {
		ID   OrderID `json:"id"`
		Note string  `json:"note"`
	}
	OrderID = public.ID[Order]
)

func (Order) IDForm() *public.Form { return orderForm }

const orderText = "ord_6gj58nyjar56vf5y205p9xf0ej"

var order = Order{OrderID(sample), "x"}

// The interfaces of the standard library.
var (
	_ encoding.TextAppender      = OrderID{}
	_ encoding.TextMarshaler     = OrderID{}
	_ encoding.TextUnmarshaler   = (*OrderID)(nil)
	_ encoding.BinaryMarshaler   = OrderID{}
	_ encoding.BinaryUnmarshaler = (*OrderID)(nil)
	_ json.Marshaler             = OrderID{}
	_ json.Unmarshaler           = (*OrderID)(nil)
	_ fmt.Formatter              = OrderID{}
	_ fmt.Stringer               = OrderID{}
	_ driver.Valuer              = OrderID{}
	_ sql.Scanner                = (*OrderID)(nil)
	_ public.Former              = Order{}
)

// plain is what must not show: the bytes of the ID, as text, hex digits or numbers.
func plain() []string {
	numbers := strings.Trim(fmt.Sprint(sample[:4]), "[]")
	return []string{string(sample[:4]), sample.Hex()[:8], strings.ToUpper(sample.Hex()[:8]), numbers, strings.ReplaceAll(numbers, " ", ","), "0x65, 0xb3"}
}

// showsOnlyForm fails the test if got doesn't show the form, or shows the ID.
func showsOnlyForm(t *testing.T, name, got string) {
	t.Helper()
	if !strings.Contains(got, orderText) {
		t.Errorf("%s doesn't show the form: %q", name, got)
	}
	for _, part := range plain() {
		if strings.Contains(got, part) {
			t.Errorf("%s shows the ID: %q", name, got)
		}
	}
}

func TestOutsideShowsOnlyTheForm(t *testing.T) {
	must := func(b []byte, err error) string {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
		return string(b)
	}
	for name, got := range map[string]string{
		"String":        order.ID.String(),
		"MarshalText":   must(order.ID.MarshalText()),
		"AppendText":    must(order.ID.AppendText([]byte{})),
		"MarshalBinary": must(order.ID.MarshalBinary()),
	} {
		if got != orderText {
			t.Errorf("%s = %q, want %s", name, got, orderText)
		}
	}
	if got := must(order.ID.AppendText([]byte("/orders/"))); got != "/orders/"+orderText {
		t.Errorf("AppendText = %q", got)
	}
	id := order.ID
	for name, tt := range map[string]struct {
		v    any
		want string
	}{
		"value":   {order, `{"id":"` + orderText + `","note":"x"}`},
		"pointer": {&id, `"` + orderText + `"`},
		"list":    {[]OrderID{id}, `["` + orderText + `"]`},
		"map":     {map[OrderID]int{id: 1}, `{"` + orderText + `":1}`},
		"any":     {map[string]any{"id": id}, `{"id":"` + orderText + `"}`},
	} {
		if got := must(json.Marshal(tt.v)); got != tt.want {
			t.Errorf("%s: json.Marshal = %s, want %s", name, got, tt.want)
		}
	}
	var b bytes.Buffer
	b.WriteString(must(xml.Marshal(struct {
		XMLName xml.Name `xml:"order"`
		ID      OrderID  `xml:"id,attr"`
	}{ID: id})))
	showsOnlyForm(t, "xml", b.String())
	b.Reset()
	if err := gob.NewEncoder(&b).Encode(order); err != nil {
		t.Error(err)
	}
	showsOnlyForm(t, "gob", b.String())
	for name, handler := range map[string]func() slog.Handler{
		"slog.TextHandler": func() slog.Handler { return slog.NewTextHandler(&b, nil) },
		"slog.JSONHandler": func() slog.Handler { return slog.NewJSONHandler(&b, nil) },
	} {
		b.Reset()
		slog.New(handler()).Info("paid", "id", id, "order", order, "list", []OrderID{id})
		showsOnlyForm(t, name, b.String())
	}
	for _, source := range []string{"{{.ID}}", "{{.}}", `{{printf "%d" .ID}}`, `{{print .ID}}`, "{{range .List}}{{.}}{{end}}"} {
		data := struct {
			ID   OrderID
			List []OrderID
		}{id, []OrderID{id}}
		b.Reset()
		if err := template.Must(template.New("").Parse(source)).Execute(&b, data); err != nil {
			t.Error(err)
		}
		showsOnlyForm(t, "text/template "+source, b.String())
		b.Reset()
		page := `<a href="/orders/` + source + `" title="` + source + `">` + source + `</a><script>var id = ` + source + `</script>`
		if err := htmltemplate.Must(htmltemplate.New("").Parse(page)).Execute(&b, data); err != nil {
			t.Error(err)
		}
		showsOnlyForm(t, "html/template "+source, b.String())
	}
}

func TestEveryVerbShowsTheForm(t *testing.T) {
	for _, verb := range "vsqxXdboOcUteEfFgG" {
		for _, flags := range []string{"", "+", "#", "-", " ", "0", "40", "-40", "+#", "040"} {
			format := "%" + flags + string(verb)
			for name, v := range map[string]any{"ID": order.ID, "pointer": &order.ID, "struct": order, "list": []OrderID{order.ID}, "map": map[OrderID]int{order.ID: 1}} {
				showsOnlyForm(t, fmt.Sprintf("Sprintf(%q, %s)", format, name), fmt.Sprintf(format, v))
			}
		}
	}
	for format, want := range map[string]string{
		"%v": orderText, "%s": orderText, "%d": orderText, "%x": orderText, "%#v": orderText, "%+v": orderText,
		"%q": `"` + orderText + `"`, "%#q": "`" + orderText + "`", "%33s|": "   " + orderText + "|", "%-33v|": orderText + "   |", "%.3s": "ord",
	} {
		if got := fmt.Sprintf(format, order.ID); got != want {
			t.Errorf("Sprintf(%q) = %q, want %q", format, got, want)
		}
	}
	showsOnlyForm(t, "an argument without a verb", fmt.Sprintf(strings.Repeat("x", 1), []any{order.ID}...))
	showsOnlyForm(t, "Errorf", fmt.Errorf("no order %v", order.ID).Error())
}

// docs/public-ids.md says so, because package fmt asks no method here.
func TestFmtShowsTheBytesOfFieldsThatItCantCall(t *testing.T) {
	if got, want := fmt.Sprintf("%v", struct{ id OrderID }{order.ID}), fmt.Sprintf("{%v}", [12]byte(sample)); got != want {
		t.Errorf("a field whose name is lower-case: %s, want %s", got, want)
	}
	for _, verb := range []string{"p", "w"} {
		if got := fmt.Errorf("%"+verb, order.ID).Error(); !strings.Contains(got, fmt.Sprint([12]byte(sample))) {
			t.Errorf("%%%s: %s", verb, got)
		}
	}
}

func TestInputIsTheForm(t *testing.T) {
	var buf bytes.Buffer
	if err := gob.NewEncoder(&buf).Encode(order); err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func(id *OrderID) error{
		"UnmarshalText":   func(id *OrderID) error { return id.UnmarshalText([]byte(orderText)) },
		"UnmarshalBinary": func(id *OrderID) error { return id.UnmarshalBinary([]byte(orderText)) },
		"UnmarshalParam":  func(id *OrderID) error { return id.UnmarshalParam(orderText) },
		"UnmarshalJSON":   func(id *OrderID) error { return id.UnmarshalJSON([]byte(`"` + orderText + `"`)) },
		"json":            func(id *OrderID) error { return json.Unmarshal([]byte(` "`+orderText+`" `), id) },
		"json escapes":    func(id *OrderID) error { return json.Unmarshal([]byte(`"\u006frd\u005f`+orderText[4:]+`"`), id) },
		"json map": func(id *OrderID) error {
			var m map[OrderID]int
			err := json.Unmarshal([]byte(`{"`+orderText+`":1}`), &m)
			for key := range m {
				*id = key
			}
			return err
		},
		"gob": func(id *OrderID) error {
			var got Order
			err := gob.NewDecoder(&buf).Decode(&got)
			*id = got.ID
			return err
		},
	} {
		id := OrderID{1}
		if err := read(&id); err != nil || id != order.ID {
			t.Errorf("%s: %v, %v", name, id, err)
		}
	}
}

func TestBadInputChangesNothing(t *testing.T) {
	bad := []string{"ord_", "usr" + orderText[3:], orderText[:29], orderText + "0", orderText[:29] + "k", sample.Hex(), string(sample[:]), " " + orderText, strings.ToUpper(orderText)}
	for _, text := range bad {
		for name, read := range map[string]func(id *OrderID) error{
			"UnmarshalText":   func(id *OrderID) error { return id.UnmarshalText([]byte(text)) },
			"UnmarshalBinary": func(id *OrderID) error { return id.UnmarshalBinary([]byte(text)) },
			"UnmarshalParam":  func(id *OrderID) error { return id.UnmarshalParam(text) },
			"UnmarshalJSON":   func(id *OrderID) error { return id.UnmarshalJSON([]byte(`"` + text + `"`)) },
		} {
			id := OrderID{1}
			err := read(&id)
			if err == nil || id != (OrderID{1}) {
				t.Fatalf("%s(%q) = %v, %x", name, text, err, id[:])
			}
			problem(t, err)
		}
	}
	for _, data := range []string{
		`1`, `true`, `[]`, `{}`, `{"$oid":"` + sample.Hex() + `"}`, `["` + orderText + `"]`, orderText, `"` + orderText, `"` + orderText + `" 1`, ``, ` `,
		`"` + orderText + `\n"`, `"\ud800` + orderText[1:] + `"`,
	} {
		id := OrderID{1}
		if err := id.UnmarshalJSON([]byte(data)); err == nil || id != (OrderID{1}) {
			t.Errorf("UnmarshalJSON(%q) = %v, %x", data, err, id[:])
		} else {
			problem(t, err)
		}
	}
	if err := new(OrderID).UnmarshalJSON([]byte("17")); err.Error() != `public.ID.UnmarshalJSON("17"): want a JSON string` {
		t.Errorf("UnmarshalJSON(17): %v", err)
	}
	if err := new(OrderID).UnmarshalText([]byte("usr_1")); err.Error() != `public.Form.Parse("usr_1"): want an ID that starts with ord_` {
		t.Errorf("UnmarshalText(usr_1): %v", err)
	}
}

func TestZeroIDIsEmptyOutside(t *testing.T) {
	var zero OrderID
	if !zero.IsZero() || order.ID.IsZero() {
		t.Error("IsZero")
	}
	if got := zero.String() + fmt.Sprintf("%v%s%d", zero, zero, zero); got != "" {
		t.Errorf("the zero ID shows %q", got)
	}
	text, err := zero.MarshalText()
	if len(text) != 0 || err != nil {
		t.Errorf("MarshalText = %q, %v", text, err)
	}
	data, err := json.Marshal(struct {
		A OrderID
		B *OrderID
		C OrderID `json:",omitzero"`
	}{})
	if string(data) != `{"A":"","B":null}` || err != nil {
		t.Errorf("json.Marshal = %s, %v", data, err)
	}
	for name, read := range map[string]func(id *OrderID) error{
		"UnmarshalText":   func(id *OrderID) error { return id.UnmarshalText(nil) },
		"UnmarshalBinary": func(id *OrderID) error { return id.UnmarshalBinary(nil) },
		"UnmarshalJSON":   func(id *OrderID) error { return id.UnmarshalJSON([]byte(`""`)) },
	} {
		id := order.ID
		if err := read(&id); err != nil || !id.IsZero() {
			t.Errorf("%s of an empty text: %v, %v", name, id, err)
		}
	}
	var buf bytes.Buffer
	if err := gob.NewEncoder(&buf).Encode(struct{ A, B OrderID }{B: order.ID}); err != nil {
		t.Error(err)
	}
	var got struct{ A, B OrderID }
	if err := gob.NewDecoder(&buf).Decode(&got); err != nil || got.B != order.ID || !got.A.IsZero() {
		t.Errorf("gob gives %v, %v", got, err)
	}
	id := order.ID
	if err := id.UnmarshalJSON([]byte("null")); err != nil || id != order.ID {
		t.Errorf("UnmarshalJSON(null): %v, %v", id, err)
	}
	if err := id.UnmarshalParam(""); err == nil || id != order.ID {
		t.Errorf("UnmarshalParam of an empty text: %v, %v", id, err)
	} else {
		problem(t, err)
	}
	if err := id.UnmarshalText([]byte(slowSeal(t, "ord", []byte("0123456789abcdef0123456789abcdef"), [16]byte{}))); err == nil {
		t.Error("the sealed text of the zero ID is read")
	}
}

// Types without a form.
type (
	behindPointer struct{}
	withoutForm   struct{ ID public.ID[withoutForm] }
	withZeroForm  struct{}
	embedsPointer struct{ *Order }
	embedsFormer  struct{ public.Former }
	panics        struct{}
)

func (*behindPointer) IDForm() *public.Form { return orderForm }
func (withoutForm) IDForm() *public.Form    { return nil }
func (withZeroForm) IDForm() *public.Form   { return new(public.Form) }
func (panics) IDForm() *public.Form         { panic("no key yet") }

func TestTypesWithoutAFormAreErrors(t *testing.T) {
	const none = "IDForm returns no form, or the type is a pointer or an interface: use a struct whose IDForm returns a form of public.Sealed or public.Prefixed"
	formless[*behindPointer](t, "*public_test.behindPointer", none)
	formless[*Order](t, "*public_test.Order", none)
	formless[public.Former](t, "public.Former", none)
	formless[withoutForm](t, "public_test.withoutForm", none)
	formless[withZeroForm](t, "public_test.withZeroForm", none)
	const null = "IDForm panics on the zero value of the type: runtime error: invalid memory address or nil pointer dereference"
	formless[embedsPointer](t, "public_test.embedsPointer", null)
	formless[embedsFormer](t, "public_test.embedsFormer", null)
	formless[panics](t, "public_test.panics", "IDForm panics on the zero value of the type: no key yet")
}

func formless[T public.Former](t *testing.T, name, reason string) {
	id, want := public.ID[T](sample), "public.ID["+name+"]: "+reason
	marshal := func(marshal func() ([]byte, error)) error {
		b, err := marshal()
		for _, part := range plain() {
			if bytes.Contains(b, []byte(part)) {
				t.Errorf("%s shows the ID: %q", name, b)
			}
		}
		return err
	}
	for method, err := range map[string]error{
		"MarshalText":     marshal(id.MarshalText),
		"MarshalBinary":   marshal(id.MarshalBinary),
		"MarshalJSON":     marshal(id.MarshalJSON),
		"AppendText":      marshal(func() ([]byte, error) { return id.AppendText(nil) }),
		"json.Marshal":    errors.Unwrap(func() error { _, err := json.Marshal(id); return err }()),
		"UnmarshalText":   id.UnmarshalText([]byte(orderText)),
		"UnmarshalText''": id.UnmarshalText(nil),
		"UnmarshalBinary": id.UnmarshalBinary([]byte(orderText)),
		"UnmarshalParam":  id.UnmarshalParam(orderText),
		"UnmarshalJSON":   id.UnmarshalJSON([]byte(`"` + orderText + `"`)),
	} {
		if err == nil || err.Error() != want || errors.Is(err, oid.ErrSyntax) {
			t.Errorf("%s.%s: %v, want %s", name, method, err, want)
		}
	}
	if got := id.String() + fmt.Sprintf("%v%d%x", id, id, id); got != "" || oid.ID(id) != sample {
		t.Errorf("%s: %q, %x", name, got, id[:])
	}
	if value, err := id.Value(); err != nil || string(value.([]byte)) != string(sample[:]) {
		t.Errorf("%s.Value = %v, %v", name, value, err)
	}
}

// A form can change while the program runs.
type rotated struct{}

var rotatedForm atomic.Pointer[public.Form]

func (rotated) IDForm() *public.Form { return rotatedForm.Load() }

func TestFormCanChangeAtRunTime(t *testing.T) {
	id := public.ID[rotated](sample)
	if _, err := id.MarshalText(); err == nil {
		t.Error("no error before the form is there")
	}
	rotatedForm.Store(sealed("ord", key(1)))
	before := id.String()
	rotatedForm.Store(sealed("ord", key(2), key(1)))
	if after := id.String(); after == before || after != sealed("ord", key(2)).Text(sample) {
		t.Errorf("String = %s before and %s after", before, after)
	}
	var got public.ID[rotated]
	if err := got.UnmarshalText([]byte(before)); err != nil || got != id {
		t.Errorf("UnmarshalText = %v, %v", got, err)
	}
}

// Inside, each method does what the method of oid.ID does.
func TestInsideIsAnOidID(t *testing.T) {
	id := order.ID
	value, err := id.Value()
	if got, ok := value.([]byte); !ok || string(got) != string(sample[:]) || err != nil {
		t.Errorf("Value = %v, %v", value, err)
	}
	b, err := id.BytesValue()
	if string(b) != string(sample[:]) || err != nil {
		t.Errorf("BytesValue = %v, %v", b, err)
	}
	typ, data, err := id.MarshalBSONValue()
	if typ != 7 || string(data) != string(sample[:]) || err != nil {
		t.Errorf("MarshalBSONValue = %v, %v, %v", typ, data, err)
	}
	key, err := id.MarshalKey()
	if key != sample.Hex() || err != nil {
		t.Errorf("MarshalKey = %v, %v", key, err)
	}
	if _, err := id.ProxyBSON(); err == nil || !strings.Contains(err.Error(), "mongov1") {
		t.Errorf("ProxyBSON without mongov1: %v", err)
	}
	for name, read := range map[string]func(id *OrderID) error{
		"Scan":               func(id *OrderID) error { return id.Scan(sample[:]) },
		"Scan of hex":        func(id *OrderID) error { return id.Scan(sample.Hex()) },
		"ScanBytes":          func(id *OrderID) error { return id.ScanBytes(sample[:]) },
		"UnmarshalBSONValue": func(id *OrderID) error { return id.UnmarshalBSONValue(7, sample[:]) },
		"UnmarshalKey":       func(id *OrderID) error { return id.UnmarshalKey(sample.Hex()) },
	} {
		var got OrderID
		if err := read(&got); err != nil || got != id {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for name, read := range map[string]func(id *OrderID) error{
		"Scan of the form":         func(id *OrderID) error { return id.Scan(orderText) },
		"Scan of NULL":             func(id *OrderID) error { return id.Scan(nil) },
		"ScanBytes of the form":    func(id *OrderID) error { return id.ScanBytes([]byte(orderText)) },
		"UnmarshalKey of the form": func(id *OrderID) error { return id.UnmarshalKey(orderText) },
	} {
		got := id
		if err := read(&got); !errors.Is(err, oid.ErrSyntax) || got != id {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// What an ID doesn't have, so that nobody shows the plain ID by accident.
func TestNoMethodLooksInside(t *testing.T) {
	for _, name := range []string{"Hex", "Timestamp", "Compare", "Next", "Prev", "MarshalBSON"} {
		if _, ok := reflect.TypeFor[*OrderID]().MethodByName(name); ok {
			t.Errorf("public.ID has the method %s", name)
		}
	}
}
