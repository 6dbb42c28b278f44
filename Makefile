# Two commands set everything up: `make demo` and `make test`. EXTRAS=finetune adds an extra.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
EXTRAS ?=
# Installed before the finetune extra, by itself: where a CPU build is offered, pip takes that.
TORCH := torch==2.13.0
comma := ,
STAMP = $(VENV)/.installed-$(1)

.PHONY: demo docs test check format clean bench
.NOTPARALLEL:

demo: $(call STAMP,base)
	@$(BIN)/sociolab demo --store demo.db --html demo-report.html

docs: $(call STAMP,docs)
	@$(BIN)/python tools/site.py

test: $(call STAMP,dev) extras
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
# Bytecode is kept, whatever the shell says: to compile the tests anew is half of collecting them.
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -n 2 -rs

.PHONY: extras
extras: | $(VENV)/bin/python
ifneq ($(findstring finetune,$(EXTRAS)),)
	$(BIN)/pip install -q -c constraints.txt $(TORCH)
endif
ifneq ($(EXTRAS),)
	$(BIN)/pip install -q -c constraints.txt -e ".[$(EXTRAS)]"
endif

format:
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

$(VENV)/bin/python:
	@$(PYTHON) -m venv $(VENV) 2>/dev/null || python3 -m venv $(VENV)
	@$(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11) and "sociolab needs Python 3.11 or newer, found " + sys.version)'

$(call STAMP,base): pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo 'Installing sociolab into $(VENV) ...'
	@$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt -e .
	@touch $@

$(call STAMP,dev): pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/pip install -q -c constraints.txt -e ".[dev]"
	touch $@

$(call STAMP,docs): pyproject.toml constraints.txt | $(VENV)/bin/python
	@$(BIN)/pip install -q -c constraints.txt -e ".[docs]"
	@touch $@

clean:
	rm -rf $(VENV) build dist site .cache demo.db* demo-report*.html
