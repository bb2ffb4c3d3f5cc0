"""Host lists as batch systems write them."""

from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.machine.allocation import allocation, elsewhere, hosts


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a,b", ["a", "b"]),
        ("b, a,b", ["b", "a"]),
        ("node[01-03,7],login", ["node01", "node02", "node03", "node7", "login"]),
        ("r[1-2]n[09-10]", ["r1n09", "r1n10", "r2n09", "r2n10"]),
        ("c[1]-ib.example.org", ["c1-ib.example.org"]),
        ("", []),
    ],
)
def test_lists(text: str, found: list[str]) -> None:
    assert hosts(text) == found


@pytest.mark.parametrize("text", ["a b", "-x", "a[3-1]", "a[1-2", "a[]", "a[x]", "a;rm", "a:4", "n[1-999999999]"])
def test_what_is_no_list_is_named(text: str) -> None:
    with pytest.raises(BanzukeError, match="is not a list of hosts"):
        hosts(text)


def test_slurm() -> None:
    assert allocation({"SLURM_JOB_NODELIST": "n[1-2]"}) == ["n1", "n2"]
    assert allocation({"SLURM_JOB_NODELIST": "n[1-"}) == []


@pytest.mark.parametrize("variable", ["PBS_NODEFILE", "PJM_O_NODEINF"])
def test_files_name_a_host_for_each_slot(variable: str, tmp_path: Path) -> None:
    file = tmp_path / "nodes"
    file.write_text("n2\nn2\n\nn1 slots=2\nn1\n")
    assert allocation({variable: str(file)}) == ["n2", "n1"]
    assert allocation({variable: str(tmp_path / "none")}) == []


def test_this_host_alone_is_no_allocation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "n1.example.org")
    assert allocation({"SLURM_JOB_NODELIST": "n1"}) == []
    monkeypatch.setattr("socket.gethostname", lambda: "login")
    assert allocation({"SLURM_JOB_NODELIST": "n1"}) == ["n1"]
    assert allocation({}) == []


@pytest.mark.parametrize(
    ("names", "other"),
    [
        ([], False),
        (["n1", "n2.example.org"], False),
        (["N2"], False),
        (["n1", "127.0.0.1"], False),
        (["n1", "n3"], True),
        (["n" * 80], True),
    ],
)
def test_whether_this_host_is_among_them(names: list[str], *, other: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "n2")
    assert elsewhere(names) == other
