"""Mistakes that people make in a site file: each is reported with its line and what to write instead."""

from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.machine.published import checked, read

FILE = """\
name = "Sea"
[partitions.cpu]
nodes = "500"
hosts = ["c[001-400]"]
mounts = ["scratch"]
node.memory.total = 96e9
[[partitions.cpu.node.processors]]
cores = 36.0
sockets = true
[areas.scratch]
mount = "scratch"
bandwidth = "40 GB/s"
capacity = 1.5
[partitions.cpu.batch]
system = "slurm"
exclusive = "yes"
modules = "gcc"
queue = 5
"""
MISTAKES = [
    "line 3: partitions.cpu.nodes: a whole number, without quotes: 500",
    "line 3: partitions.cpu: nodes is 500, hosts names 400",
    "line 8: partitions.cpu.node.processors.0.cores: a whole number, without a point or an exponent: 36",
    "line 9: partitions.cpu.node.processors.0.sockets: a whole number, not true",
    "line 11: areas.scratch.mount must begin with /, unlike 'scratch'",
    "line 12: areas.scratch.bandwidth: a number, without quotes, not '40 GB/s'",
    "line 13: areas.scratch.capacity: a whole number, not 1.5",
    "line 16: partitions.cpu.batch.exclusive: true or false, without quotes, not 'yes'",
    'line 17: partitions.cpu.batch.modules: a list, in brackets: ["gcc"]',
    'line 18: partitions.cpu.batch.queue: a text, in quotes: "5"',
]


def refused(path: Path, text: str) -> BanzukeError:
    path.write_text(text)
    with pytest.raises(BanzukeError) as refusal:
        checked(path)
    return refusal.value


def test_all_mistakes_are_told_a_line_each(tmp_path: Path) -> None:
    error = refused(tmp_path / "s.toml", FILE)
    assert list(error.details) == MISTAKES
    assert error.lines == [f"{tmp_path}/s.toml:", *MISTAKES, error.remedy]
    assert "`banzuke site init`" in error.remedy


@pytest.mark.parametrize("hosts", ['["c[1-4]"]', '["c[1-2]", "d[01-04]"]'])
def test_a_description_may_name_some_hosts_and_a_file_for_jobs_may_not(hosts: str, tmp_path: Path) -> None:
    text = f'name = "x"\n[partitions.a]\nnodes = 5\nhosts = {hosts}\n'
    assert "line 3: partitions.a: nodes is 5, hosts names" in str(refused(tmp_path / "s.toml", text))
    assert read(tmp_path / "s.toml").partitions["a"].nodes == 5


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("queue = normal", 'a text needs quotes: queue = "normal"'),
        ("queue = normal  # ours", 'a text needs quotes: queue = "normal"'),
        ("mount = /scratch", 'a text needs quotes: mount = "/scratch"'),
        ("hosts = [c[01-03,7], login]", 'texts need quotes: hosts = ["c[01-03,7]", "login"]'),
        ("hosts = [\n  c[001-400],\n]", 'line 4: a text needs quotes: "c[001-400]"'),
        ("batch = { system = slurm, queue = 'a' }", 'a text needs quotes: "slurm"'),
        ("longest = 1d", 'a text needs quotes: longest = "1d"'),
        ("exclusive = True", "true and false are written small: exclusive = true"),
        ("nodes = 0500", "a number does not begin with 0: nodes = 500"),
        ("nodes = 1,000", "a number has no commas: nodes = 1000"),
        ('queue = "normal', "a text is not closed by quotes"),
        ("nodes = 12 34", "column 12: Expected newline or end of document"),
        ("nodes = 5\nnodes = 6", "line 4, column 10: Cannot overwrite a value"),
    ],
)
def test_what_is_no_toml_is_told_by_what_it_should_be(line: str, said: str, tmp_path: Path) -> None:
    error = str(refused(tmp_path / "s.toml", f'name = "x"\n[partitions.a]\n{line}\n'))
    assert said in error
    assert "(line 3" in error or "(line 4" in error


@pytest.mark.parametrize(
    ("longest", "seconds"), [("86400", 86400), ('"1d"', 86400), ('"10m"', 600), ('"1.5 h"', 5400), ("7200.0", 7200)]
)
def test_a_time_limit_is_written_as_on_the_command_line(longest: str, seconds: float, tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text(f'name = "x"\n[partitions.a]\nbatch = {{ system = "slurm", longest = {longest} }}\n')
    batch = read(file).partitions["a"].batch
    assert batch is not None
    assert batch.longest == seconds


@pytest.mark.parametrize(
    ("longest", "said"),
    [
        ('"86400"', "longest: a number of seconds, without quotes: 86400"),
        ('"1 week"', "longest: a number of seconds, such as 86400, or a text with its unit"),
        ("true", "longest: a number, not true"),
    ],
)
def test_a_time_limit_of_another_form_is_refused(longest: str, said: str, tmp_path: Path) -> None:
    text = f'name = "x"\n[partitions.a]\nbatch = {{ system = "slurm", longest = {longest} }}\n'
    assert said in str(refused(tmp_path / "s.toml", text))


def test_bytes_may_be_written_with_an_exponent_and_keys_that_are_numbers_are_read(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text(
        'name = "x"\n[partitions.a]\nnode.memory.total = 96e9\n'
        '[[partitions.a.software.blas]]\nname = "b"\npath = "/b"\nupdate_rates = { 64 = 1e9 }\n'
    )
    partition = read(file).partitions["a"]
    assert (partition.node.memory.total, partition.software.blas[0].update_rates) == (96_000_000_000, {64: 1e9})
