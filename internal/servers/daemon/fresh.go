package daemon

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Fresh puts the data of a new server of a version into the folder data of f. To make it takes
// a second or more. So the function make makes it only once per version and user, in data. A
// copy is kept in the user's cache.
func (f *Folder) Fresh(data, version string, make func() error) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return make()
	}
	name := strings.Trim(regexp.MustCompile(`[^\w.+-]+`).ReplaceAllString(version, "-"), "-")
	kept := filepath.Join(cache, "oidkit", name+"-data")
	if made, err := keep(kept, data, make); made || err != nil {
		return err
	}
	return errors.Join(os.CopyFS(data, os.DirFS(kept)), os.Chmod(data, 0o700), f.lend(data))
}

// keep calls make and copies data to kept, if that doesn't exist. A process that ends meanwhile
// leaves no half of a copy there.
func keep(kept, data string, make func() error) (made bool, err error) {
	unlock, err := Lock("data")
	if err != nil {
		return false, err
	}
	defer unlock()
	if _, err := os.Stat(kept); err == nil {
		return false, nil
	}
	if err := make(); err != nil {
		return false, err
	}
	half := kept + ".half"
	if err := errors.Join(os.RemoveAll(half), os.CopyFS(half, os.DirFS(data))); err != nil {
		return false, err
	}
	return true, os.Rename(half, kept)
}

// lend gives all files below path to the user of f.
func (f *Folder) lend(path string) error {
	if f.owner == nil {
		return nil
	}
	return filepath.WalkDir(path, func(file string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chown(file, int(f.owner.uid), int(f.owner.gid)))
	})
}
