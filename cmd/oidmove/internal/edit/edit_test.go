package edit

import (
	"math/rand/v2"
	"testing"
)

func TestComposeIsOneAfterTheOther(t *testing.T) {
	const text = "one two three four five six"
	random := rand.New(rand.NewPCG(1, 2))
	edits := func(n int) (list []Edit) {
		for at := 0; at <= n; at += 1 + random.IntN(6) {
			end := min(n, at+random.IntN(4))
			list = append(list, Edit{at, end, "ABCDEF"[:random.IntN(6)]})
			at = end
		}
		return list
	}
	for range 2000 {
		first := edits(len(text))
		middle, err := Apply([]byte(text), first)
		if err != nil {
			t.Fatal(err)
		}
		second := edits(len(middle))
		want, err := Apply(middle, second)
		if err != nil {
			t.Fatal(err)
		}
		both, err := Compose(len(text), first, second)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Apply([]byte(text), both)
		if err != nil || string(got) != string(want) {
			t.Fatalf("Apply(Compose(%v, %v)) = %q, %v, want %q", first, second, got, err, want)
		}
	}
}

func TestEditsThatOverlapAreAnError(t *testing.T) {
	if got, err := Apply([]byte("text"), []Edit{{0, 2, "a"}, {1, 3, "b"}}); err == nil {
		t.Errorf("Apply of edits that overlap = %q, want an error", got)
	}
	if got, err := Apply([]byte("text"), []Edit{{5, 5, "a"}}); err == nil {
		t.Errorf("Apply of an edit behind the end = %q, want an error", got)
	}
}

func TestPlace(t *testing.T) {
	edits := []Edit{{0, 0, "ab"}, {4, 6, "c"}, {8, 8, "\nd"}}
	for at, want := range map[int]int{0: 2, 3: 5, 4: 6, 5: 6, 6: 7, 8: 9, 9: 12} {
		if got := Place(edits, at); got != want {
			t.Errorf("Place(%d) = %d, want %d", at, got, want)
		}
	}
}
