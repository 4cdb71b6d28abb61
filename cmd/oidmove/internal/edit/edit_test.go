package edit

import "testing"

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
	for at, want := range map[int]int{0: 2, 3: 5, 4: 6, 5: 6, 6: 7, 8: 11, 9: 12} {
		if got := Place(edits, at); got != want {
			t.Errorf("Place(%d) = %d, want %d", at, got, want)
		}
	}
}
