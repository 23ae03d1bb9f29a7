# make setup | demo | test | test-slow | test-all | lint | docs | clean

PYTHON ?= python3
PIP = .venv/bin/pip install --disable-pip-version-check --quiet --constraint constraints.txt

PYTEST = .venv/bin/python -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile

.PHONY: setup demo test test-slow test-all lint docs clean

setup: .venv/installed

.venv/installed: requirements.txt constraints.txt pyproject.toml
	$(PYTHON) -m venv .venv
	$(PIP) --requirement requirements.txt
	$(PIP) --no-deps --editable .
	touch $@

.venv/test-installed: .venv/installed requirements-test.txt requirements-metrics.txt requirements-export.txt
	$(PIP) --requirement requirements-test.txt --requirement requirements-metrics.txt --requirement requirements-export.txt
	touch $@

# For the tests of Marian models and of transformers as embedders, which are skipped without it.
.venv/transformers-installed: .venv/test-installed requirements-transformers.txt
	$(PIP) --requirement requirements-transformers.txt
	touch $@

# Trains the quickstart recipe, translates its test set and scores the translations.
demo: .venv/installed
	.venv/bin/interacting-head quickstart-corpus runs/quickstart-corpus
	.venv/bin/interacting-head train quickstart
	.venv/bin/interacting-head translate -m runs/quickstart -i runs/quickstart-corpus/test.de -o runs/quickstart/test.en
	.venv/bin/interacting-head evaluate -i runs/quickstart/test.en -r runs/quickstart-corpus/test.en -m sacrebleu bleu
	@echo; echo "A few translations:"; echo
	@paste -d '\n' runs/quickstart-corpus/test.de runs/quickstart/test.en /dev/null | head -15
	@echo "Next:"
	@echo "  . .venv/bin/activate"
	@echo "  echo 'Der alte Mann liest ein Buch.' | interacting-head translate -m runs/quickstart"
	@echo "  interacting-head serve -m runs/quickstart"
	@echo "  interacting-head train --list"
	@echo "With your own text:"
	@echo "  interacting-head train --source train.de --target train.en --dev-source dev.de --dev-target dev.en"

test: .venv/test-installed lint
	$(PYTEST) -m "not slow" --durations-min=5

# Whole trainings and servers, and every combination of what `make test` tries by example.
test-slow: .venv/test-installed
	$(PYTEST) -m slow

test-all: test test-slow

lint: .venv/test-installed
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .

.venv/docs-installed: .venv/installed requirements-docs.txt
	$(PIP) --requirement requirements-docs.txt
	touch $@

# The site in site/html, from copies of the pages and of what they show.
docs: .venv/docs-installed
	rm -rf site
	mkdir -p site/pages
	cp --parents -r -t site/pages *.md LICENSE docs notebooks benchmarks/*.md benchmarks/results
	NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build

clean:
	rm -rf .venv site
