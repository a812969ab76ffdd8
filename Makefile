# scanir: one target a job. `make` alone prints this list.
#
# The environments are made once and remade when pyproject.toml changes; to start afresh: make clean.

PYTHON ?= python3
VENV := .venv
VENV_NEW := .venv313
OLDER := 0.5.3 0.6.0
BIN := $(VENV)/bin
WORKERS ?= 2

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export JAX_PLATFORMS ?= cpu

.DEFAULT_GOAL := help
.PHONY: help demo test cases mutate corpus bench-edits soundness full campaigns docs lint format compat clean compat-newest $(OLDER:%=compat-%)
.PRECIOUS: .jax-%/.stamp

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(VENV)/.stamp: pyproject.toml
	$(PYTHON) -c 'import sys; ok = (3, 11) <= sys.version_info[:2] < (3, 14); sys.exit(0 if ok else "scanir needs Python 3.11 to 3.13; set PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[dev,frameworks]'
	touch $@

$(VENV_NEW)/.stamp: pyproject.toml .ci/find-python
	"$$(.ci/find-python 3.13)" -m venv $(VENV_NEW)
	$(VENV_NEW)/bin/python -m pip install --quiet --upgrade --upgrade-strategy eager --editable '.[test,frameworks]'
	touch $@

# An old JAX is two packages in a folder before the environment, which has everything else: nothing is installed twice.
.jax-%/.stamp: $(VENV)/.stamp
	rm -rf $(@D)
	$(BIN)/python -m pip install --quiet --no-deps --target $(@D) jax==$* jaxlib==$*
	touch $@

demo: $(VENV)/.stamp ## set up, then compare the two built-in ways to write a rollout
	$(BIN)/scanir diff lambda carry --stage all

test: $(VENV)/.stamp ## set up, then run every test that belongs to a change
	$(BIN)/python -m pytest -n $(WORKERS) -m 'not full'

cases: $(VENV)/.stamp ## the score on the folder of real questions beside the repository
	$(BIN)/python -m pytest tests/test_cases.py -q -s

mutate: $(VENV)/.stamp ## the whole mutation campaign (make test has a small share of it)
	$(BIN)/python -m tests.mutation --workers $(WORKERS) --page docs/mutants.md

corpus: $(VENV)/.stamp ## which files of the corpus beside the repository open, and why others are refused
	$(BIN)/python -m tests.corpus

bench-edits: $(VENV)/.stamp ## how long edit scripts are for edits planted in real modules, beside text
	$(BIN)/python -m tests.edits

soundness: $(VENV)/.stamp ## the table of docs/soundness.md: scanir beside text, stripped text and XLA's own prints
	$(BIN)/python -m tests.rivals --workers $(WORKERS) --write

full: $(VENV)/.stamp ## every test, the long ones too, with branch coverage
	$(BIN)/python -m pytest -n $(WORKERS) --cov --cov-report=term:skip-covered

campaigns: $(VENV)/.stamp ## the whole of the campaigns against a wrong EQUIVALENT, as tables (about half an hour on 2 cores)
	$(BIN)/python -m tests.brute.campaign
	$(BIN)/python -m tests.construct.campaign --workers $(WORKERS)

# Facts and times of each JAX, then the page. The times of loops by length are those of the project's own JAX.
DOCS := docs/closure_or_carry.py

docs: $(VENV)/.stamp $(VENV_NEW)/.stamp $(OLDER:%=.jax-%/.stamp) ## docs/closure-or-carry.md, found and measured anew (a quarter of an hour)
	for jax in $(OLDER); do for what in facts times; do PYTHONPATH=.jax-$$jax $(BIN)/python $(DOCS) $$what || exit 1; done; done
	$(VENV_NEW)/bin/python $(DOCS) facts
	$(VENV_NEW)/bin/python $(DOCS) times
	$(BIN)/python $(DOCS) facts
	$(BIN)/python $(DOCS) times --lengths
	$(BIN)/python $(DOCS) page

lint: $(VENV)/.stamp ## ruff, ruff format, mypy --strict, import direction
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.stamp ## rewrite the tree as lint wants it
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

compat: compat-newest $(OLDER:%=compat-%) ## the chosen subsets: newest JAX under Python 3.13, then each old JAX

compat-newest: $(VENV_NEW)/.stamp
	@$(VENV_NEW)/bin/python -c 'import sys, jax; print("compat: Python", sys.version.split()[0], "with JAX", jax.__version__)'
	$(VENV_NEW)/bin/python -m pytest -n $(WORKERS) -m 'compat and not full'

$(OLDER:%=compat-%): compat-%: .jax-%/.stamp
	@PYTHONPATH=$(<D) $(BIN)/python -c 'import sys, jax; print("compat: Python", sys.version.split()[0], "with JAX", jax.__version__)'
	PYTHONPATH=$(<D) $(BIN)/python -m pytest -n $(WORKERS) -m 'older and not full'

clean: ## remove the environments and caches
	rm -rf $(VENV) $(VENV_NEW) .jax-* .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis build *.egg-info
