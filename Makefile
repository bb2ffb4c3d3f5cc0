# Each target does its own set-up, in .venv and build/ beside this file.
# ARGS are passed on: make evaluate ARGS="--results /scratch/me", make test ARGS="-k report".

# Any Python that can read scripts/setup.py, which itself goes on with 3.11 or newer.
PYTHON ?= $(shell for p in python3 python3.11 python3.12 python3.13 python3.14; do \
    $$p -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null && echo $$p && break; done)
ARGS ?=

ifeq ($(PYTHON),)
$(error Python 3.11 or newer is needed and not on PATH; load a module, or: sudo apt-get install python3-venv)
endif

# Empty where make has put its own default.
named = $(if $(filter default undefined,$(origin $(1))),,$($(1)))
# One word of a shell, whatever it holds.
quoted = '$(subst ','\'',$(1))'

.PHONY: help evaluate check test test-merge test-all test-gpu gpu-kit fuzz lint format setup build clean

# Tests compile device programs, and only a device can tell what for.
check test test-merge test-all: export BANZUKE_CUDA_ARCHITECTURES ?= 90

help: ## Show these targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

evaluate: setup ## Evaluate this machine
	.venv/bin/banzuke evaluate $(ARGS)

check: ## Run the quick tests, C++ and Python: 7 minutes on two Zen 3 cores
	@$(PYTHON) scripts/setup.py test
	@.venv/bin/python -m scripts.check check $(ARGS)

test: ## Run the tests but for what is emulated and other MPI libraries: about 30 minutes on two Zen 3 cores
	@$(PYTHON) scripts/setup.py test
	@.venv/bin/python -m scripts.check test $(ARGS)

test-merge: ## Run what CI runs beside lint: these, and the C++ tests with sanitizers
	@$(PYTHON) scripts/setup.py test
	@.venv/bin/python -m scripts.check test-merge $(ARGS)

test-all: ## Run all tests: virtual machines, sanitizers, C++ on aarch64 under QEMU, more damaged input too
	@$(PYTHON) scripts/setup.py test
	@.venv/bin/python -m scripts.check test-all $(ARGS)

test-gpu: ## Run the tests of NVIDIA devices here, and print their figures
	@$(PYTHON) scripts/setup.py test
	@.venv/bin/python -m scripts.gpu_kit $(ARGS)

gpu-kit: ## Make build/gpu-kit, which does so on a machine with nothing but the driver
	@$(PYTHON) scripts/setup.py test
	@.venv/bin/python -m scripts.gpu_kit --kit $(ARGS)

fuzz: ## Look for inputs that break a reader: make fuzz ARGS="--seconds 600" runs each fuzzer for ten minutes
	@$(PYTHON) scripts/setup.py fuzz
	@.venv/bin/python -m scripts.fuzz $(ARGS)

lint: ## Check formatting, types and common mistakes in C++ and Python
	@$(PYTHON) scripts/setup.py lint
	@.venv/bin/python -m scripts.check lint

format: ## Format the C++ and Python sources
	@$(PYTHON) scripts/setup.py lint
	@.venv/bin/python -m scripts.check format

setup: ## Build and install into .venv, then stop
	@$(PYTHON) scripts/setup.py evaluate

build: ## Build all programs again: make build NAME=fast CXX=clang++ CXXFLAGS="-O2" MPI=/opt/openmpi
	@test -n $(call quoted,$(NAME)) || { echo "setup: NAME is missing: make build NAME=fast CXXFLAGS=-O2" >&2; exit 2; }
	@test -x .venv/bin/banzuke || { echo "setup: nothing is installed yet; first run make setup" >&2; exit 2; }
	@.venv/bin/python -m scripts.add_build --name $(call quoted,$(NAME)) --cxx $(call quoted,$(call named,CXX)) \
		--cxxflags=$(call quoted,$(call named,CXXFLAGS)) --mpi $(call quoted,$(MPI))

mpis: ## Install the MPI libraries that PyPI has beside the first, for `banzuke machine` to compare: make mpis
	@test -x .venv/bin/banzuke || { echo "setup: nothing is installed yet; first run make setup" >&2; exit 2; }
	@.venv/bin/python -m scripts.add_mpis

clean: ## Remove .venv and build/; results stay
	rm -rf .venv build
