# Every target makes the virtual environment it needs; nothing is written outside this directory.
#
#     make demo                       build, dump and inspect a small dataset
#     make bench PHOTOS=DIR           measure, with your own labelled photos too
#     make test PYTHON=python3.13 VENV=.venv-3.13

PYTHON ?= python3
VENV ?= .venv
VENV_INTEROP ?= .venv-interop
PIP_OPTIONS ?=
PYTEST_OPTIONS ?=
BENCH_OPTIONS ?=
PHOTOS ?=

bin := $(VENV)/bin
pip := -m pip install --quiet --disable-pip-version-check
plain := not stress and not fuzz and not interop

.PHONY: demo test stress fuzz interop lint format proto protobuf-versions bench clean

demo: $(VENV)/.package
	rm -rf demo
	$(bin)/python benchmarks/photos.py demo/photos --classes cat dog --images 8 --size 500x375
	$(bin)/tfrec build demo/photos demo/out.tfrecords
	$(bin)/tfrec dump demo/out.tfrecords demo/show
	$(bin)/tfrec inspect demo/out.tfrecords

test: $(VENV)/.dev
	$(bin)/python -m pytest -m "$(plain)" $(PYTEST_OPTIONS)

stress: $(VENV)/.dev
	$(bin)/python -m pytest -m stress --timeout 900 $(PYTEST_OPTIONS)

fuzz: $(VENV)/.dev
	$(bin)/python -m pytest -m fuzz --timeout 3600 $(PYTEST_OPTIONS)

interop: $(VENV_INTEROP)/.interop
	$(VENV_INTEROP)/bin/python -m pytest -m interop --timeout 600 $(PYTEST_OPTIONS)

lint: $(VENV)/.dev
	$(bin)/ruff check
	$(bin)/ruff format --check
	$(bin)/mypy
	$(bin)/lint-imports

format: $(VENV)/.dev
	$(bin)/ruff check --fix
	$(bin)/ruff format

proto:
	sh proto/compile.sh

protobuf-versions:
	sh proto/test_versions.sh

bench: $(VENV_INTEROP)/.bench
	$(VENV_INTEROP)/bin/python benchmarks/run.py --write $(if $(PHOTOS),--photos "$(PHOTOS)") $(BENCH_OPTIONS)

clean:
	rm -rf .venv .venv-* demo build dist benchmarks/results .hypothesis .*_cache
	find tfrec tests benchmarks -name __pycache__ -prune -exec rm -rf {} +

# The stamps stand for what is installed; a change of pyproject.toml installs it anew.
# `--group` needs pip 25.1, and the pip of a new venv is older.
%/.package: pyproject.toml
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python $(pip) --upgrade "pip>=25.1"
	$(@D)/bin/python $(pip) $(PIP_OPTIONS) --editable .
	touch $@

%/.dev: %/.package
	$(@D)/bin/python $(pip) $(PIP_OPTIONS) --editable . --group dev
	touch $@

%/.interop: %/.package
	$(@D)/bin/python $(pip) $(PIP_OPTIONS) --editable . --group dev --group interop
	touch $@

%/.bench: %/.interop
	$(@D)/bin/python $(pip) $(PIP_OPTIONS) --editable . --group bench
	touch $@

.SECONDARY:
