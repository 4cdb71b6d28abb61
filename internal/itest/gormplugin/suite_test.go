//go:build nightly

package gormplugin_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	gomysql "github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/oidkit/oidkit/internal/servers/daemon"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/internal/servers/repo"
)

// TestSuiteOfGORM runs GORM's own tests, whose models have integer keys, without the plugin and
// with it, on each database. Every test must end the same way. OIDKIT_GORM is a folder or URL
// to clone GORM from.
func TestSuiteOfGORM(t *testing.T) {
	suite := buildSuite(t, nil)
	for name, database := range suiteDatabases() {
		t.Run(name, func(t *testing.T) {
			run := func(plugin, tests string) map[string]string {
				return suite.run(t, database, tests, plugin)
			}
			without := run("", "")
			if len(without) < 300 {
				t.Fatalf("only %d tests of GORM ran", len(without))
			}
			t.Logf("without the plugin: %s", tally(without))
			for _, plugin := range []string{"plain", "models"} {
				with := run(plugin, "")
				t.Logf("with the plugin, %s: %s", plugin, tally(with))
				for test := range without {
					// Some tests compare times of the server with times of the program, and fail
					// now and then. They are run again in both ways, until they end the same way.
					for again := 0; with[test] != without[test] && again < 5; again++ {
						only := "^" + test + "$"
						without[test], with[test] = run("", only)[test], run(plugin, only)[test]
					}
					if with[test] != without[test] {
						t.Errorf("%s: %q with the plugin, %s, and %q without it", test, with[test], plugin, without[test])
					}
				}
			}
		})
	}
}

// A suiteDatabase makes a new database, and returns GORM's names for it.
type suiteDatabase func(t *testing.T) (dialect, dsn string)

func suiteDatabases() map[string]suiteDatabase {
	databases := map[string]suiteDatabase{
		"sqlite":   func(*testing.T) (dialect, dsn string) { return "sqlite", "" },
		"postgres": func(t *testing.T) (dialect, dsn string) { return "postgres", inShanghai(t, pgserver.Database(t)) },
	}
	for _, e := range mysqlserver.Engines() {
		databases[e.Name] = func(t *testing.T) (dialect, dsn string) {
			config, err := gomysql.ParseDSN(e.Database(t))
			if err != nil {
				t.Fatal(err)
			}
			config.Loc, config.Params = time.Local, map[string]string{"charset": "utf8"}
			return "mysql", config.FormatDSN()
		}
	}
	return databases
}

// A suite is the program of GORM's tests. Skip is a pattern of those that are not run.
type suite struct{ program, folder, skip string }

// buildSuite builds GORM's tests, after change has changed the files in the folder, if it isn't nil.
// They use the plugin if OIDKIT_PLUGIN says so.
func buildSuite(t *testing.T, change func(t *testing.T, folder string, compile func() error)) suite {
	t.Helper()
	run := func(folder, name string, args ...string) error {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = folder, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w\n%s", cmd, err, out)
		}
		return nil
	}
	version, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "gorm.io/gorm").Output()
	if err != nil {
		t.Fatal(err)
	}
	from := os.Getenv("OIDKIT_GORM")
	if from == "" {
		from = "https://github.com/go-gorm/gorm"
	}
	clone := filepath.Join(t.TempDir(), "gorm")
	if err := run(".", "git", "clone", "--quiet", "--depth", "1", "--branch", strings.TrimSpace(string(version)), from, clone); err != nil {
		daemon.Skip(t, fmt.Errorf("GORM's tests: %w: %w", daemon.ErrNotInstalled, err))
	}
	s := suite{program: filepath.Join(clone, "suite.test"), folder: filepath.Join(clone, "tests")}

	file := filepath.Join(s.folder, "tests_test.go")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	models := regexp.MustCompile(`allModels := \[\]interface\{\}\{(.*)\}\n`).FindSubmatch(text)
	const head, opened = "import (\n", "\tif err != nil {\n\t\treturn\n\t}\n\n\tif debug"
	if models == nil || strings.Count(string(text), opened) != 1 {
		t.Fatalf("%s has changed", file)
	}
	use := "\tif plugin := os.Getenv(\"OIDKIT_PLUGIN\"); plugin != \"\" && err == nil {\n\t\tvar options []gormplugin.Option\n" +
		"\t\tif plugin == \"models\" {\n\t\t\toptions = append(options, gormplugin.WithModels(" + string(models[1]) + "))\n\t\t}\n" +
		"\t\terr = db.Use(gormplugin.New(options...))\n\t}\n"
	patched := strings.Replace(string(text), opened, use+opened, 1)
	patched = strings.Replace(patched, head, head+"\t\"github.com/oidkit/oidkit/gormplugin\"\n", 1)
	if err := os.WriteFile(file, []byte(patched), 0o644); err != nil {
		t.Fatal(err)
	}
	const home = "github.com/oidkit/oidkit"
	root := repo.Root()
	edit := []string{"mod", "edit", "-require=" + home + "@v0.0.0", "-replace=" + home + "=" + root, "-require=" + home + "/gormplugin@v0.0.0", "-replace=" + home + "/gormplugin=" + filepath.Join(root, "gormplugin")}
	if err := run(s.folder, "go", edit...); err != nil {
		t.Fatal(err)
	}
	compile := func() error { return run(s.folder, "go", "test", "-c", "-gcflags=-e", "-o", s.program, ".") }
	if change != nil {
		change(t, clone, compile)
	}
	if err := compile(); err != nil {
		t.Fatal(err)
	}
	return s
}

var ended = regexp.MustCompile(`(?m)^--- (PASS|FAIL|SKIP): (\S+)`)

// run runs the tests that match the pattern on a new database, and returns how each ended.
func (s suite) run(t *testing.T, database suiteDatabase, tests, plugin string) map[string]string {
	t.Helper()
	dialect, dsn := database(t)
	env := []string{"GORM_DIALECT=" + dialect, "GORM_DSN=" + dsn, "OIDKIT_PLUGIN=" + plugin}
	cmd := exec.Command(s.program, "-test.v", "-test.timeout=10m", "-test.run="+tests, "-test.skip="+s.skip)
	cmd.Dir, cmd.Env = s.folder, append(os.Environ(), append(env, "TMPDIR="+t.TempDir(), "DEBUG=false")...)
	out, err := cmd.CombinedOutput()
	results := map[string]string{}
	for _, match := range ended.FindAllSubmatch(out, -1) {
		results[string(match[2])] = string(match[1])
	}
	if len(results) == 0 || strings.Contains(string(out), "\npanic: ") {
		t.Fatalf("%v: %v\n%s", env, err, out[max(0, len(out)-4000):])
	}
	return results
}

// tally says how many tests ended in which way.
func tally(results map[string]string) string {
	n := map[string]int{}
	for result := range maps.Values(results) {
		n[result]++
	}
	var list []string
	for _, result := range slices.Sorted(maps.Keys(n)) {
		list = append(list, fmt.Sprintf("%s %d", result, n[result]))
	}
	return strings.Join(list, ", ")
}

// inShanghai returns the DSN of PostgreSQL with the time zone that GORM's tests expect. GORM's
// driver looks for it in a DSN of keywords.
func inShanghai(t *testing.T, dsn string) string {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("host=%s port=%d user=%s password='%s' dbname=%s sslmode=disable TimeZone=Asia/Shanghai",
		config.Host, config.Port, config.User, config.Password, config.Database)
}
