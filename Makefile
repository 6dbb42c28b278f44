# Two commands set everything up: `make demo` and `make test`. EXTRAS=finetune adds an
# extra; EXTRAS=litellm runs that extra's tests, in an environment of its own.
# `make test-extras` installs every extra and runs the tests of each.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
EXTRAS ?=
# Installed before the extras finetune and trl, by itself: where a CPU build is offered, pip takes that.
TORCH := torch==2.13.0
comma := ,
wanted := $(subst $(comma), ,$(EXTRAS))
# An extra that cannot live with constraints.txt has constraints-NAME.txt, and with it an environment
# and tests of its own: .venv-NAME, tests/extras/NAME.
apart := $(strip $(foreach one,$(wanted),$(if $(wildcard constraints-$(one).txt),$(one))))
within := $(subst $() ,$(comma),$(strip $(filter-out $(apart),$(wanted))))
STAMP = $(VENV)/.installed-$(1)
# The tests that need an extra, which are skipped where it is not installed. (Those of an extra with
# an environment of its own are the folder that is named after it.)
TESTS_docs := tests/extras/docs
TESTS_figures := tests/report/test_figures.py
TESTS_finetune := tests/worlds/anteval/test_virtual_dm_finetune.py \
  tests/worlds/anteval/test_virtual_dm_lora.py tests/models/test_embeddings.py \
  tests/cli/test_gap_command.py
TESTS_mcp := tests/extras/mcp
TESTS_parquet := tests/store/test_parquet.py
TESTS_pettingzoo := tests/training/test_pettingzoo.py
TESTS_ray := tests/app/run/test_on_ray.py
TESTS_virtual-dm := tests/worlds/anteval/test_virtual_dm_linear.py
TESTS_xlsx := tests/studies/test_ratings_in_spreadsheets.py
together := $(patsubst TESTS_%,%,$(sort $(filter TESTS_%,$(.VARIABLES))))

.PHONY: demo docs test test-here test-extras test-realmodel check format clean bench
.NOTPARALLEL:

demo: $(call STAMP,base)
	@$(BIN)/sociolab demo --store demo.db --html demo-report.html

docs: $(call STAMP,docs)
	@$(BIN)/python tools/site.py

test: $(apart:%=test-%) $(if $(or $(within),$(if $(apart),,all)),test-here)

test-here: $(call STAMP,dev) extras
	$(BIN)/ruff check
	$(BIN)/ruff format --check
# Bytecode is kept, whatever the shell says: to compile the tests anew is half of collecting them. It
# is done beside mypy, which uses one processor, and not by both workers.
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest --collect-only > /dev/null 2>&1 & \
	$(BIN)/mypy; found=$$?; wait; exit $$found
	$(BIN)/lint-imports
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -n 2 --dist worksteal -rs

.PHONY: extras
extras: | $(VENV)/bin/python
ifneq ($(findstring finetune,$(within)),)
	$(BIN)/pip install -q -c constraints.txt $(TORCH)
endif
ifneq ($(within),)
	$(BIN)/pip install -q -c constraints.txt -e ".[$(within)]"
endif
ifneq ($(apart),)
	@$(MAKE) --no-print-directory $(apart:%=.venv-%/.installed)
endif

.venv-%/.installed: constraints-%.txt tests/extras/%/requirements.txt pyproject.toml
	$(PYTHON) -m venv .venv-$* || python3 -m venv .venv-$*
	$(if $(filter trl,$*),.venv-$*/bin/pip install -q --disable-pip-version-check $(TORCH))
	.venv-$*/bin/pip install -q --disable-pip-version-check -c $< -r tests/extras/$*/requirements.txt -e ".[$*]"
	touch $@

.PRECIOUS: .venv-%/.installed
test-%: .venv-%/.installed
	PYTHONDONTWRITEBYTECODE= .venv-$*/bin/pytest -rs tests/extras/$*

test-extras: $(call STAMP,dev)
	@$(MAKE) --no-print-directory extras EXTRAS=$(subst $() ,$(comma),$(together))
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -rs $(foreach extra,$(together),$(TESTS_$(extra)))
	@$(MAKE) --no-print-directory $(patsubst constraints-%.txt,test-%,$(wildcard constraints-*.txt))

# With the server that SOCIOLAB_REAL_MODEL_URL names, see CONTRIBUTING.md; without one, it says so.
test-realmodel: $(call STAMP,dev)
	@$(BIN)/python tests/realmodel/run.py

format:
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

$(VENV)/bin/python:
	@$(PYTHON) -m venv $(VENV) 2>/dev/null || python3 -m venv $(VENV)
	@$(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11) and "sociolab needs Python 3.11 or newer, found " + sys.version)'

$(call STAMP,base): pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo 'Installing sociolab into $(VENV) ...'
	@$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt -e ".[virtual-dm]"
	@touch $@

$(call STAMP,dev): pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/pip install -q -c constraints.txt -e ".[dev]"
	touch $@

$(call STAMP,docs): pyproject.toml constraints.txt | $(VENV)/bin/python
	@$(BIN)/pip install -q -c constraints.txt -e ".[docs]"
	@touch $@

clean:
	rm -rf $(VENV) .venv-* build dist site .cache demo.db* demo-report*.html
