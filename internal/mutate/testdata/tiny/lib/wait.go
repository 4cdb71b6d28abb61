package lib

import "time"

const wait = 4 * time.Second

var limit = wait
