# aresweb: `make run`, `make test`. Everything is set up in .venv/ where it is missing; running again is safe.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check --require-hashes -r

.PHONY: run test coverage lint bench browser-test requirements
.DELETE_ON_ERROR:

run: $(VENV)/run.stamp
	@$(BIN)/python manage.py serve

test: $(VENV)/dev.stamp
	$(BIN)/python -m pytest -n 2 -m "not browser" $(ARGS)

coverage: $(VENV)/dev.stamp
	$(BIN)/python -m coverage run -m pytest -q -m "not browser" $(ARGS)
	$(BIN)/python -m coverage report

browser-test: $(VENV)/dev.stamp
	$(BIN)/python -m pytest -m browser $(ARGS)

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/djade --target-version 5.2 --check $$(git ls-files 'templates/**.html')
	$(BIN)/mypy aresweb memory dashboard
	$(BIN)/lint-imports
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python manage.py spectacular --validate --fail-on-warn --file /dev/null

bench: $(VENV)/dev.stamp
	$(BIN)/python -m bench $(ARGS)

requirements: $(VENV)/dev.stamp
	$(BIN)/python -m pip install --quiet uv
	for set in run dev; do \
	    $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	        --no-annotate --no-header requirements/$$set.in --output-file requirements/$$set.txt; done

# Debian keeps what `venv` needs to install pip in a package of its own; the pip that is there does it as well.
$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "aresweb needs Python 3.11 or newer: PYTHON=python3.11 make …")'
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null && $(PYTHON) -m venv $(VENV) || \
	    { $(PYTHON) -m venv --without-pip $(VENV) && $(PYTHON) -m pip --python $(BIN)/python install -qq pip; }

$(VENV)/run.stamp: requirements/run.txt | $(VENV)/bin/python
	@echo "Installing into $(VENV)/ what aresweb needs. This happens once and takes a minute."
	@$(INSTALL) requirements/run.txt
	@touch $@

$(VENV)/dev.stamp: requirements/dev.txt | $(VENV)/bin/python
	@echo "Installing into $(VENV)/ what aresweb and its tests need. This happens once and takes a minute."
	@$(INSTALL) requirements/dev.txt
	@touch $@ $(VENV)/run.stamp
