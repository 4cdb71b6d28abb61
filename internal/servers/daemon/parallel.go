package daemon

import (
	"flag"
	"strconv"
)

// AtOnce lets n parallel tests run at once, also on machines with fewer processors. Tests
// of servers mostly wait. Call it at the beginning of TestMain. The flag -parallel of go
// test wins, and so do more than n processors.
func AtOnce(n int) {
	if !flag.Parsed() {
		flag.Parse()
	}
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	f := flag.Lookup("test.parallel")
	if processors, err := strconv.Atoi(f.Value.String()); !given && err == nil && processors < n {
		flag.Set("test.parallel", strconv.Itoa(n))
	}
}
