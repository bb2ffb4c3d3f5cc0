"""Reading files of sites: what is refused, with its line, and how a file's parts are named."""

from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.machine.published import MOST_BYTES, in_file, load, read

MINIMAL = """
name = "X"
[partitions.nodes]
[reports.r]
authors = ["A"]
title = "T"
published = "P"
[[figure]]
benchmark = "hpl"
metric = "flop_rate"
value = 1e9
unit = "flop/s"
as_printed = "1 GFLOPS"
kind = "measured"
report = "r"
where = "Table 1"
"""


def written(folder: Path, text: str) -> Path:
    (folder / "x.toml").write_text(text, encoding="utf-8")
    return folder


def test_a_minimal_file_is_enough(tmp_path: Path) -> None:
    (machine,) = load(written(tmp_path, MINIMAL))
    assert (machine.id, machine.figure[0].value, machine.peak(machine.figure[0], ())) == ("x", 1e9, None)


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (("value = 1e9", 'value = "much"'), "figure.0.value"),
        (("value = 1e9", "valeu = 1e9"), "figure.0.valeu"),
        (('kind = "measured"', 'kind = "guessed"'), "figure.0.kind"),
        (('report = "r"', 'report = "q"'), "unknown report 'q'"),
        (('as_printed = "1 GFLOPS"', ""), "value and as_printed go together"),
        (('name = "X"', 'name = "X'), "cannot be read"),
        (('name = "X"', 'name = "X"\nid = "y"'), "id: not allowed"),
        (("[partitions.nodes]", ""), "partitions"),
        (("[partitions.nodes]", "[partitions]"), "partitions"),
        (("[partitions.nodes]", '[partitions.""]'), "partitions"),
        (('name = "X"', 'name = ""'), "name"),
        (("[partitions.nodes]", '[partitions.nodes]\nmounts = ["/x"]'), "partitions.nodes.mounts: '/x'"),
        (("[partitions.nodes]", '[partitions.nodes]\n[[links]]\nbetween = ["nodes", "y"]'), "links.0.between: 'y'"),
        (("[partitions.nodes]", "[partitions.nodes]\n[areas.nodes]"), "'nodes' names a partition and an area"),
        (('report = "r"', 'report = "r"\nof = "gpu"'), "figure 1 is of 'gpu'"),
        (('name = "X"', f"name = {'[' * 5000}"), "cannot be read"),
        (("value = 1e9", f"value = {'1' * 5000}"), "cannot be read"),
        (("value = 1e9", "value = 1e300"), "figure.0.value"),
    ],
    ids=lambda value: value if isinstance(value, str) else value[1][:20],
)
def test_a_malformed_file_is_named_with_the_key(tmp_path: Path, change: tuple[str, str], key: str) -> None:
    with pytest.raises(BanzukeError) as caught:
        load(written(tmp_path, MINIMAL.replace(*change, 1)))
    assert str(tmp_path / "x.toml") in str(caught.value)
    assert key in str(caught.value)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (("value = 1e9", 'value = "much"'), "value = "),
        (('name = "X"', 'name = "X'), "name = "),
        (("[partitions.nodes]", '[partitions.nodes]\nmounts = ["/x"]'), "mounts = "),
        (("[partitions.nodes]", "[partitions.nodes]\nnode.memory.totl = 3"), "node.memory.totl = "),
    ],
)
def test_the_line_of_what_is_wrong_is_named(tmp_path: Path, change: tuple[str, str], line: str) -> None:
    text = MINIMAL.replace(*change, 1)
    number = next(number for number, content in enumerate(text.splitlines(), 1) if content.startswith(line))
    with pytest.raises(BanzukeError, match=rf"line {number}\b"):
        load(written(tmp_path, text))


def test_a_file_too_large_to_be_a_description_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text(MINIMAL + "#" * MOST_BYTES)
    with pytest.raises(BanzukeError, match="larger than 4 MiB"):
        read(path)


def test_the_manual_s_example_is_a_site(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "sites.md").read_text()
    path = tmp_path / "x.toml"
    path.write_text(page.partition("```toml\n")[2].partition("```")[0])
    assert read(path).partitions["cpu"].number == 500


TWO = MINIMAL.replace("[partitions.nodes]", "[partitions.cpu]\n[partitions.gpu]").replace(
    'kind = "me', 'of = "gpu"\nkind = "me'
)


def test_a_file_is_named_by_its_path_and_a_part_after_a_colon(tmp_path: Path) -> None:
    single, double = tmp_path / "one.toml", tmp_path / "two.toml"
    single.write_text(MINIMAL, encoding="utf-8")
    double.write_text(TWO, encoding="utf-8")
    machines = [in_file(f"{single}"), in_file(f"{single}:X"), in_file(f"{double}:gpu"), in_file(f"{double}:cpu")]
    assert [(m.id, m.name, len(m.figure)) for m in machines if m] == [
        ("one", "X", 1),
        ("one", "X", 1),
        ("gpu", "X gpu", 1),
        ("cpu", "X cpu", 0),
    ]
    assert in_file("last") is None
    assert in_file("last:x") is None


@pytest.mark.parametrize(
    ("part", "problem"),
    [("", "describes several machines"), (":", "describes several machines"), (":tpu", "describes no 'tpu'")],
    ids=["none", "empty", "unknown"],
)
def test_the_parts_that_could_be_named_are_told(tmp_path: Path, part: str, problem: str) -> None:
    path = tmp_path / "two.toml"
    path.write_text(TWO, encoding="utf-8")
    with pytest.raises(BanzukeError, match=problem) as caught:
        in_file(f"{path}{part}")
    assert caught.value.remedy == f"Name one: {path}:cpu or {path}:gpu"


def test_the_only_partition_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "one.toml"
    path.write_text(MINIMAL, encoding="utf-8")
    assert [m.id for m in (in_file(f"{path}:nodes"), in_file(f"{path}:Nodes")) if m] == ["one", "one"]
    with pytest.raises(BanzukeError, match="describes no 'small'") as caught:
        in_file(f"{path}:small")
    assert caught.value.remedy == f"Name one: {path}:nodes"


def test_a_partition_called_like_the_file_is_not_the_whole(tmp_path: Path) -> None:
    path = tmp_path / "gpu.toml"
    path.write_text(TWO, encoding="utf-8")
    with pytest.raises(BanzukeError, match="describes several machines"):
        in_file(f"{path}")


def test_of_names_that_differ_in_punctuation_the_exact_one_is_meant(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text(MINIMAL.replace("[partitions.nodes]", "[partitions.a-1]\n[partitions.a1]"), encoding="utf-8")
    machines = [in_file(f"{path}:{name}") for name in ("a-1", "a1", "A 1")]
    assert [m.id for m in machines if m] == ["a-1", "a1", "a-1"]


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text(MINIMAL, encoding="utf-8-sig")
    assert read(path).name == "X"


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BanzukeError, match="cannot read"):
        in_file(f"{tmp_path}/x.toml")


def test_an_area_has_figures_of_its_own(tmp_path: Path) -> None:
    text = MINIMAL.replace("[partitions.nodes]", "[partitions.nodes]\n[areas.scratch]\n[areas.home]")
    assert [m.id for m in read(written(tmp_path, text) / "x.toml").machines("x")] == ["x"]
    text = text.replace('kind = "me', 'of = "scratch"\nkind = "me')
    assert [(m.id, len(m.figure)) for m in read(written(tmp_path, text) / "x.toml").machines("x")] == [
        ("scratch", 1),
        ("x", 0),
    ]
