# `make up` brings a lab up, `make test` runs all tests; `make help` lists the rest.
SHELL := /bin/bash
.DEFAULT_GOAL := help

STACK ?= local

define newline


endef

# What `make env` of another checkout has set does not hold here.
OTHER_CHECKOUT := $(filter-out $(CURDIR),$(BENCHLAB_CHECKOUT))
ifneq ($(OTHER_CHECKOUT),)
PATH := $(subst $(OTHER_CHECKOUT)/bin:,,$(PATH))
PULUMI_HOME := $(CURDIR)/.pulumi
PULUMI_BACKEND_URL := file://$(CURDIR)/.pulumi/state
endif
export BENCHLAB_CHECKOUT := $(CURDIR)

# The user's own settings win; without them everything stays in this directory.
export PATH := $(CURDIR)/bin:$(PATH)
export PULUMI_HOME ?= $(CURDIR)/.pulumi
export PULUMI_BACKEND_URL ?= file://$(CURDIR)/.pulumi/state
export PULUMI_STACK := $(STACK)
export PULUMI_PARALLEL ?= 64
export PULUMI_SKIP_UPDATE_CHECK ?= true
# Providers are built here, never fetched.
export PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION ?= true
ifndef PULUMI_CONFIG_PASSPHRASE_FILE
export PULUMI_CONFIG_PASSPHRASE ?=
endif

# -trimpath: equal sources give equal binaries, so a rebuild restarts no server.
BUILD := go build -trimpath -buildvcs=false
STRIP := -ldflags '-s -w'
HOST_PROGRAMS := ./hosts/agent/benchlab-agent ./workloads/server/benchlab-server ./workloads/loader/benchlab-loader
# Only the helper that makes namespaces needs root; it runs under sudo.
AS_USER := $(shell test "$$(id -u)" = 0 || echo tools/with-sudo)

.PHONY: help up preview drift down recover ssh output lock env check fmt test fuzz lint build tools packages generate stack

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile
	@echo; echo "  STACK=$(STACK) picks the stack: stacks/<stack>.hcl is its lab file, or the directory stacks/<stack> has them."

up: packages stack ## bring the lab up, or back to what its file says: hosts, tuning, benchmarks
	@$(AS_USER) pulumi up --stack $(STACK) --refresh --yes --skip-preview --suppress-outputs --continue-on-error || \
		{ status=$$?; echo; echo "'make output' prints what has been measured all the same"; exit $$status; }
	@echo; pulumi stack output --stack $(STACK) summary

preview: stack ## show what `make up` would change, live value → desired value
	@$(AS_USER) pulumi preview --stack $(STACK) --diff

drift: stack ## compare every value on the hosts with the wanted one; fails where one differs
	@$(AS_USER) pulumi refresh --stack $(STACK) --preview-only --expect-no-changes --diff

down: stack ## put every value back, stop what was started, remove hosts made here
	@$(AS_USER) pulumi destroy --stack $(STACK) --yes --skip-preview --suppress-outputs

recover: stack ## after a run that was killed: remove its lock, clear what never finished, refresh
	@$(AS_USER) tools/recover $(STACK)

ssh: stack ## log in to a host: make ssh HOST=spark [CMD='uname -a']
	@tools/ssh $(STACK) '$(HOST)' $(if $(value CMD),'$(subst $(newline),'$$'\n'',$(subst ','\'',$(value CMD)))')

output: stack ## print the results again
	@pulumi stack output --stack $(STACK) summary

lock: stack ## accept the hosts as the last `make up` found them: stacks/<stack>.lock.json
	@pulumi stack output --stack $(STACK) lock --json > .pulumi/lock.json && cp .pulumi/lock.json stacks/$(STACK).lock.json

env: ## print the environment for plain Pulumi: eval "$(make -s env)"
	@for v in PATH BENCHLAB_CHECKOUT PULUMI_HOME PULUMI_BACKEND_URL PULUMI_STACK PULUMI_PARALLEL PULUMI_SKIP_UPDATE_CHECK \
		PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION PULUMI_CONFIG_PASSPHRASE_FILE PULUMI_CONFIG_PASSPHRASE; do \
		[ -z "$${!v+set}" ] || printf 'export %s=%q\n' "$$v" "$${!v}"; done

# A lab is a file or a directory; those of all stacks, if none is named.
LAB ?= $(wildcard stacks/*.hcl) $(patsubst %/,%,$(sort $(dir $(wildcard stacks/*/*.hcl))))

check: bin/benchlab ## check a lab without contacting a host, and print what `make up` makes of it: make check LAB=stacks/mylab.hcl
	@bin/benchlab check $(LAB)

fmt: bin/benchlab ## format the lab files in stacks/
	@bin/benchlab fmt $(sort $(dir $(LAB)))

test: packages test-packages build ## run all tests, the real CLI and real hosts included
	$(AS_USER) env -u PULUMI_STACK go test -count=1 -timeout 40m ./...

# A number of inputs and not a time, so that a run means the same on any machine.
FUZZ ?= 20000x
fuzz: ## run every fuzzer for a short while; FUZZ=5m for a longer one
	@for package in ./lab ./workloads/loader ./workloads/zap ./workloads/zap/zaphttp; do \
		for fuzzer in $$(go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			echo "$$package $$fuzzer" && go test -run '^$$' -fuzz "^$$fuzzer$$" -fuzztime $(FUZZ) -fuzzminimizetime 10x $$package || exit; \
		done; \
	done

lint: bin/golangci-lint bin/benchlab ## run the linters, and see that lab files are formatted
	bin/golangci-lint run ./...
	bin/benchlab fmt -check $(sort $(dir $(LAB))) tuning/profiles

build: tools ## build the provider, the program, and what goes to hosts, into bin/
	@echo "building"
	@$(BUILD) -o bin/ ./lab/pulumi-resource-benchlab
	@$(BUILD) -o bin/program ./stacks
	@CGO_ENABLED=0 $(BUILD) $(STRIP) -o bin/ ./hosts/namespace/benchlab-netns
	@for arch in amd64 arm64; do mkdir -p bin/linux-$$arch && \
		CGO_ENABLED=0 GOOS=linux GOARCH=$$arch $(BUILD) $(STRIP) -tags grpcnotrace -o bin/linux-$$arch/ $(HOST_PROGRAMS) || exit; done

# A pulumi of the user's is used as it is; without one, the pinned CLI and Go language
# host are built.
PULUMI := $(shell PATH='$(subst $(CURDIR)/bin:,,$(PATH))' command -v pulumi)
tools: $(if $(PULUMI),,bin/pulumi bin/pulumi-language-go)

bin/pulumi: tools/pulumi/go.mod
	@echo "building the pulumi CLI: about 5 minutes the first time"
	@cd tools/pulumi && $(BUILD) -ldflags "-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=$$(go list -m -f '{{.Version}}' github.com/pulumi/pulumi/pkg/v3)" \
		-o $(CURDIR)/bin/pulumi github.com/pulumi/pulumi/pkg/v3/cmd/pulumi

# The language host would run `go build` at every command; the program is built already.
bin/pulumi-language-go: tools/pulumi-language-go/go.mod tools/pulumi-language-go/run-built-program
	@echo "building the Go language host"
	@cd tools/pulumi-language-go && $(BUILD) $(STRIP) -o $(CURDIR)/bin/pulumi-language-go-host github.com/pulumi/pulumi/sdk/v3/go/pulumi-language-go
	@cp tools/pulumi-language-go/run-built-program $@

bin/golangci-lint: tools/golangci-lint/go.mod
	@cd tools/golangci-lint && $(BUILD) -o $(CURDIR)/bin/golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint

# Go knows better than make whether it is up to date.
.PHONY: bin/benchlab
bin/benchlab:
	@$(BUILD) -o bin/ ./lab/benchlab

packages:
	@tools/install-packages openssh-server:/usr/sbin/sshd iproute2:/sbin/ip ethtool:/sbin/ethtool

lab-file:
	@test -f 'stacks/$(STACK).hcl' || ls 'stacks/$(STACK)'/*.hcl > /dev/null 2>&1 || { \
		echo "There is no lab file stacks/$(STACK).hcl. STACK= takes one of: $$(cd stacks && ls -d *.hcl */*.hcl 2> /dev/null | sed 's:\.hcl$$::; s:/.*::' | sort -u | tr '\n' ' ')" >&2; exit 1; }

test-packages:
	@tools/install-packages sudo:/usr/bin/sudo systemd:/lib/systemd/systemd fish:/usr/bin/fish strace:/usr/bin/strace nftables:/usr/sbin/nft

stack: lab-file build
	@mkdir -p .pulumi/state
	@pulumi stack select --create $(STACK)

generate: ## write agentpb, the provider's schema and the SDK again
	go generate ./hosts/agent/agentpb ./lab/provider
