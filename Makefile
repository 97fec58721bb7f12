# The front door. `make` explains itself; the work is done by CMake (CMakePresets.json), scripts/ and tools/.

.DEFAULT_GOAL := help
.PHONY: help setup build run demo test test-python test-asan test-tsan bench lint format fuzz clean
MAKEFLAGS += --no-print-directory

# What `make build` and `make run` need; the tests are built by `make test`, in the same folder.
PROGRAMS := spindle spindle-engine spindle-trainer

# Configures a preset when it never was, or when the presets or the fetched libraries have changed.
configured = build/$(1)/.configured
configure = test $(configured) -nt CMakePresets.json && test $(configured) -nt native/prefix/.stamp \
	|| { echo 'configuring build/$(1)' && cmake --preset $(1) --fresh >build/$(1).log && touch $(configured); }

help: ## Say what can be made
	@echo 'make TARGET:'
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 15

setup: ## Install what building needs (other targets do it by themselves); GROUPS="test lint sanitize bench" adds to it
	@scripts/setup.sh $(GROUPS)

build: ## Build the server into build/bin
	@scripts/setup.sh
	@$(call configure,release)
	@cmake --build --preset release --target $(PROGRAMS)

run: build ## Build and start the server on embedded storage; ARGS="--listen 127.0.0.1:9000" goes to it
	@exec build/bin/spindle serve $(ARGS)

demo: build ## See the whole loop in a few minutes: trace, evaluate, train, release; ARGS="--keep" goes to it
	@python3 demo/run.py $(ARGS)

test: ## Build and run every test; ARGS="unit --match base" chooses (tools/run_tests --help)
	@scripts/setup.sh test
	@$(call configure,release)
	@cmake --build --preset release
	@tools/run_tests $(ARGS)

test-asan: ## Build and run every test under AddressSanitizer and UndefinedBehaviorSanitizer; ARGS as for test
test-tsan: ## Build and run every test under ThreadSanitizer; ARGS as for test
test-asan test-tsan: test-%:
	@scripts/setup.sh test sanitize
	@$(call configure,$*)
	@cmake --build --preset $*
	@tools/run_tests --preset $* $(ARGS)

test-python: ## Run the tests that need PyPI: the real Python SDK, schemathesis; ARGS="-k TracedOps" chooses, SCHEMATHESIS_CASES=20000 asks for more
	@scripts/setup.sh
	@$(call configure,release)
	@cmake --build --preset release --target $(PROGRAMS)
	@scripts/test_python.sh $(ARGS)

bench: ## Measure: run the programs bench/*/run; ONLY=http chooses one
	@scripts/setup.sh bench
	@$(call configure,bench)
	@cmake --build --preset bench
	@scripts/bench.sh $(ONLY)

lint: ## Check format, layers, thread safety (clang), clang-tidy on changed files (ALL=1: on all), cppcheck
	@scripts/setup.sh lint
	@$(call configure,lint)
	@ALL=$(ALL) BASE=$(BASE) scripts/lint.sh

format: ## Format all C++ sources in place
	@scripts/setup.sh lint
	@git ls-files -z --cached --others --exclude-standard '*.h' '*.cpp' | xargs -0 clang-format-14 -i

fuzz: ## Fuzz each parser for SECONDS=60 under ASan and UBSan; ONLY=json chooses one
	@scripts/setup.sh sanitize
	@$(call configure,fuzz)
	@cmake --build --preset fuzz --target fuzzers
	@scripts/fuzz.sh $(or $(SECONDS),60) $(ONLY)

clean: ## Remove everything that was built (what was fetched stays)
	@rm -rf build
