"""Tests that README.md lists the benchmarks that there are."""

import pytest

from scripts.list_benchmarks import README, readme


@pytest.mark.catalogue
def test_the_table_is_what_the_command_writes() -> None:
    assert readme() == README.read_text(encoding="utf-8"), "write it again: python -m scripts.list_benchmarks"
