// Names prints the column that GORM gives each field that is named as an argument.
package main

import (
	"fmt"
	"os"

	"gorm.io/gorm/schema"
)

func main() {
	for _, field := range os.Args[1:] {
		fmt.Println(schema.NamingStrategy{}.ColumnName("", field))
	}
}
