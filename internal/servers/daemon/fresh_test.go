package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestDataIsMadeOncePerVersion(t *testing.T) {
	cache := t.TempDir()
	for _, variable := range []string{"XDG_CACHE_HOME", "HOME"} { // macOS has no XDG_CACHE_HOME
		t.Setenv(variable, cache)
	}
	made := 0
	fresh := func(version string, fails error) (text string, err error) {
		t.Helper()
		f := &Folder{Path: t.TempDir()}
		data := filepath.Join(f.Path, "data")
		err = f.Fresh(data, version, func() error {
			made++
			return errors.Join(fails, os.MkdirAll(filepath.Join(data, "empty"), 0o700), os.WriteFile(filepath.Join(data, "file"), []byte(version), 0o600))
		})
		if err != nil {
			return "", err
		}
		if info, err := os.Stat(data); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("the folder is %v, %v: PostgreSQL wants 0700", info, err)
		}
		if _, err := os.Stat(filepath.Join(data, "empty")); err != nil {
			t.Error(err)
		}
		got, err := os.ReadFile(filepath.Join(data, "file"))
		return string(got), err
	}
	broken := errors.New("no space")
	if _, err := fresh("a 1 (x/y)", broken); !errors.Is(err, broken) {
		t.Errorf("Fresh = %v, want %v", err, broken)
	}
	for _, version := range []string{"a 1 (x/y)", "a 2", "a 1 (x/y)", "a 2"} {
		if got, err := fresh(version, nil); err != nil || got != version {
			t.Errorf("the data of %s is %q, %v", version, got, err)
		}
	}
	if made != 3 {
		t.Errorf("made %d times, want 3: one failed, and each version once", made)
	}
}
