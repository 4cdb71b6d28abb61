package gormplugin

import "gorm.io/gorm"

// Assign and Repair are the callbacks that cost every statement something.
func (p *Plugin) Assign(db *gorm.DB) { p.beforeHooks(db) }

func Repair(db *gorm.DB) { repair(db) }
