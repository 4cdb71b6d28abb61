//go:build race

package public_test

const raceEnabled = true
