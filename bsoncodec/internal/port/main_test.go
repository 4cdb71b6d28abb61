package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The folder bsoncodec. All that this test reads is below it, and so a change to any
// of the files makes go test run it again.
const dir = "../.."

// needMongov1 skips the test where somebody has only the module bsoncodec.
func needMongov1(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, "mongov1")); errors.Is(err, fs.ErrNotExist) {
		t.Skip("mongov1 is another module, and is not here")
	}
}

func TestPortedFilesAreUpToDate(t *testing.T) {
	needMongov1(t)
	for _, file := range files {
		want, err := port(dir, file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(dir, "mongov1", file))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")), want) {
			t.Errorf("mongov1/%s is not what go generate makes of %s: run it in the folder bsoncodec", file, file)
		}
	}
}

// A file that is no longer in the list must not go on to look generated.
func TestNoOtherFileIsMarkedAsPorted(t *testing.T) {
	needMongov1(t)
	root := filepath.Join(dir, "mongov1")
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(filepath.Join(root, path))
		if err == nil && strings.HasPrefix(string(text), "// Code generated") && !slices.Contains(files, path) {
			t.Errorf("mongov1/%s says that it is generated, but is not in the list of files", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
