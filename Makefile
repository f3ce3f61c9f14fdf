# Run inside a virtual environment with the extra dev: pip install -e '.[dev]'
.PHONY: check format lint types layers ids test

check: lint types layers ids test

format:
	ruff format .
	ruff check --fix .

lint:
	ruff format --check .
	ruff check .

types:
	mypy -p webenv -m webenv_command

layers:
	lint-imports

ids:  # every id the same in two collections, or the workers of pytest-xdist collect different tests
	.ci/same_ids

test:
	pytest -n auto --no-skips -m ''  # the slow ones too
