// Package examples has one program per task, each in a folder of its own. The programs
// import no internal package, so you can copy a folder into your module and build it
// there.
//
// To start a program, run for example go run ./examples/quickstart. These programs need
// only Go:
//
//	quickstart   imports a CSV file through GORM, and finds rows by their creation time
//	service      a service with net/http and GORM, with invoice numbers without gaps
//	gorm         a small shop on GORM, with SQLite, PostgreSQL, MySQL or MariaDB
//	pages        lists rows over HTTP, with the ID as the cursor in the URL
//	routers      reads an ID from the path with chi, gin and echo
//	fixedids     a test with fixed IDs and a golden file
//	httpapi      an HTTP service with OpenAPI, pages of a list, clear errors and a web page
//	scan         exports, follows and empties a large table
//	sequence     orders and invoices with running numbers
//	follow       follows new rows in commit order, by a position
//	retry        stores orders once, although answers of the database get lost
//
// These programs need a server, whose address you pass in a flag:
//
//	mongo        a REST API over MongoDB
//	pgx          partitions, ranges and lists of IDs on PostgreSQL
//	sqlc         an HTTP service with pgx and code that sqlc generates
//	rekey        replaces integer and UUID keys of PostgreSQL tables, with a rollback
//	migrate      moves collections of MongoDB to SQL, and back
//
// For example, Docker starts the servers:
//
//	docker run -p 27017:27017 mongo
//	docker run -p 5432:5432 -e POSTGRES_PASSWORD=secret postgres
//	docker run -p 3306:3306 -e MYSQL_ROOT_PASSWORD=secret -e MYSQL_DATABASE=shop mysql
//
// The flags for these servers are:
//
//	-uri mongodb://localhost:27017
//	-dsn postgres://postgres:secret@localhost/postgres
//	-mysql 'root:secret@tcp(localhost:3306)/shop?parseTime=true'
package examples
