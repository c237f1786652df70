# Needs make and Python 3.11 or newer, nothing else. Choose the Python with `make run PYTHON=python3.13`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check --require-virtualenv

.DEFAULT_GOAL := help
.PHONY: help run test lint format lock clean pictures chromium

help: ## show this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1	\2/p' $(MAKEFILE_LIST) | expand -t 16

run: $(VENV)/run.stamp ## set up what is missing and start Souvenance
	@$(BIN)/souvenance serve

test: lint chromium ## set up what is missing, check the code, run every test
	$(BIN)/python -m pytest -n 2

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

pictures: $(VENV)/dev.stamp chromium ## take a picture of every page of the panel, into build/pictures
	$(BIN)/python -m pytest -q tests/journeys/pictures.py

# The panel's tests drive a real browser. As root on Debian it is installed; elsewhere the tests say how to get one.
chromium:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || test -n "$$SOUVENANCE_TEST_CHROMIUM" || { \
		test "$$(id -u)" = 0 && command -v apt-get >/dev/null && { \
			echo "Installing Chromium for the panel's tests ..."; \
			apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; } || \
		echo "There is no Chromium here; install it (Debian: apt install chromium) or set SOUVENANCE_TEST_CHROMIUM." >&2; }

format: $(VENV)/dev.stamp ## put the code in the project's form
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

# `make lock UPGRADE=--upgrade` moves every pin to its newest version. Run it with the oldest Python supported.
LOCK = CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/pip-compile --quiet --generate-hashes --allow-unsafe --strip-extras \
	--no-emit-index-url --no-emit-find-links --no-emit-trusted-host --build-deps-for editable $(UPGRADE) pyproject.toml
lock: $(VENV)/dev.stamp ## pin the dependencies that pyproject.toml asks for
	$(LOCK) --output-file requirements.lock
	$(LOCK) --extra dev --constraint requirements.lock --output-file requirements-dev.lock

clean: ## remove the environment and every cache
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# The environment. A stamp is older than its lock when the lock has changed: then, and only then, pip runs again.
# One that was left half made, or whose Python has been upgraded or removed since, is made anew.
ifneq ($(shell $(BIN)/python -c 'import pip; print("whole")' 2>/dev/null),whole)
.PHONY: $(BIN)/python
endif
$(BIN)/python:
	@command -v "$(PYTHON)" >/dev/null || { \
		echo "Souvenance needs Python 3.11 or newer, and there is no '$(PYTHON)' here." >&2; \
		echo "Install one, or name yours: make $(MAKECMDGOALS) PYTHON=/path/to/python3" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Souvenance needs Python 3.11 or newer; '$(PYTHON)' is $$("$(PYTHON)" --version 2>&1)." >&2; \
		echo "Name a newer one: make $(MAKECMDGOALS) PYTHON=python3.13" >&2; exit 1; }
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "'$(PYTHON)' comes without its venv module. On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	@echo "Setting up $(VENV) (once; a minute or two) ..."
	@"$(PYTHON)" -m venv --clear $(VENV)

$(VENV)/run.stamp: $(BIN)/python requirements.lock pyproject.toml
	@$(PIP) install --require-hashes --requirement requirements.lock
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/dev.stamp: $(BIN)/python requirements-dev.lock pyproject.toml
	@$(PIP) install --require-hashes --requirement requirements-dev.lock
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@
