package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	mit = `MIT License

Copyright (c) 2026 A

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
`
	isc = `Copyright (c) 2026 A

Permission to use, copy, modify, and/or distribute this software for any
purpose with or without fee is hereby granted, provided that the above
copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES
WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF
MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR
ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES
WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN
ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF
OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.
`
	gpl = `This program is free software: you can redistribute it and/or modify
it under the terms of the GNU General Public License as published by
the Free Software Foundation, either version 3 of the License, or
(at your option) any later version.

This program is distributed in the hope that it will be useful,
but WITHOUT ANY WARRANTY; without even the implied warranty of
MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the
GNU General Public License for more details.

You should have received a copy of the GNU General Public License
along with this program.  If not, see <https://www.gnu.org/licenses/>.
`
)

func TestLicensesAreKnownByTheirText(t *testing.T) {
	ours, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, text string
		want       []string
		wantErr    string
	}{
		{"ours", string(ours), []string{"Apache-2.0"}, ""},
		{"MIT", mit, []string{"MIT"}, ""},
		{"two", isc + "\n" + mit, []string{"ISC", "MIT"}, ""},
		{"GPL", gpl, nil, "is not among the permissive licenses"},
		{"MIT and GPL", mit + "\n" + gpl, nil, "is not among the permissive licenses"},
		{"MIT and more", mit + "\n" + strings.Repeat("Nobody may use this on a Sunday, or sell it, or look at it. ", 9), nil, "% of the text are a known license"},
		{"empty", "", nil, "0 % of the text"},
		{"a link", "https://opensource.org/licenses/MIT\n", nil, "license"},
	} {
		got, err := licensesIn([]byte(tt.text))
		if !slices.Equal(got, tt.want) || (err == nil) != (tt.wantErr == "") || err != nil && !strings.Contains(err.Error(), tt.wantErr) {
			t.Errorf("%s: %q, %v, want %q, %s", tt.name, got, err, tt.want, tt.wantErr)
		}
	}
}

// Code that was copied into a module has a license of its own in its folder. It counts
// if a package below it is compiled.
func TestLicensesOfAModuleAreThoseOfItsFolders(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "LICENSE.md"), mit)
	write(t, filepath.Join(dir, "copied", "COPYING"), isc)
	write(t, filepath.Join(dir, "copied", "deep", "x.go"), "package deep\n")
	write(t, filepath.Join(dir, "cmd", "LICENSE"), gpl)
	u := &used{Dir: dir, packages: []string{dir}}
	if got, err := licensesOf(u); err != nil || !slices.Equal(got, []string{"MIT"}) {
		t.Errorf("the package at the top: %q, %v", got, err)
	}
	u.packages = append(u.packages, filepath.Join(dir, "copied", "deep"))
	if got, err := licensesOf(u); err != nil || !slices.Equal(got, []string{"ISC", "MIT"}) {
		t.Errorf("with copied code: %q, %v", got, err)
	}
	u.packages = append(u.packages, filepath.Join(dir, "cmd"))
	if got, err := licensesOf(u); err == nil {
		t.Errorf("with a copyleft license: %q", got)
	}
	if got, err := licensesOf(&used{Dir: filepath.Join(dir, "copied", "deep")}); err == nil {
		t.Errorf("without a license: %q", got)
	}
}
