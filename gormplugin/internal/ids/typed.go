package ids

import (
	"fmt"
	"path"
	"reflect"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/schema"
)

// modelOf returns the T of a type such as oid.For[T], which says whose IDs its values are. It
// is "" for a type that doesn't. Every generic type of IDs in oidkit has one such T.
func modelOf(t reflect.Type) string {
	if t == nil || t == idType || !strings.HasPrefix(t.PkgPath(), "github.com/oidkit/oidkit/") {
		return ""
	}
	_, model, _ := strings.Cut(strings.TrimSuffix(t.Name(), "]"), "[")
	return model
}

// differ reports whether both types say whose IDs they hold, and don't say the same.
func differ(a, b reflect.Type) bool {
	return modelOf(a) != "" && modelOf(b) != "" && modelOf(a) != modelOf(b)
}

// misfit returns an error if t says that it is the ID of another model than the column of
// field holds.
func misfit(field *schema.Field, t reflect.Type) error {
	if own := typeOf(field); differ(t, own) {
		return fmt.Errorf("%s holds IDs of %s, got %s: to allow this, convert the ID with oid.ID(x): %w",
			field.DBName, short(modelOf(own)), typeName(t), gorm.ErrInvalidData)
	}
	return nil
}

// Differ reports whether both fields say whose IDs they hold, and don't say the same.
func Differ(a, b *schema.Field) bool { return differ(typeOf(a), typeOf(b)) }

// TypeName returns the name of the type whose IDs field holds, such as oid.For[User].
func TypeName(field *schema.Field) string { return typeName(typeOf(field)) }

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
