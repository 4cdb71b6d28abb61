module github.com/oidkit/oidkit/gormplugin

go 1.25.0

require (
	github.com/oidkit/oidkit v0.1.0-rc.1
	gorm.io/gorm v1.31.0
)

require (
	github.com/jinzhu/inflection v1.0.0 // indirect
	github.com/jinzhu/now v1.1.5 // indirect
	golang.org/x/text v0.20.0 // indirect
)
