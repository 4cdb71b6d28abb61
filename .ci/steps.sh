# The functions that .ci/steps.txt names. Programs with tests do what takes more than a few
# lines: internal/ci reads the table and the output of tests, and internal/release makes
# copies of the tree. Each step has a shell of its own.
set -euo pipefail

tmp=$CI_TMP
export GOGC=400 # compilers and tests make much garbage, and hold little
oldest=go1.25.0 # the minimum in go.mod
newest=go1.27.4

ci() { "$CI_PROGRAM" "$@"; }

# gotest runs go test. See internal/ci/test.go.
gotest() { ci test "$@"; }

# each runs a command in the folder of every module, or of some. See internal/release/each.go.
each() { go run ./internal/release each "$@"; }

# as_released runs a command in every module that users fetch, as they get it.
as_released() { each -released "$tmp/release" "$@"; }

# tool NAME ARGUMENT… runs a tool of internal/ci/tools/go.mod.
tool() { "$(tool_path "$1")" "${@:2}"; }
tool_path() { GOWORK=off go -C internal/ci/tools tool -n "$1"; }

# in_module DIR ARGUMENT… vets and tests a module outside the workspace.
in_module() { (cd "$1" && export GOWORK=off && go vet ./... && gotest "${@:2}" ./...); }

# cant_test WHAT says what isn't tested. That is a failure in public CI.
cant_test() { echo "not tested: $1" && [[ -z ${CI-} ]]; }

# has PROGRAM CONSEQUENCE reports whether a program is installed. If it isn't, has prints the
# consequence, and ends the step where no test may skip.
has() {
	command -v "$1" >/dev/null && return
	echo "$1 is missing: $2"
	[[ -z $OIDKIT_NO_SKIP ]] || exit 1
	return 1
}

# same_everywhere runs a command whose results the build cache has for every clone: what it
# compiles doesn't have the name of the folder.
same_everywhere() { GOFLAGS="${GOFLAGS-} -trimpath" "$@"; }

format() {
	local files
	files=$(git ls-files '*.go' | xargs gofmt -l)
	[[ -z $files ]] || { printf 'gofmt would change:\n%s\n' "$files"; return 1; }
}

tagged() {
	local tags=nightly,browser,projects,reproduce
	go vet -tags $tags work && tool staticcheck -tags $tags work
}

alone() {
	local build='go build -o /dev/null ./... && go mod tidy -diff'
	as_released bash -c "$build && go vet ./..." # vet compiles the tests too
	each -tests env GOWORK=off bash -c "$build"
	OIDKIT_LONG=1 gotest -run 'Install|GettingStarted|FirstProgram' ./internal/contract/consumer
}

release_dry_run() {
	if [[ -z ${CI-} && -n $(git status --porcelain) ]]; then
		echo "not tried: a release needs a tree without uncommitted changes"
		return
	fi
	for tag in v0.999.0 sequence/v0.999.0; do
		go run ./internal/release release -n "$tag" >"$tmp/release.log"
		tail -2 "$tmp/release.log"
	done
}

# The detector doesn't watch what is slow with it: SQLite as it was in C, its driver in GORM's
# tests, and the packages that parse and type-check Go.
unwatched=(-gcflags={go,golang.org/x/tools,modernc.org/libc,modernc.org/memory,modernc.org/sqlite/lib,github.com/glebarez/go-sqlite}/...=-race=false)

# The README's test command, with the race detector, in random order. A package's tests often
# wait for their servers, so more packages run at once than there are cores.
tests() {
	same_everywhere gotest -noskips -race -shuffle=on -vet=off -p $(($(nproc) + 1)) -parallel 4 -timeout 25m "${unwatched[@]}" -exec "$PWD/.ci/cputime $tmp/seconds" work
	ci seconds .ci/seconds.txt "$tmp/seconds"
}

browser() { gotest -noskips -count=1 -timeout 30m -tags browser -run '^(TestPage|TestAccessibility)' ./examples/httpapi; }

# libraries [COMMAND] runs tests with the tag nightly, because they take long to compile. The
# command is gotest or cover.
libraries() {
	"${1:-gotest}" -tags nightly -skip "Cluster|Group|TiDB" ./examples/routers ./internal/itest/oid/encodings ./internal/itest/sqltype{,/ncruces/...} ./internal/itest/sqlsequence
	"${1:-gotest}" -tags nightly -run '^TestMigrationWithoutServer$' ./internal/itest/gormplugin
}

upstream() { gotest -tags nightly -run '^TestUpstreamFaultsAreStillThere$' ./internal/contract/docs; }

# What programs drew from sequences while servers failed. It prints a row of figures for each
# history, which internal/ci/sums.go describes. The last line has the sums.
histories() {
	OIDKIT_LONG=1 gotest -logs -count=1 -timeout=80m -skip=Strict \
		-run='NoNumberComesTwice|Failover|ClocksThatDiffer|EndOfAPlan|Ledger|ProgramsNeverDraw|ManyScopes|NumbersByDate' ./internal/itest/sequence | ci sums
}

# draws STORE [SERVER] prints what programs drew on a server that runs, or that SERVER starts.
draws() { OIDKIT_LONG=1 on "${2-}" -logs -run "ProgramsNeverDraw/$1" ./internal/itest/sequence; }

# on SERVER ARGUMENT… runs go test while a server runs. Tests that kill their server skip there.
on() {
	local server=()
	[[ -z $1 ]] || server=(go run "$1")
	CI_UNDER=${server[*]} OIDKIT_NO_SKIP='' "${server[@]}" "$CI_PROGRAM" test -count=1 -timeout 30m "${@:2}"
}

# Draws through three nodes of Galera, and then the tests of MariaDB on one.
galera() {
	local server=./internal/servers/mysql/galera
	ci install galera
	gotest -tags nightly -run Cluster ./internal/servers/mysql ./internal/itest/sqlsequence
	draws mariadb $server
	on $server -tags nightly ./internal/itest/sqltype
	on $server ./internal/itest/sqlsequence ./internal/itest/sequence ./internal/itest/gormplugin
}

# Draws and a ledger, by programs on all three nodes, while nodes are killed.
group() {
	ci install mysql
	gotest -logs -count=1 -timeout 30m -tags nightly -run Group ./internal/servers/mysql ./internal/itest/sqlsequence ./internal/itest/sequence
}

mongodb=(./internal/itest/bsoncodec/... ./internal/itest/mongosequence ./examples/mongo ./examples/migrate)

# The tests of what only MongoDB has. Elsewhere they test what docs/compatibility.md says.
parts_of_mongodb='^(TestTransactionStoresAllOrNothing|TestChangeStreamFilteredByTime|TestJSONSchemaWithPattern|TestClientBulkWrite|TestMigrateRefusesWhatCannotCount)$'

# Most tests share one server, which takes seconds to start. Those that kill it start one each.
documentdb() {
	local server=./internal/servers/mongodb/documentdb
	go run ./internal/servers/sid/install -strict DocumentDB
	gotest -tags nightly ./internal/servers/sid
	(cd internal/servers/mongodb/testdata/ferretdb2 && GOWORK=off go vet .)
	on $server -p 1 "${mongodb[@]}"
	on $server -tags nightly -run '^TestNode' ./internal/itest/bsoncodec/live
	on $server -logs -run "$parts_of_mongodb" ./internal/itest/bsoncodec/live ./internal/itest/mongosequence
	draws mongo $server
	export OIDKIT_MONGO=documentdb
	gotest ./internal/servers/mongodb ./internal/contract/docs # whose pages run on it
	gotest -logs -count=1 -timeout 30m -run '^TestNoNumberRepeatsWhenTheServerIsKilled$' ./internal/itest/mongosequence
	OIDKIT_LONG=1 gotest -logs -count=1 -timeout 60m -run '^TestNoNumberComesTwiceWhenTheServerFails$/^mongo$' ./internal/itest/sequence
}

own_mongodb() {
	[[ -n ${OIDKIT_MONGO_URI-} ]] || { echo "not tested on MongoDB itself: OIDKIT_MONGO_URI names no server"; return; }
	gotest -noskips -run "$parts_of_mongodb" ./internal/itest/bsoncodec/live ./internal/itest/mongosequence
	OIDKIT_NO_SKIP='' gotest -p 1 "${mongodb[@]}"
	draws mongo
}

own_mysql() {
	[[ -n ${OIDKIT_MYSQL_DSN-} ]] || { echo "not tested on your own MySQL: OIDKIT_MYSQL_DSN names no server"; return; }
	OIDKIT_NO_SKIP='' gotest -p 1 ./internal/itest/{sqltype,sqlsequence,gormplugin} ./examples/gorm
	draws "(mysql|mariadb)"
}

# What TiDB doesn't have: stored functions, MariaDB's EXPLAIN, the type uuid. Two tests expect
# MariaDB's answer to a wrong condition.
untested_on_tidb='TiDB|^TestMySQL|^TestNever|^TestMonthlyPartitions|^TestMariaDB|UUID|^TestBunNullzero|^TestSqlbuilderFlatten'

# The tests of GORM that need the type uuid, UNHEX in a DEFAULT, SERIALIZABLE, or RETURNING. One shows
# what MariaDB answers without the plugin. TestConcurrentWrites kills connections.
untested_with_gorm_on_tidb='UUID|KeysOfTheDatabase|KeyThatIsNotReturned|^TestNoStructHoldsTheIDOfAnotherRow|^TestModelsUnderSettingsOfMySQL|^TestDoNothingReturning|^TestUpdatesReturnTheStoredID/tidb$|^TestConflictByAnotherColumnThanTheKey/tidb$|^TestUpsertStatements|^TestLoneIDWithoutThePlugin|^TestConcurrentWrites'

# It prints the figures of docs/engines.md, and then runs the tests of MariaDB, except for what
# TiDB doesn't have. This TiDB can panic when a test kills connections. It has no triggers, which
# TestManyScopesAtOnce… needs, and no snapshot isolation of MariaDB's kind.
tidb() {
	(
		cd internal/servers/mysql/testdata/tidb
		export GOWORK=off OIDKIT_NO_SKIP='' CI_ROOT='' # without a root, the whole step is what repeats a test
		go vet . && go build -o "$tmp/tidb" .
		on_tidb() { "$tmp/tidb" "$CI_PROGRAM" test -count=1 -timeout 30m "$@"; }
		on_tidb -p 1 -tags nightly -logs -run TiDB ./internal/itest/sqltype ./internal/itest/sqlsequence
		OIDKIT_LONG=1 on_tidb -logs -run ProgramsNeverDraw/tidb ./internal/itest/sequence
		on_tidb -run '.*/tidb$' -skip '^TestKilledConnections|SnapshotIsolation$|^TestManyScopesAtOnce|AtReadUncommitted$' ./internal/itest/sequence ./internal/itest/sqlsequence
		on_tidb -tags nightly -skip "$untested_on_tidb" ./internal/itest/sqltype
		on_tidb -run /tidb -skip "$untested_with_gorm_on_tidb" ./internal/itest/gormplugin
	) 2>&1 | grep -v '^\[20' # TiDB's own log
}

# A statement counts as run if any test ran it, in any process: programs that tests build and
# start count too. GOFLAGS has them built with the same instruments. The go command would set
# GOCOVERDIR to a folder of its own: the command env sets it to ours. Package jsonx has more
# files with encoding/json/v2.
coverage() {
	local data=$tmp/coverage profile=${OIDKIT_PROFILE:-$tmp/profile}
	mkdir "$data"
	cover work
	libraries cover
	GOEXPERIMENT=jsonv2 cover ./jsonx
	go tool covdata textfmt -i="$data" -o="$profile"
	ci coverage .ci/coverage.txt "$profile"
}

cover() {
	GOFLAGS="${GOFLAGS-} -cover -covermode=set -coverpkg=github.com/oidkit/oidkit/..." \
		gotest -count=1 -timeout 30m -exec "env GOCOVERDIR=$data" "$@" -args -test.gocoverdir="$data"
}

licenses() {
	for os in linux windows darwin; do
		as_released env GOOS=$os GOARCH=amd64 CGO_ENABLED=0 \
			go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}' ./...
	done | ci licenses .ci/licenses.txt
}

# Before Go 1.27, Go's fuzzer can take the end of its time, or a busy machine, for a failure.
fuzz() {
	has_go "$newest" || { cant_test "the fuzzer of $newest can't be had here"; return; }
	export GOTOOLCHAIN=$newest && go run ./internal/fuzz -list >"$tmp/targets"
	while read -r package target; do
		gotest -run '^$' -fuzz "^$target\$" -fuzztime "${OIDKIT_FUZZTIME:-15s}" -fuzzminimizetime 10x "$package"
	done <"$tmp/targets"
}

# The test of the command takes a minute, because it compiles the standard library again.
reproduce() {
	gotest -tags reproduce -run '^TestReproduce|^TestRenamed' ./internal/release
	go run ./internal/release reproduce
}

bench() {
	go test -run '^$' -bench . -benchtime 1x work | grep -vE 'no test files|^(goos:|goarch:|pkg:|cpu:|PASS|ok )'
	go run ./internal/bench -compare internal/bench/ratios.txt
}

# What the tests of these packages need is there on every platform.
portable=(
	./oid ./jsonx ./sqltype ./public ./sqltype/pgxoid ./bsoncodec/... ./bsoncodec/mongov1/... ./gormplugin/...
	./sequence ./sequence/driver/... ./sequence/drivertest ./sequence/internal/... ./sequence/sqlsequence ./sequence/pgsequence ./sequence/mongosequence
)

# portable_on ARCH [ARGUMENT…] tests the portable packages on a processor.
portable_on() {
	echo "$1"
	GOARCH=$1 CGO_ENABLED=0 gotest "${@:2}" "${portable[@]}"
}

# emulated ARCH… tests the portable packages on other processors. On s390x, which stores
# numbers in the other order of bytes, it also tests what is sent to PostgreSQL and
# MongoDB. One of the faults that docs/upstream describes is there on s390x only.
emulated() {
	for arch in "$@"; do
		qemu=qemu-${arch/arm64/aarch64}-static
		if has "$qemu" "not tested on $arch"; then
			portable_on "$arch" -exec "$qemu"
		fi
	done
	if has qemu-s390x-static "not all of docs/upstream is tested"; then
		GOARCH=s390x CGO_ENABLED=0 gotest -exec qemu-s390x-static ./internal/itest/bsoncodec ./internal/itest/pgxoid
		upstream
	fi
}

# The Go distribution has the scripts that run a wasm program, with node and with wazero.
wasm() {
	export PATH=${XDG_CACHE_HOME:-$HOME/.cache}/oidkit/bin:$(go env GOROOT)/lib/wasm:$PATH GOWASIRUNTIME=wazero
	if has node "not tested on js/wasm"; then
		GOOS=js GOARCH=wasm gotest ./oid
	fi
	if has wazero "not tested on wasip1/wasm"; then
		GOOS=wasip1 GOARCH=wasm gotest ./oid
	fi
}

cross_build() {
	for target in "$@"; do
		echo "$target"
		GOOS=${target%/*} GOARCH=${target#*/} CGO_ENABLED=0 go build -o "$tmp/" ./oid ./cmd/oid
	done
}

# Vet compiles the tests too.
vet_elsewhere() {
	for target in windows/amd64 darwin/arm64; do
		echo "$target"
		each env GOOS=${target%/*} GOARCH=${target#*/} CGO_ENABLED=0 go vet ./...
	done
}

# has_go VERSION reports whether a Go release can be had.
has_go() { GOTOOLCHAIN=$1 go env GOROOT >"$tmp/goroot"; }

# modules_on VERSION tests every module that users fetch as it stands alone. What
# internal/contract tests is the tree, not the Go release.
modules_on() {
	has_go "$1" || { cant_test "$1 can't be had here"; return; }
	as_released -go "$1" bash -c 'go version && "$CI_PROGRAM" test $(go list ./... | grep -v /internal/contract)'
}

# workspace_on VERSION [EXPERIMENT] tests the whole workspace on another Go release, with what
# the step libraries tests. Where that needs a copy of the tree, it leaves out what tests the
# tree, and what needs oidvet or makes copies itself, with a newer Go.
workspace_on() {
	local tree packages=work
	has_go "$1" || { cant_test "$1 can't be had here"; return; }
	tree=$(go run ./internal/release lower "$1" "$tmp/$1")
	(
		PATH=$(<"$tmp/goroot")/bin:$PATH
		export GOTOOLCHAIN=local GOEXPERIMENT=${2-}
		# cdproto takes Go 1.27 to have encoding/json/v2, unless it is told otherwise.
		[[ ${2-} != nojsonv2 ]] || export GOFLAGS="${GOFLAGS-} -tags=cdproto_jsoncompat"
		cd "$tree" && go version
		[[ $tree == "$CI_ROOT" ]] || packages=$(go list work | grep -vE '/internal/(contract|release|itest/mistakes)')
		gotest $packages
		libraries
	)
}

vulnerabilities() {
	curl -sSf -m 20 -o /dev/null https://vuln.go.dev/index/db.json || { cant_test "the vulnerability database can't be reached here"; return; }
	each "$(tool_path govulncheck)" ./...
}

# The projects come from the module proxy, or from the clones in the folder OIDKIT_PROJECTS.
move_projects() {
	read -r repo commit module rest < <(grep -v '^#' cmd/oidmove/testdata/projects.txt)
	if [[ -z ${OIDKIT_PROJECTS-} ]] && ! GOWORK=off go mod download "$module@$commit" 2>/dev/null; then
		cant_test "the module proxy doesn't have $repo: no project is moved"
		return
	fi
	gotest -logs -count=1 -tags projects -timeout 120m -run '^(TestProjects|TestVendor|TestRules)$' ./cmd/oidmove
}
