# Two commands matter: `make run` and `make test`. Both make their own .venv first; they need Python 3.11 or newer and
# a package registry, nothing else. `uv` is used when it is there, because it is quicker.

VENV   ?= .venv
PYTHON ?= $(shell command -v python3.11 || command -v python3)
MODEL  ?= examples/satellite.lsd
OUT    ?= out
SEED   ?= 0

BIN := $(VENV)/bin
PY  := $(BIN)/python
UV  := $(shell command -v uv 2>/dev/null)

ifdef UV
create  = $(UV) venv --quiet --seed --python $(PYTHON) $(VENV)
install = $(UV) pip install --quiet --python $(PY)
else
create  = $(PYTHON) -m venv $(VENV)
install = $(PY) -m pip install --quiet
endif

.DELETE_ON_ERROR:
.PHONY: help run test audit quick lint docs bench lock clean distclean

help:
	@echo "make run     simulate $(MODEL), write a report with its animation, and say where the results are"
	@echo "make test    formatting, lint, types, layers and every test"
	@echo "make quick   the tests that take seconds"
	@echo "make audit   10,000 mobilities, 4,000 claims and 5,000 algebra terms against known answers (SEED=0)"
	@echo "make docs    the manual in docs/_build/html"
	@echo "make bench   the benchmarks beside installed peers, on one page: $(OUT)/bench/index.html"
	@echo "make lock    pin what development needs in requirements-dev.lock, with hashes"
	@echo "make clean   remove what the commands above made; distclean removes $(VENV) too"

# The stamps live in the environment, so removing it forgets them; a newer pyproject.toml installs again.
$(VENV)/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "dalembert needs Python 3.11 or newer: make PYTHON=/path/to/python3.11"; exit 1; }
	@echo "making $(VENV)"
	@$(create)

$(VENV)/.installed: pyproject.toml | $(VENV)/pyvenv.cfg
	@echo "installing dalembert in $(VENV) (a minute or two the first time)"
	@$(install) --editable .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(VENV)/pyvenv.cfg
	@echo "installing dalembert and its development tools in $(VENV) (a few minutes the first time)"
	@$(install) --editable '.[dev]'
	@touch $@ $(VENV)/.installed

run: $(VENV)/.installed
	@$(BIN)/dalembert simulate $(MODEL) --until 10 --out $(OUT)/ --plot
	@$(BIN)/dalembert report $(MODEL) --until 10 --out $(OUT)/report.html > $(OUT)/.made && rm -f $(OUT)/.made
	@echo "results:"; for file in $(OUT)/*; do echo "  $$file"; done
	@echo "Open $(OUT)/report.html in a browser; then try $(BIN)/dalembert report examples/four_bar.lsd -o $(OUT)/four_bar.html"

lint: $(VENV)/.installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint
	$(BIN)/pytest -n 2

quick: $(VENV)/.installed-dev
	$(BIN)/pytest -n 2 -m "not slow"

docs: $(VENV)/.installed-dev
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet docs docs/_build/html
	@echo "open docs/_build/html/index.html"

audit: $(VENV)/.installed-dev
	$(PY) benchmarks/audit_mobility.py 10000 $(SEED)
	PYTHONPATH=tests $(PY) tests/analytic/claim_forge.py 2000 $(SEED)
	PYTHONPATH=tests $(PY) tests/algebra/audit.py 5000 $(SEED)

lock: $(VENV)/pyvenv.cfg
	$(PY) benchmarks/lock.py

bench: $(VENV)/.installed-dev
	$(PY) benchmarks/bench.py --out $(OUT)/bench
	@echo "open $(OUT)/bench/index.html"

clean:
	rm -rf $(OUT) build dist docs/_build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find src tests examples benchmarks docs -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean
	rm -rf $(VENV)
