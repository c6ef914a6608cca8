# The one menu. Each target makes the virtual environment it needs; nothing outside this folder changes.
PYTHON ?= python3
VENV   := .venv
PY     := $(VENV)/bin/python
PIP    := $(PY) -m pip --disable-pip-version-check --quiet
C      := -c constraints/dev.txt

.PHONY: help setup demo test test-mcp1 lint types fmt check doctor docs bench bench-guard bench-audit fuzz mutation mutation-cut mutation-guard matrix matrix-cut clean

help:
	@grep -E '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

$(VENV)/.base: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("posthog-scrubber needs Python 3.10 or newer; set PYTHON=") if sys.version_info < (3, 10) else 0'
	test -x $(PY) || $(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.demo: $(VENV)/.base constraints/dev.txt
	$(PIP) install $(C) -e '.[demo]'
	touch $@

$(VENV)/.dev: $(VENV)/.base constraints/dev.txt
	$(PIP) install $(C) -e '.[dev]'
	touch $@

$(VENV)/.bench: $(VENV)/.dev
	$(PIP) install $(C) -e '.[dev,bench]'
	touch $@

$(VENV)/.fuzz: $(VENV)/.dev
	$(PIP) install $(C) -e '.[dev,fuzz]'
	touch $@

$(VENV)/.mutation: $(VENV)/.dev
	$(PIP) install $(C) -e '.[dev,mutation]'
	touch $@

$(VENV)/.matrix: $(VENV)/.base constraints/dev.txt
	$(PIP) install $(C) -e '.[matrix]'
	touch $@

# The other line of the SDKs: mcp 1.x and fastmcp 3 cannot stand beside mcp 2.x in one environment.
.venvs/mcp1/.dev: pyproject.toml constraints/mcp1.txt
	test -x .venvs/mcp1/bin/python || $(PYTHON) -m venv .venvs/mcp1
	.venvs/mcp1/bin/python -m pip --disable-pip-version-check --quiet install -c constraints/mcp1.txt -e . posthog fastmcp mcp pytest pytest-xdist hypothesis
	touch $@

setup: $(VENV)/.dev ## the development environment

demo: $(VENV)/.demo ## a real server and client, without and with the hook, side by side
	$(PY) docs/examples/demo.py

test: $(VENV)/.dev ## the tests, against the newest SDKs
	$(PY) -m pytest -n auto

test-mcp1: .venvs/mcp1/.dev ## the live tests, against mcp 1.x and fastmcp 3
	.venvs/mcp1/bin/python -m pytest -n auto tests/live tests/doctor tests/guard tests/testing

lint: $(VENV)/.dev ## ruff
	$(PY) -m ruff check .
	$(PY) -m ruff format --check scrubber tests tools docs

types: $(VENV)/.dev ## mypy, strict
	$(PY) -m mypy

fmt: $(VENV)/.dev ## format and sort imports
	$(PY) -m ruff check --fix-only .
	$(PY) -m ruff format scrubber tests tools docs

check: lint types docs test test-mcp1 matrix-cut mutation-cut ## what CI runs

doctor: $(VENV)/.dev ## does the hook do its work with the SDKs installed here
	$(PY) -m scrubber doctor

bench: $(VENV)/.bench ## the hook beside its peers, in one run
	$(PY) tools/bench.py

bench-guard: $(VENV)/.dev ## what the argument guard adds to a good call, with and without in one run
	$(PY) tools/bench_guard.py

$(VENV)/.docs: $(VENV)/.base constraints/dev.txt
	$(PIP) install $(C) -e '.[docs]'
	touch $@

docs: $(VENV)/.docs ## the pages of docs/, with warnings as errors, into site/
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build --strict --quiet

bench-audit: $(VENV)/.dev ## a full audit beside jq, on 200 MB of recorded shapes
	$(PY) tools/bench_audit.py

matrix: $(VENV)/.matrix ## the live scenarios on every line of the SDKs, posthog, pydantic and Python
	$(PY) tools/matrix.py

matrix-cut: $(VENV)/.matrix ## the same on the newest of four lines
	$(PY) tools/matrix.py --cut

fuzz: $(VENV)/.fuzz ## fuzz by coverage, SECONDS of it for each target (120)
	$(PY) tools/fuzz.py --seconds $(or $(SECONDS),120)

mutation: $(VENV)/.mutation ## every mutant of the modules that decide, for at most MINUTES (90)
	$(PY) tools/mutation.py --minutes $(or $(MINUTES),90)

mutation-cut: $(VENV)/.dev ## the mutations that a rule's test must catch
	$(PY) tools/mutation_cut.py

mutation-guard: $(VENV)/.dev ## the mutations of the argument guard that a test must catch
	$(PY) tools/mutation_cut.py --list tools/mutation_guard.toml

clean: ## remove what the other targets made
	rm -rf $(VENV) .venvs .fuzz site .pytest_cache .mypy_cache .ruff_cache .hypothesis mutants
