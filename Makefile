# make help lists the targets. Everything needs only Go, make and git: tools are pinned in Go modules under tools/.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
MAKEFLAGS += --warn-undefined-variables --no-builtin-rules

PROFILE ?= default
OUT ?= out
SHORT ?=
HELM3 := bin/helm3
HELM4 := bin/helm4
DYFF := bin/dyff

.PHONY: help
help: ## Lists the targets.
	@awk 'BEGIN {FS = ":.*## "} /^[a-z0-9-]+:.*## / {printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: render
render: ## Writes the manifests of every chart to OUT (out): make render PROFILE=openshift.
	go run ./cmd/strata render --profile '$(PROFILE)' -o '$(OUT)'

.PHONY: test
test: ## Runs the tests of the main module, with the race detector, in random order.
	go test -race -shuffle=on ./...

.PHONY: test-injection
test-injection: ## Injects pods with Istio's own injector (its first build takes minutes; then it is cached).
	test/injection/run

.PHONY: test-html
test-html: ## Opens the HTML report of strata diff in a headless Chromium, which must be installed (Debian: apt-get install chromium).
	cd test/html && go test -count=1 .

.PHONY: test-schemas
test-schemas: ## Holds all renders against the API of each supported minor of Kubernetes.
	cd test/schemas && go vet ./... && go test ./...

.PHONY: schemas
schemas: ## Makes test/schemas/kubernetes.json anew (downloads the sources of each minor of Kubernetes).
	cd test/schemas && go run ./generate

.PHONY: cluster-tools
cluster-tools: ## Builds what test-cluster runs: Kubernetes, etcd, kwok, Helm, istiod (minutes, then cached).
	cd test/cluster && nice go run ./tools

.PHONY: test-cluster
test-cluster: ## Installs the charts with Helm 3 and Helm 4 on a real API server, with a real istiod; SHORT=1 leaves much out.
	test/cluster/run $(if $(SHORT),-short)

.PHONY: golden
golden: ## Writes the golden files anew.
	go run ./cmd/strata golden update

.PHONY: generate
generate: ## Makes every generated file.
	go run ./internal/generate

.PHONY: bench
bench: $(HELM3) $(DYFF) ## Measures this project beside its peers, in one run.
	HELM=$(abspath $(HELM3)) DYFF=$(abspath $(DYFF)) go test -run '^$$' -bench . -benchmem ./test/bench

.PHONY: fuzz
fuzz: ## Runs each fuzz target for a while: make fuzz FUZZTIME=1m.
	@for p in $$(grep -rl --include='*_test.go' '^func Fuzz' pkg internal | xargs -n1 dirname | sort -u); do \
	  for f in $$(grep -rhoE '^func Fuzz[A-Za-z0-9]+' $$p | cut -d' ' -f2); do \
	    go test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) ./$$p; done; done
FUZZTIME ?= 10s

.PHONY: lint
lint: bin/golangci-lint ## Runs the linters.
	bin/golangci-lint run ./...

.PHONY: check
check: lint ## Runs every check that is no test: linters, generated files, go.mod.
	go run ./internal/generate -check
	go mod tidy -diff
	go vet ./...

$(HELM3): tools/helm3/go.mod tools/helm3/go.sum
	cd tools/helm3 && go build -o ../../$@ helm.sh/helm/v3/cmd/helm

$(HELM4): tools/helm4/go.mod tools/helm4/go.sum
	cd tools/helm4 && go build -o ../../$@ helm.sh/helm/v4/cmd/helm

$(DYFF): tools/dyff/go.mod tools/dyff/go.sum
	cd tools/dyff && go build -o ../../$@ github.com/homeport/dyff/cmd/dyff

bin/golangci-lint: tools/golangci-lint/go.mod tools/golangci-lint/go.sum
	cd tools/golangci-lint && go build -o ../../$@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint

.PHONY: tools
tools: $(HELM3) $(HELM4) $(DYFF) bin/golangci-lint ## Builds the pinned tools into bin/.

.PHONY: clean
clean: ## Removes what was built.
	rm -rf bin out
