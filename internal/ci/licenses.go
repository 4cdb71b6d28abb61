package main

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The words by which a license is known.
var licenses = []struct {
	words *regexp.Regexp
	name  string
}{
	{regexp.MustCompile(`Permission is hereby granted, free of charge, to any person`), "MIT"},
	{regexp.MustCompile(`Permission to use, copy, modify, and/or distribute this software`), "ISC"},
	{regexp.MustCompile(`Apache License,? Version 2\.0`), "Apache-2.0"},
	{regexp.MustCompile(`Redistribution and use in source and binary forms`), "BSD"},
	{regexp.MustCompile(`GENERAL PUBLIC LICENSE`), "GPL"},
}

// compareLicenses compares modules and their licenses with the lines of a file. Each line of
// in has a module's path and folder. It fails if they differ. Review a difference before you
// write it into the file.
func compareLicenses(w io.Writer, file string, in io.Reader) error {
	found := map[string]bool{}
	for lines := bufio.NewScanner(in); lines.Scan(); {
		module, dir, ok := strings.Cut(lines.Text(), " ")
		if !ok || module == home || strings.HasPrefix(module, home+"/") {
			continue
		}
		names, err := licensesIn(dir)
		if err != nil {
			return err
		}
		found[module+" "+names] = true
	}
	if len(found) == 0 {
		return fmt.Errorf("the input has no module")
	}
	listed := map[string]bool{}
	err := fields(file, func(f []string) error {
		listed[strings.Join(f, " ")] = true
		return nil
	})
	if err != nil {
		return err
	}
	if maps.Equal(found, listed) {
		fmt.Fprintf(w, "as listed in %s\n", file)
		return nil
	}
	for _, line := range slices.Sorted(maps.Keys(listed)) {
		if !found[line] {
			fmt.Fprintf(w, "- %s\n", line)
		}
	}
	for _, line := range slices.Sorted(maps.Keys(found)) {
		if !listed[line] {
			fmt.Fprintf(w, "+ %s\n", line)
		}
	}
	return errSaid
}

var licenseFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense)`)

// licensesIn returns the licenses whose words are in license files below a folder.
func licensesIn(dir string) (string, error) {
	var text strings.Builder
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || !licenseFile.MatchString(entry.Name()) || strings.HasSuffix(path, ".go") {
			return err
		}
		data, err := os.ReadFile(path)
		text.WriteString(strings.Join(strings.Fields(string(data)), " ") + "\n")
		return err
	})
	if err != nil {
		return "", err
	}
	names := []string{}
	for _, l := range licenses {
		if l.words.MatchString(text.String()) {
			names = append(names, l.name)
		}
	}
	if len(names) == 0 {
		names = []string{"unknown"}
	}
	return strings.Join(names, " "), nil
}
