# Entry points for developers. `make` lists the targets; CMake (CMakePresets.json), scripts/ and tools/ do the work.

.DEFAULT_GOAL := help
.PHONY: help setup build run demo screenshots test test-python test-scale test-asan test-tsan package test-package lint-deploy bench lint format fuzz clean
MAKEFLAGS += --no-print-directory

# The programs that `make build` and `make run` build. `make test` builds the tests in the same folder.
PROGRAMS := spindle spindle-engine spindle-trainer

# Configures a preset for the first time, or after a change of the presets or the fetched libraries.
configured = build/$(1)/.configured
configure = test $(configured) -nt CMakePresets.json && test $(configured) -nt native/prefix/.stamp \
	|| { echo 'configuring build/$(1)' && cmake --preset $(1) --fresh >build/$(1).log && touch $(configured); }

help: ## List the targets
	@echo 'make TARGET:'
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 15

setup: ## Install the build dependencies (other targets do this automatically); GROUPS="test lint sanitize bench" adds groups
	@scripts/setup.sh $(GROUPS)

build: ## Build the server into build/bin
	@scripts/setup.sh
	@$(call configure,release)
	@tools/build_progress.py release $(PROGRAMS)

run: build ## Build and start the server with embedded storage; ARGS="--listen 127.0.0.1:9000" adds arguments
	@exec build/bin/spindle serve $(ARGS)

demo: build ## Run the complete workflow in a few minutes: trace, evaluate, train, release; ARGS="--keep" adds arguments
	@python3 demo/run.py $(ARGS)

screenshots: build ## Take the pictures of the documentation (docs/images) from the demo's data; ARGS="--folder build/demo/…" uses an earlier demo
	@scripts/setup.sh test
	@node tools/screenshots.mjs $(ARGS)

test: ## Build and run every test; ARGS="unit --match base" selects tests (tools/run_tests --help)
	@scripts/setup.sh test
	@$(call configure,release)
	@tools/build_progress.py release
	@tools/run_tests $(ARGS)

test-asan: ## Build and run every test under AddressSanitizer and UndefinedBehaviorSanitizer; ARGS as for test
test-tsan: ## Build and run every test under ThreadSanitizer; ARGS as for test
test-asan test-tsan: test-%:
	@scripts/setup.sh test sanitize
	@$(call configure,$*)
	@tools/build_progress.py $*
	@tools/run_tests --preset $* $(ARGS)

test-python: ## Run the tests that need PyPI: the real Python SDK, schemathesis; ARGS="-k TracedOps" selects tests, SCHEMATHESIS_CASES=20000 sets the number of cases
	@scripts/setup.sh
	@$(call configure,release)
	@tools/build_progress.py release $(PROGRAMS)
	@scripts/test_python.sh $(ARGS)

test-scale: ## Run the tests of many machines on PostgreSQL, ClickHouse and S3 (PyPI); ARGS="kills" selects a part
	@scripts/setup.sh test
	@$(call configure,release)
	@tools/build_progress.py release
	@scripts/test_scale.sh $(ARGS)

package: build ## Build the Debian packages and the tarball into build/package
	@scripts/setup.sh package
	@deploy/package/build.py

test-package: package ## Install the packages on a minimal Debian 12 and use them (root; installs debootstrap); ARGS="deb tarball" selects
	@scripts/setup.sh package_test
	@tests/package/run.py $(ARGS)

lint-deploy: ## Check deploy/ with hadolint, shellcheck, JSON schemas and, where installed, further linters (needs PyPI once)
	@scripts/lint_deploy.sh

bench: ## Run the benchmarks bench/*/run; ONLY=http selects one
	@scripts/setup.sh bench
	@$(call configure,bench)
	@tools/build_progress.py bench
	@scripts/bench.sh $(ONLY)

lint: ## Check format, layers, thread safety (clang), clang-tidy on changed files (ALL=1: on all), cppcheck
	@scripts/setup.sh lint
	@$(call configure,lint)
	@$(if $(ALL),$(call configure,lint-units))
	@ALL=$(ALL) BASE=$(BASE) scripts/lint.sh

format: ## Format all C++ sources in place
	@scripts/setup.sh lint
	@git ls-files -z --cached --others --exclude-standard '*.h' '*.cpp' | xargs -0 clang-format-14 -i

fuzz: ## Fuzz each parser for SECONDS=60 with ASan and UBSan; ONLY=json selects one
	@scripts/setup.sh sanitize
	@$(call configure,fuzz)
	@tools/build_progress.py fuzz fuzzers
	@scripts/fuzz.sh $(or $(SECONDS),60) $(ONLY)

clean: ## Remove all build outputs (fetched dependencies stay)
	@rm -rf build
