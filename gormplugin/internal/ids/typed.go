package ids

import (
	"errors"
	"fmt"
	"path"
	"reflect"
	"strings"

	"gorm.io/gorm/schema"
)

// ErrOther says that a value is the ID of another model than the column holds.
var ErrOther = errors.New("IDs of another model")

// An other is the error of an ID of another model.
type other struct{ text string }

func (o other) Error() string        { return o.text }
func (o other) Is(target error) bool { return target == ErrOther }

// modelOf returns the T of a type such as oid.For[T], which says whose IDs its values are. It
// is "" for a type that doesn't. Every generic type of IDs in oidkit has one such T.
func modelOf(t reflect.Type) string {
	if t == nil || t == idType || !strings.HasPrefix(t.PkgPath(), "github.com/oidkit/oidkit/") {
		return ""
	}
	_, model, _ := strings.Cut(strings.TrimSuffix(t.Name(), "]"), "[")
	return model
}

// misfit returns an error if the type of value says that it is the ID of another model than
// the column of field holds.
func misfit(field *schema.Field, value reflect.Value) error {
	own := modelOf(typeOf(field))
	if own == "" {
		return nil
	}
	for value.Kind() == reflect.Pointer || value.Kind() == reflect.Interface {
		value = value.Elem()
	}
	if !value.IsValid() {
		return nil
	}
	t := TypeIn(value.Type())
	if model := modelOf(t); model != "" && model != own {
		return other{fmt.Sprintf("%s holds IDs of %s: got %s; convert it with oid.ID(x) if you mean it", field.DBName, short(own), typeName(t))}
	}
	return nil
}

// Misfit reports whether a foreign key says that it holds IDs of another model than the key
// to which it refers. Whose and held name the two types.
func Misfit(foreign, key *schema.Field) (whose, held string, ok bool) {
	if !IsColumn(foreign) || !IsColumn(key) {
		return "", "", false
	}
	f, k := typeOf(foreign), typeOf(key)
	if modelOf(f) == "" || modelOf(k) == "" || modelOf(f) == modelOf(k) {
		return "", "", false
	}
	return typeName(k), typeName(f), true
}

// typeName returns the name of t without the paths of packages, such as oid.For[User].
func typeName(t reflect.Type) string {
	generic, _, _ := strings.Cut(t.String(), "[")
	return generic + "[" + short(modelOf(t)) + "]"
}

// short returns the name of a type without its package.
func short(model string) string {
	model, _, _ = strings.Cut(model, "[")
	name, _, _ := strings.Cut(path.Base(model), "\u00b7") // of a type in a function
	return name[strings.LastIndexByte(name, '.')+1:]
}
