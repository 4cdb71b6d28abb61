// Package gormplugin is a GORM plugin that makes ObjectIds as primary keys, and refuses many
// conditions that can match wrong rows. The plugin makes an ID in the program, for the
// structs, maps and lists that Create inserts. The plugin also refuses most conditions that
// compare an ID column with a value that is not an ID:
//
//	type User struct {
//		ID   oid.ID
//		Name string
//	}
//
//	db.Use(gormplugin.New(gormplugin.WithModels(&User{})))
//	db.AutoMigrate(&User{})
//	db.Create(&User{Name: "Ann"}) // INSERT INTO users (id, name) VALUES (…, 'Ann')
//	db.First(&user, id)           // WHERE id = …
//	db.Delete(&User{}, 0)         // an error, and no DELETE is sent
//
// # Which fields get an ID
//
// The primary key of a model gets an ID if the key is zero. The type of the key can be oid.ID,
// oid.For[T], sqltype.Hex or sqltype.UUID. It can also be another type of 12 bytes with the
// methods Scan and Value, if Value returns these bytes or their hex digits. A pointer to one
// of these types is allowed too. The key needs no tag such as gorm:"size:12" if the model is
// passed to [WithModels]. A primary key gets no ID if it is also a foreign key or part of a
// composite key. Only the program knows the value of such a key. These tags change which
// fields get an ID:
//
//	gorm:"oid:auto" // this field of an ID type gets an ID too
//	gorm:"oid:-"    // this key gets no ID
//
// An INSERT writes the key even if Select doesn't name it. The plugin refuses a row whose
// key would be stored as zero. The error wraps an error of GORM, such as
// gorm.ErrPrimaryKeyRequired. If a key has the tag "default" and the database should make
// the key, add the tag gorm:"oid:-", or pass the key to Omit. The plugin also refuses an
// update that would set a key to zero or NULL, such as
//
//	db.Model(&user).Select("*").Updates(User{Name: "Ann"}) // Omit("ID") is missing
//
// # Conditions
//
// Without the plugin, don't pass an ID as the only condition. In db.First(&user, id) and
// db.Delete(&User{}, id), GORM expands an oid.ID into 12 numbers, one per byte. The condition
// then usually finds nothing or fails. On MySQL and MariaDB, the number 0 equals nearly every
// binary key. If one of the 12 numbers is 0, the condition can match every row on these
// servers. db.Delete can then delete every row on MariaDB, and on MySQL outside strict mode.
//
// With the plugin, if a condition compares an ID column with a value, the value must be an ID,
// with the exceptions below. Otherwise the statement returns an error and isn't sent. The ID
// may be a value of the types above, a driver.Valuer that returns an ID, a []byte of length
// 12, or 24 hex digits. The plugin sends an ID in the form that the column stores. The plugin
// doesn't change NULL, columns, subqueries and [gorm.Expr]. The plugin refuses numbers,
// booleans, and bytes or text that are not an ID. If the key of the model is an integer, the
// plugin also refuses a condition that is only an ID or 24 hex digits, such as db.First(&row,
// id). If the key is a string or a UUID, the plugin refuses such a condition only if it is an
// ID of 12 bytes, or a string of 24 hex digits. These errors wrap gorm.ErrInvalidData. If an
// ID column holds text, as a column of sqltype.Hex does, <, <=, >, >=, BETWEEN and LIKE also
// take text that is not an ID.
//
// As an argument of a condition, the zero ID is an ordinary ID. The plugin stores no zero
// primary key, so db.First(&user, id) with a zero id returns gorm.ErrRecordNotFound. A zero ID
// in a struct adds no condition, except in Where(&user, "ID"). If the only condition of an
// UPDATE or DELETE is that the key is not the zero ID, the statement would change all rows.
// The plugin refuses the statement with an error that wraps gorm.ErrPrimaryKeyRequired.
//
// The plugin refuses an oid.For[User] if the column holds an oid.For[Team]. A plain oid.ID
// fits every column. If an ID is the only argument of a condition, as in db.First(&team,
// user.ID), GORM drops its type. The plugin then can't refuse it.
//
// The plugin doesn't parse SQL. The plugin checks a condition in text only if the whole text
// is one comparison: a column of the model or of a related table, an operator, and
// placeholders or named arguments. Examples are "id = ?", "users.id IN (?, ?)" and "id BETWEEN
// @a AND @b". The plugin also checks several columns in brackets, such as "(a, b) IN ?". The
// plugin doesn't check Raw, Exec, the text of Joins, longer text, "id LIKE ?", "id+0 = ?",
// expressions as arguments, pointers to conditions, columns of tables in another database, or
// columns of a quoted table alias.
//
// GORM runs a lone string as SQL, unless the string is an integer. With the plugin, 24 hex
// digits are an ID, or an error if the key holds no IDs. If text comes from a request,
// db.First(&user, text) therefore allows SQL injection. Parse the text first, and pass the ID.
// The plugin refuses any other string without a placeholder only if the key holds IDs, and the
// string is "true" or looks like numbers, such as "1+1".
//
// The plugin also checks the values that Update, maps and ON CONFLICT store in an ID column.
// The plugin refuses to store numbers, booleans, bytes or text that are not an ID, and a zero
// ID for a primary key.
//
// GORM drops some arguments before a plugin sees them. As the only argument, an empty
// list, nil, "", a zero struct or an empty map adds no condition. A lone nil *oid.ID makes
// GORM panic. Pass a list that can be empty as IDs(list...), with the function [IDs].
//
// # Upserts
//
// After a Create with ON CONFLICT or INSERT IGNORE, each struct holds the ID of its stored
// row, or the zero ID. If the INSERT merged the struct into an older row, the struct gets the
// ID of the older row. If the INSERT skipped the row, or if the plugin can't find the older
// row, the ID of the struct becomes zero, unless a row with this ID is stored. The plugin then
// refuses rows that would refer to this key. Other fields change only to what the INSERT
// returns, and a composite key doesn't change. If the INSERT doesn't return every ID, the
// plugin may send a SELECT after it. For merged rows, it may send one more, or several if
// there are hundreds of rows.
//
// If the database makes the key but can't return it, the struct can have a zero ID. MySQL is
// such a database. A Create that would also store rows that refer to this key returns an
// error. On MySQL and MariaDB, Save doesn't overwrite another row that has the same value in
// a unique column, and returns an error that wraps gorm.ErrDuplicatedKey. But if you save a
// parent whose has-many row has a unique value that is already stored, the server moves the
// stored row to this parent.
//
// A Create may save rows of a many-to-many relation, such as the tags of a post. If a tag with
// the same unique name is already stored, the new tag gets the ID of the stored tag. The post
// is then joined to the stored tag. If the plugin can't find the stored tag, Create returns an
// error. For example, the transaction can't see the tag, or the model doesn't declare the
// unique index.
//
// # Foreign keys
//
// Declare a foreign key with the type of the key that it refers to. If a foreign key of 12
// bytes can be NULL, declare it as a sqltype.ZeroNull or a sqltype.ZeroNullFor. A foreign key
// that is a zero oid.ID is stored as 12 zero bytes, and the plugin returns no error. The
// database refuses the row if it enforces a FOREIGN KEY constraint, or if the column has the
// type objectid. Create, Update and Preload return an error if a relation of the model keeps
// IDs of 12 bytes in a string, such as a polymorphic OwnerID. The model that has the OwnerID
// isn't checked. If a relation has a composite key of pointers, and one of the pointers is
// nil, GORM panics when it preloads the relation.
//
// GORM v1.31 leaves an old ID in a nullable field of a struct in three cases. With
// [WithModels], the plugin clears the field in these cases. The first case is
// Association.Delete of a to-one relation, which sets the column of a *oid.ID to NULL. The
// second case is a query that reads NULL into a struct that holds an older row. The third case
// is db.Model(&row).Select("*").Updates(Row{}), where the field of the new Row is nil.
//
// # Order
//
// Without [WithAfterHooks], the plugin assigns IDs before GORM calls the hooks BeforeSave and
// BeforeCreate, so the hooks see the IDs. A hook that sets the ID only if the ID is zero has
// no effect. A hook that inserts a copy of its row would insert the same ID twice: use
// WithAfterHooks. The new keys of one statement are consecutive IDs, in the order of the rows.
//
// # Limits
//
// A statement without a model, such as db.Table("users").Create(map), tells the plugin
// nothing about the key. The plugin then makes no ID. If the key column has no default,
// the database stores NULL or zeros as the key, or returns an error. The plugin doesn't
// check the conditions of a statement without a model.
//
// GORM treats a variable of type oid.ID as a list, and can't read an ID into the variable.
// Read the ID into a slice or a struct, or call Row().Scan. With a model, reading an ID of 12
// bytes into a string field or a []string is an error. The plugin doesn't recognize an ID that
// Select("*") or an expression such as "id AS user_id" selects, and doesn't see the variables
// that Scan and Rows read into. In these cases, a string gets the 12 raw bytes.
package gormplugin
