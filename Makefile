# Everything a user or developer runs. `make demo` and `make test` set up all they need.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { command -v $$p; break; }; done)
BIN := .venv/bin
FAST := not slow and not hostile and not differential and not container and not imports and not llm and not systems and not published
ELSEWHERE := --ignore=tests/serve/http --ignore=tests/serve/browser # `make test-serve` runs them
DECIDING := tests/core tests/metrics tests/validation tests/study/test_analyses.py tests/test_doctests.py
SEED ?= $(shell git rev-parse HEAD 2>/dev/null || date +%F)
unexport PYTHONDONTWRITEBYTECODE # tests start hundreds of processes, and each would compile what it imports

.PHONY: demo demo-full test test-slow test-hostile test-differential test-sample test-coverage test-coverage-all test-containers test-imports test-llm test-hf test-train test-systems test-kill bench-engine bench-train bench-scale test-published bench-mine test-serve check install format docs clean

demo: install  ## the whole line on the built-in benchmark: leaderboard and HTML report
	$(BIN)/repairlab demo

demo-full: install  ## the same on all bugs, with more candidates
	$(BIN)/repairlab demo --full

test: install  ## format, lint, types, import contracts, and all tests that take seconds
	$(BIN)/ruff format --check -q .
	$(BIN)/ruff check -q .
	$(BIN)/lint-imports -q 2>/dev/null || $(BIN)/lint-imports
	@# mypy uses one core for half a minute, and many tests wait for a limit on time
	$(BIN)/mypy & types=$$!; $(BIN)/pytest -q -n 3 --dist worksteal $(ELSEWHERE) -m "$(FAST)"; tests=$$?; wait $$types && exit $$tests

test-slow: install  ## tests that take longer: whole lines from the README to the report, tool chains at length, killed runs
	$(BIN)/pytest -q -n 3 --dist worksteal $(ELSEWHERE) -m "slow$(subst not slow,,$(FAST))"

test-hostile: install  ## every hostile case on every back end that runs here, and the launcher under sanitizers
	$(BIN)/pytest -q -n 2 --dist worksteal -m hostile # neighbours share validators

test-differential: install  ## the warm path against fresh processes, on all bugs of the built-in benchmark
	$(BIN)/pytest -q -n 2 -m differential

test-sample: install  ## a sample of the hostile and the differential tests, drawn by the commit (SEED=… draws another)
	@echo "sample drawn by $(SEED)"
	$(BIN)/pytest -q -n 2 -m hostile --sample 60 --sample-seed "$(SEED)"
	REPAIRLAB_DIFFERENTIAL=10 $(BIN)/pytest -q -n 2 -m differential --sample 10 --sample-seed "$(SEED)"

test-coverage: install  ## every branch of what decides is reached, by the tests of core, metrics and validation
	$(BIN)/pytest -q -n 3 $(DECIDING) --cov --cov-report= -W default::coverage.exceptions.CoverageWarning # of processes that are killed
	$(BIN)/coverage report --skip-covered -m --include='src/repairlab/core/*,src/repairlab/metrics/*,src/repairlab/validation/*' --fail-under=100

test-coverage-all: install  ## all tests, and how much of the code they reach: nine tenths at least
	$(BIN)/pytest -q -n 3 --cov --cov-report= -W default::coverage.exceptions.CoverageWarning
	$(BIN)/coverage report --skip-covered --fail-under=90

test-containers: install  ## the sandboxes of podman, where it is installed
	$(BIN)/pytest -q -n 2 tests/sandbox -m container

test-imports: install  ## importers on small sources of every form, checked for real
	$(BIN)/pytest -q -n 2 tests/building/importers -m "imports or not imports"

test-llm: install  ## language models: SmolLM2 on llama.cpp, downloaded once; transformers where it is installed
	$(BIN)/pytest -q tests/llm_server tests/test_llm_line.py tests/test_presets.py -m "llm or not llm"

test-hf: install  ## models by transformers, in process and as a server; installs torch
	$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt -e '.[dev,hf]' 'transformers[serving]'
	$(BIN)/pytest -q tests/llm_server/test_transformers.py -m llm

test-train: install  ## networks and training, also by rewards; installs torch, transformers, peft and trl
	$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt -e '.[dev,train]' trl
	OMP_NUM_THREADS=1 $(BIN)/pytest -q -n 2 tests/learning/networks tests/learning/training tests/learning/neural tests/test_grpo_example.py
	OMP_NUM_THREADS=1 $(BIN)/pytest -q tests/test_papers_map.py -m "slow or not slow" -k "MODEL or npr4j or fixeval"

test-serve: install  ## the service, the viewer in a real browser, Ray, other harnesses; installs FastAPI, uvicorn, Playwright, Chromium, Ray, Inspect, lm_eval and DuckDB
	@BROWSER=1 PYTHON="$(PYTHON)" scripts/system-packages
	$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt -e '.[dev,web,browser,ray,inspect,lm-eval,duckdb]'
	$(BIN)/pytest -q -n 2 tests/serve/http tests/serve/browser tests/ray tests/serve/harnesses tests/study/test_run_tables.py

test-systems: install  ## every system learns a pattern on the CPU, which takes many minutes
	$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt -e '.[dev,train]'
	OMP_NUM_THREADS=1 $(BIN)/pytest -q -n 2 tests/learning/training -m systems

test-published: install  ## what papers published is read and recovered, where ../shared/data has it
	$(BIN)/pytest -q -n 2 -m published

bench-train: install  ## training beside a plain loop, decoding beside transformers' generate; --device cuda on a GPU
	$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt -e '.[dev,train]'
	$(BIN)/python bench/train.py $(if $(shell command -v nvidia-smi),,--quick)

test-kill: install  ## a run is killed at twenty moments and resumed each time; nothing may be lost, doubled or changed
	$(BIN)/python bench/kill.py

bench-engine: install  ## validation the naive way and ours, side by side
	$(BIN)/python bench/engine.py

bench-scale: install  ## the pool beside Ray clusters of 1, 2 and 4 machines, and what 1,000 cores would do; installs ray
	$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt -e '.[dev,ray]'
	$(BIN)/python bench/cluster.py

bench-mine: install  ## mining the naive way and ours, side by side: verified commits per CPU minute
	$(BIN)/python bench/mine.py

check: install  ## what every commit passes: format, lint, types, import contracts, fast tests
	$(BIN)/ruff format --check -q .
	$(BIN)/ruff check -q .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -q -n 2 --dist worksteal $(ELSEWHERE) -m "$(FAST)"

format: install
	$(BIN)/ruff format -q .
	$(BIN)/ruff check -q --fix .

docs: install
	$(BIN)/pip install -q -c constraints.txt -e '.[docs]'
	$(BIN)/mkdocs build --strict

install: .venv/installed
	@$(BIN)/python -m compileall -q -x benchmarks/data src # a checkout starts as fast as a wheel

.venv/installed: pyproject.toml constraints.txt scripts/system-packages
	@test -n "$(PYTHON)" || { echo "repairlab needs Python 3.11 or newer; install python3.11 and python3.11-venv" >&2; exit 1; }
	@PYTHON="$(PYTHON)" scripts/system-packages
	@test -x $(BIN)/python || "$(PYTHON)" -m venv .venv
	$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt -e '.[dev,web]'
	@touch $@

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage* dist build site runs
