# Every target sets up what it needs in .venv by itself, once, and again only when pyproject.toml changed.

PYTHON ?= python3
BIN := .venv/bin
RUNS := runs/demo

.PHONY: demo test check gpu bench docs release-check axe oldest audit clean
.DELETE_ON_ERROR:

demo: .venv/.ready
	$(BIN)/supcon train digits --method supcon --out $(RUNS)/supcon --resume
	$(BIN)/supcon train digits --method cross-entropy --out $(RUNS)/cross-entropy --resume
	$(BIN)/supcon compare $(RUNS)/supcon $(RUNS)/cross-entropy --out $(RUNS)/comparison.html

test: check
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder

check: .venv/.ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The browser tests use axe-core if it is here; it is no part of the package.
axe:
	npm install --no-save --no-audit --no-fund --prefix .axe axe-core@4

# The tests of tests/gpu on this machine's GPU; on an emulated one where there is none, as in `make test`.
gpu: .venv/.ready-dev
	SUPCON_GPU_TESTS=1 $(BIN)/python -m pytest tests/gpu

bench: .venv/.ready-bench
	for script in benchmarks/[a-z]*.py; do $(BIN)/python $$script || exit 1; done

docs: .venv/.ready-docs
	$(BIN)/mkdocs build --strict

# Wheel and source distribution: built, checked, and the wheel used in an environment that has nothing of this clone.
release-check: .venv/.ready-release
	$(BIN)/python .ci/release_check.py

# The suite with the oldest versions that pyproject.toml allows, in an environment of its own. By uv, because pip had
# found no set of versions after twenty minutes, and uv finds one in seconds.
oldest:
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet uv
	$(PYTHON) .ci/oldest.py > .venv-oldest/constraints.txt
	VIRTUAL_ENV=.venv-oldest .venv-oldest/bin/uv pip install --quiet --editable '.[dev]' --constraint .venv-oldest/constraints.txt
	.venv-oldest/bin/python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder

# Known vulnerabilities of what is installed; needs a connection.
audit: .venv/.ready
	$(BIN)/python -m pip install --quiet pip-audit
	$(BIN)/pip-audit --skip-editable

.venv/.ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("supcon needs Python 3.11 or newer, got " + sys.version.split()[0] + "; say where one is with make PYTHON=...") if sys.version_info < (3, 11) else 0'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

.venv/.ready-%: .venv/.ready
	$(BIN)/python -m pip install --quiet --editable '.[$*]'
	@touch $@

clean:
	rm -rf .venv dist .mypy_cache .pytest_cache .ruff_cache .hypothesis site $(RUNS)
