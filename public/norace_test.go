//go:build !race

package public_test

const raceEnabled = false
