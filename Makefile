# The only door: every check and every build goes through here (docs/style.md: tools stay out of go.mod).

GOLANGCI_LINT = github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
BENCHSTAT     = golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da
COMPOSE       = github.com/compose-spec/compose-go/v2/cmd@v2.16.2
GORELEASER    = github.com/goreleaser/goreleaser/v2@v2.16.0

VERSITYGW     = github.com/versity/versitygw/cmd/versitygw@v1.8.0
GITLEAKS      = github.com/zricethezav/gitleaks/v8@v8.30.1

GO       ?= go
BIN      ?= bin
FUZZTIME ?= 10s
BENCH    ?= .
VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null)
COMMIT   ?= $(shell git rev-parse HEAD 2>/dev/null)
DATE     ?= $(shell TZ=UTC git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd 2>/dev/null)
LDFLAGS   = -s -w -X github.com/ptyrec/ptyrec/internal/buildinfo.version=$(VERSION) -X github.com/ptyrec/ptyrec/internal/buildinfo.commit=$(COMMIT) -X github.com/ptyrec/ptyrec/internal/buildinfo.commitDate=$(DATE)

# Neither the program nor its tests use cgo: the tests start faster, and share what is compiled for the program.
export CGO_ENABLED = 0

.DEFAULT_GOAL := build
.PHONY: build install test s3-test soak race lint golden golden-check mutate bench benchstat fuzz rules demo picture snapshot web web-check web-test agents lab-test clean

build: ## the program, as bin/ptyrec
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/ptyrec ./cmd/ptyrec

install: ## the program, into $GOBIN
	$(GO) install -trimpath -ldflags '$(LDFLAGS)' ./cmd/ptyrec

test: ## all tests, and go vet
	$(GO) test -vet=all -timeout 20m -parallel 4 ./... # many tests wait for processes

soak: ## the long forms of tests: kills, floods, full disks, many recorders, recordings that are cut in many ways
	PTYREC_LONG_TESTS=1 $(GO) test -timeout 60m -count=1 ./recorder/journal ./store/sqlite ./recorder ./internal/process ./internal/server/management ./internal/server/commandsocket ./internal/server/sandboxapi ./internal/team/teamserver ./store/postgres ./internal/team
	PTYREC_LONG_TESTS=1 $(GO) test -timeout 60m -count=1 ./extractor/transcript ./extractor/shell -run 'TestCutting|TestDelays|TestForgetIsReplay|TestNoTextIsLost'
	PTYREC_LONG_TESTS=1 $(GO) test -timeout 60m -count=1 ./cmd/ptyrec -run 'TestKilled|TestTailIsKept|TestTerminalStops|TestDatabase|TestJournal|TestDiskFull|TestManyRuns|TestFloodIsFound|TestFaultServe|TestMemoryOfTheTeamServer'

s3-test: ## the tests of --raw against versitygw, a real server of S3 (minutes to build)
	GOBIN=$(abspath $(BIN)) $(GO) install $(VERSITYGW)
	PTYREC_VERSITYGW=$(abspath $(BIN))/versitygw $(GO) test -count=1 ./internal/team/bucket ./store/postgres ./internal/team -run 'Bucket|Objects'

# Code that was translated from C has no goroutines of its own; to watch it makes SQLite five times slower.
UNWATCHED = -gcflags=modernc.org/sqlite/lib=-race=false -gcflags=modernc.org/libc=-race=false

# Packages whose code or tests start goroutines, by themselves or by servers, timers and commands. In the others there is nothing
# to detect; their code is watched where these use it.
GOROUTINES = ^[[:space:]]*go [a-zA-Z]|\.Go\(|AfterFunc|Parallel\(|parallel\.Each|"net(/http.*)?"|"os/exec"|"os/signal"|/client"|testscript|ptytest

race: ## the tests of packages that start goroutines, with the race detector (needs a C compiler)
	GORACE=atexit_sleep_ms=50 CGO_ENABLED=1 $(GO) test -race $(UNWATCHED) -vet=off -short -timeout 20m -parallel 4 \
		$$(for dir in $$($(GO) list -f '{{.Dir}}' ./...); do grep -qE '$(GOROUTINES)' $$dir/*.go && ls $$dir/*_test.go >/dev/null 2>&1 && echo $$dir; done) # GORACE: each process waits 50 ms when it ends, not a second

lint: ## zero findings
	$(GO) run $(GOLANGCI_LINT) run ./...
	$(GO) run $(COMPOSE) -no-interpolation packaging/server/compose.yaml >/dev/null

# Only packages with goldens know -update.
GOLDEN = $(sort $(dir $(shell grep -rl --include=*_test.go 'sebdah/goldie' . 2>/dev/null)))

golden: ## write the golden transcripts again: read the diff before you commit it
	$(if $(GOLDEN),,$(error no golden tests found))
	$(GO) test -count=1 $(GOLDEN) -run Golden -update
	git status --short -- $(GOLDEN) testdata

golden-check: ## the golden transcripts are those of the code
	$(if $(GOLDEN),,$(error no golden tests found))
	$(GO) test -count=1 $(GOLDEN) -run Golden

PACKAGE ?= $(filter-out %/transcript,$(shell $(GO) list ./extractor/...))
MORE    ?=

mutate: ## conditions of PACKAGE (a pattern) that no recording needs; MORE names a folder with more recordings, ONLY the files
	$(GO) run ./internal/testkit/mutate -list -accept internal/testkit/mutate/accepted.txt $(if $(MORE),-more $(MORE)) $(if $(ONLY),-only '$(ONLY)') $(PACKAGE)

bench: ## benchmarks on real recordings; BENCH chooses
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem ./...

benchstat: ## compare two outputs of make bench: make benchstat OLD=old.txt NEW=new.txt
	$(GO) run $(BENCHSTAT) $(OLD) $(NEW)

fuzz: ## each fuzz target for FUZZTIME
	./.ci/fuzz $(FUZZTIME)

rules: ## the redaction rules of the gitleaks that is named above
	dir=$$($(GO) mod download -json $(GITLEAKS) | sed -n 's/^\t"Dir": "\(.*\)",$$/\1/p') && \
		install -m 644 "$$dir/config/gitleaks.toml" internal/redact/gitleaks.toml && install -m 644 "$$dir/LICENSE" internal/redact/gitleaks.LICENSE
	$(GO) generate ./internal/redact

web: web/node_modules ## the page that serve shows, web/dist, of web/src (needs npm)
	cd web && npx tsc --noEmit && node build.mjs

web-check: web/node_modules ## web/dist is what make web makes
	cd web && npx tsc --noEmit && node build.mjs node_modules/.check && diff -r dist node_modules/.check

web-test: build web/node_modules ## the page in a browser (needs npm and Chromium)
	cd web && PTYREC=$(abspath $(BIN))/ptyrec node --test test/*.test.mjs

web/node_modules: web/package-lock.json
	cd web && npm ci --ignore-scripts --no-audit --no-fund
	touch $@

AGENT   ?= claude
KINDS   ?=
SEEDS   ?= 1

agents: ## record AGENT's release VERSION=latest and the one before, and compare how they are read (needs npm, and root on Linux)
	$(MAKE) --no-print-directory build VERSION="$$(git describe --tags --always --dirty 2>/dev/null)"
	node lab/release.mjs --agent $(AGENT) --version $(if $(filter command line environment,$(origin VERSION)),$(VERSION),latest) --seeds $(SEEDS) $(if $(KINDS),--kinds $(KINDS)) --ptyrec $(abspath $(BIN)/ptyrec)

lab-test: lab/node_modules ## the tests of the lab itself (needs npm)
	cd lab && npm test

lab/node_modules: lab/package-lock.json
	cd lab && npm ci --ignore-scripts --no-audit --no-fund
	touch $@

demo: build ## record a small scripted session and show what ptyrec makes of it; needs no agent
	@./testdata/demo/demo.sh $(BIN)/ptyrec

picture: build ## docs/session.svg, the moving picture of the README (needs tmux)
	@./testdata/demo/picture.sh $(BIN)/ptyrec docs/session.svg

snapshot: ## archives for every platform into dist, of this commit, without a tag
	COMMIT=$(COMMIT) SHORT=$$(git rev-parse --short HEAD) DATE=$(DATE) EPOCH=$$(git log -1 --format=%ct) LDFLAGS='$(LDFLAGS)' \
		$(GO) run $(GORELEASER) release --snapshot --clean

clean:
	rm -rf $(BIN) dist dist-extras
