"""Lists of hosts as people and batch systems write them."""

import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.errors import BanzukeError
from banzuke.machine.hosts import expanded, folded, short


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("a,b", ["a", "b"]),
        ("b, a,b", ["b", "a"]),
        ("node[01-03,7],login", ["node01", "node02", "node03", "node7", "login"]),
        ("node[001-003,5],x", ["node001", "node002", "node003", "node5", "x"]),
        ("n[3,1,2]", ["n3", "n1", "n2"]),
        ("n[7,5-6],n[6-8]", ["n7", "n5", "n6", "n8"]),
        ("node[09-10,1]", ["node09", "node10", "node1"]),
        ("n[01,1]", ["n01", "n1"]),
        ("n[1-03]", ["n1", "n2", "n3"]),
        ("r[2,1]n[9-10]", ["r2n9", "r2n10", "r1n9", "r1n10"]),
        ("n[1-2][3-4]", ["n13", "n14", "n23", "n24"]),
        ("n[0-4/2]", ["n0", "n2", "n4"]),
        ("r[1-2]n[09-10]", ["r1n09", "r1n10", "r2n09", "r2n10"]),
        ("c[1]-ib.example.org", ["c1-ib.example.org"]),
        ("10.0.0.[1-2]", ["10.0.0.1", "10.0.0.2"]),
        ("", []),
    ],
)
def test_lists(text: str, hosts: list[str]) -> None:
    assert expanded(text) == hosts


@pytest.mark.parametrize(
    "text",
    [
        "a b",
        "-x",
        "a[3-1]",
        "vm,node[3-1]",
        "a[1,,2]",
        "a[0-4/0]",
        "a[1-2",
        "a[]",
        "a[x]",
        "a;rm",
        "a:4",
        "@all",
        "a!b",
        "a&b",
        "$(x)",
        "`x`",
        "a[-1-2]",
        "a]",
        "a[1-3]!a[2]",
    ],
)
def test_what_is_no_list_is_named(text: str) -> None:
    with pytest.raises(BanzukeError, match="is not a list of hosts"):
        expanded(text)


@pytest.mark.skipif(not shutil.which("scontrol"), reason="Slurm is not installed")
@pytest.mark.parametrize("text", ["n[3,1,2]", "r[2,1]n[09-10]", "node[09-10,1],b,a", "n[01-3,1-03]", "10.0.0.[1-2]"])
def test_slurms_own_order(text: str, tmp_path: Path) -> None:
    (tmp_path / "slurm.conf").write_text("ClusterName=x\nSlurmctldHost=localhost\nNodeName=localhost\n")
    command = ["scontrol", "show", "hostnames", text]
    listed = subprocess.run(
        command, env={"SLURM_CONF": str(tmp_path / "slurm.conf")}, capture_output=True, text=True, check=True
    )
    assert expanded(text) == list(dict.fromkeys(listed.stdout.split()))


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("N1.example.org", "n1"),
        ("n1", "n1"),
        ("10.0.0.1", "10.0.0.1"),
        ("fe80::1", "fe80::1"),
        ("10.example.org", "10"),
        ("ip-10-0-0-1.ec2.internal", "ip-10-0-0-1"),
    ],
)
def test_an_address_has_no_domain(host: str, name: str) -> None:
    assert short(host) == name


MANY = ",".join(map(str, range(1000)))


@pytest.mark.parametrize(
    "text",
    [
        "n[1-999999999]",
        "n[1-9999]m[1-9999]",
        f"n[1-{'9' * 5000}]",
        f"n[{MANY}]m[{MANY}]",
        ",".join(f"a{number}x[1-200000]" for number in range(99)),
    ],
)
def test_a_mistyped_range_is_refused_before_its_hosts_are_made(text: str) -> None:
    begun = time.process_time()  # others may use the processors
    with pytest.raises(BanzukeError, match="is not a list of hosts"):
        expanded(text)
    assert time.process_time() - begun < 1


@given(st.lists(st.from_regex(r"[a-z]{1,3}[0-9]{0,3}(-ib)?", fullmatch=True), unique=True))
def test_folding_loses_no_host(names: list[str]) -> None:
    assert sorted(expanded(folded(names))) == sorted(names)


def test_ten_thousand_hosts_are_one_word() -> None:
    assert folded(expanded("n[00001-10000]")) == "n[00001-10000]"


@pytest.mark.parametrize("name", ["n[1-", "n[1-99999999999]", "[[", "@all", "n1!n2", "a b", "n[3-1]", "%s", ""])
def test_what_no_host_can_be_called_is_shown_as_it_is(name: str) -> None:
    assert folded([name]) == name
    assert folded(["n2", name, "n1", name]) == f"n[1-2],{name}"
