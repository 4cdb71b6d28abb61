package main

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"strings"
	"testing"
)

func TestShop(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, dir)
	}
	var out bytes.Buffer
	if err := run(t.Context(), &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{
		"(?m)^    INSERT INTO `tags` .* VALUES \\(\"[0-9a-f]{24}\",\"gift\"\\),\\(\"[0-9a-f]{24}\",\"express\"\\)",
		"(?m)^    SELECT \\* FROM `orders` WHERE `orders`.`id` = \"[0-9a-f]{24}\" .*  -- rows: 1$",
		`(?m)^  order B001 of Bob: 2 items, 2 tags, referrer NULL: true$`,
		"(?m)^    UPDATE `orders` SET .*`referrer_id`=NULL",
		`(?m)^  stored as Robert under the id of Bob$`,
		`(?m)^  0 rows, zero id: true$`,
		`(?m)^  page 1: A051 \(31 May\) A050 \(28 May\) A049 \(25 May\) A048 \(22 May\)$`,
		`(?m)^  page 3: A043 \(7 May\) A042 \(4 May\) A041 \(1 May\)$`,
		`(?m)^  May      11 orders      245.40 EUR$`,
		`(?m)^  60 orders are left, 61 are in the table$`,
		`(?m)^  gormplugin\.Where\(Order\.ID\): the zero id: primary key required$`,
		`(?m)^  gormplugin\.Where\(Order\.ID\): int is not an id: `,
		`(?m)^    UPDATE .* WHERE \(1 = 0\) .*  -- rows: 0$`,
	} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("the output has no line %s:\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "<binary>") {
		t.Errorf("an id that is not printed as hex:\n%s", out.String())
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run(ctx, new(bytes.Buffer)); err == nil {
		t.Error("run went on after its context ended")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
