"""Values from input files of official codes, and the errors for wrong ones."""

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.errors import BanzukeError
from banzuke.plan.lines import Lines


def test_values_stand_first_and_the_rest_is_comment() -> None:
    lines = Lines("x.dat", "title\n 3   of\tthese\r\n1 2 3 4 more\n-2.5e1 real\nname file\n\n")
    lines.skip(1)
    assert lines.whole("count", 1, 20) == 3
    assert lines.wholes("values", 3, 0) == [1, 2, 3]
    assert lines.real("ratio") == -25.0
    assert lines.left
    assert lines.word("name") == "name"
    assert not lines.left


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("", r"x.dat, line 1: N: expected 2 whole numbers of at least 1, but there is an empty line"),
        ("7", r"but there is only 1 of them"),
        ("7 Ns", r"but there is 'Ns' as number 2"),
        ("7 0", r"but there is '0' as number 2"),
        ("1_0 2", r"'1_0' as number 1"),
        ("٣ 2", r"'٣' as number 1"),
        ("1.5 2", r"'1.5' as number 1"),
        ("9" * 5000 + " 2", r"'9{40}' as number 1"),
        ("4294967296 2", r"2 whole numbers from 1 to 2147483647, but there is '4294967296' as number 1"),
    ],
)
def test_a_wrong_value_is_named_with_its_line(line: str, error: str) -> None:
    with pytest.raises(BanzukeError, match=error):
        Lines("x.dat", line + "\nmore").wholes("N", 2, 1)


def test_a_range_is_told() -> None:
    with pytest.raises(BanzukeError, match="SWAP: expected a whole number from 0 to 2, but there is '3'"):
        Lines("x.dat", "3").whole("SWAP", 0, 2)


@pytest.mark.parametrize("word", ["much", "nan", "1e", "1e9999", "0x10", "--1"])
def test_what_is_no_number_is_refused(word: str) -> None:
    with pytest.raises(BanzukeError, match=f"x.dat, line 1: threshold: expected a number, but there is '{word}'"):
        Lines("x.dat", word).real("threshold")


def test_a_file_that_ends_too_early_says_what_is_missing() -> None:
    lines = Lines("x.dat", "1\n2\n")
    lines.skip(2)
    with pytest.raises(BanzukeError, match=r"x.dat ends too early \(line 3 should hold N, but the file has 2\)"):
        lines.whole("N", 1)


def test_files_that_cannot_be_read_or_are_no_text(tmp_path: Path) -> None:
    with pytest.raises(BanzukeError, match=r"cannot read .*No such file"):
        Lines.of(tmp_path / "missing")
    with pytest.raises(BanzukeError, match=r"cannot read .*it is a folder, not a file"):
        Lines.of(tmp_path)
    file = tmp_path / "file"
    file.write_bytes(b"1\0")
    with pytest.raises(BanzukeError, match="is not a text file"):
        Lines.of(file)
    file.write_bytes("12 Größe".encode("latin-1"))
    assert Lines.of(file).whole("N", 1) == 12


def test_an_endless_file_is_no_obstacle() -> None:
    with pytest.raises(BanzukeError, match="it is a device"):
        Lines.of(Path("/dev/zero"))


@given(st.text(max_size=60))
def test_any_text_gives_a_number_or_an_error(text: str) -> None:
    lines = Lines("x.dat", text)
    with contextlib.suppress(BanzukeError):
        assert lines.whole("N", 0) >= 0
        assert abs(lines.real("x")) >= 0
