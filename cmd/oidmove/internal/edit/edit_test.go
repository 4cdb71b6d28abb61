package edit

import "testing"

func TestEditsThatOverlapAreAnError(t *testing.T) {
	if got, err := Apply([]byte("text"), []Edit{{Start: 0, End: 2, Text: "a"}, {Start: 1, End: 3, Text: "b"}}); err == nil {
		t.Errorf("Apply of edits that overlap = %q, want an error", got)
	}
	if got, err := Apply([]byte("text"), []Edit{{Start: 5, End: 5, Text: "a"}}); err == nil {
		t.Errorf("Apply of an edit behind the end = %q, want an error", got)
	}
}

func TestPlace(t *testing.T) {
	edits := []Edit{{Start: 0, End: 0, Text: "ab"}, {Start: 4, End: 6, Text: "c"}, {Start: 8, End: 8, Text: "\nd"}}
	for at, want := range map[int]int{0: 2, 3: 5, 4: 6, 5: 6, 6: 7, 8: 11, 9: 12} {
		if got := Place(edits, at); got != want {
			t.Errorf("Place(%d) = %d, want %d", at, got, want)
		}
	}
}
