import sys
from pathlib import Path
from typing import Any

import pytest

from banzuke.environment.isolated import Isolated
from banzuke.environment.model import Kind, Wanted
from banzuke.environment.native import Native
from banzuke.environment.registry import NAMES, environment, kind_of, wanted
from banzuke.errors import BanzukeError
from banzuke.paths import PYTHON
from banzuke.testing import machine

WORDS = ["mpiexec", "-n", "2", "/a b/program", "--file", "it's.mtx"]


def test_a_tool_follows_a_colon() -> None:
    assert wanted("container:podman", "image.tar") == Wanted("container", "podman", "image.tar")
    assert wanted("isolated:user", os_cores=(0, 4)).name == "isolated:user"


@pytest.mark.parametrize("kind", list(map(kind_of, NAMES)), ids=lambda kind: kind.name)
def test_each_is_given_what_it_takes_and_no_more(kind: Kind) -> None:
    for variant in ("", *kind.variants):
        text = f"{kind.name}:{variant}" if variant else kind.name
        asked = wanted(f" {text}", "image.tar", (0,))
        assert (asked.kind, asked.variant, asked.name) == (kind.name, variant, text)
        assert bool(asked.image) is kind.takes_image
        assert bool(asked.os_cores) is kind.isolates


def test_what_is_known_of_each_beforehand() -> None:
    kinds = [kind_of(name) for name in NAMES]
    assert tuple(kind.name for kind in kinds) == NAMES
    assert {kind.name for kind in kinds if kind.takes_image} == {"container", "vm"}
    assert {kind.name for kind in kinds if kind.isolates} == {"isolated"}
    assert {kind.name for kind in kinds if kind.one_host} == {"isolated", "vm"}
    assert {kind.name for kind in kinds if not kind.watched} == {"vm"}


@pytest.mark.parametrize(
    "text",
    ["", "docker", "container:", "native:x", "isolated:some", "mckernel:1", ":podman", "container:lxc", "vm:xen"],
)
def test_what_there_is_not_is_refused(text: str) -> None:
    for read in (kind_of, wanted):
        with pytest.raises(BanzukeError, match=f"there is no environment '{text}'"):
            read(text)


def test_a_refusal_names_what_there_is() -> None:
    with pytest.raises(BanzukeError, match=r"Write vm, or vm:kvm, vm:tcg, vm:job"):
        wanted("vm:xen")
    with pytest.raises(BanzukeError, match=r"Write mckernel$"):
        wanted("mckernel:1")


@pytest.mark.parametrize(
    ("name", "there"), [("container", {"kernel": {"container": "docker"}}), ("vm", {"hypervisor": "KVM"})]
)
def test_what_a_batch_system_set_up_has_nothing_around_it(name: str, there: dict[str, Any]) -> None:
    kind = kind_of(f"{name}:job")
    assert (kind.takes_image, kind.one_host, kind.watched) == (False, False, True)
    inside = environment(wanted(f"{name}:job"), machine().changed(partition=there), Path(sys.prefix))
    assert inside.inner(WORDS, {}) == inside.outer(WORDS, {}, 1e9) == WORDS
    assert (inside.name, inside.warning, inside.details[name]) == (f"{name}:job", "", {"vm": "KVM"}.get(name, "docker"))
    outside = machine().changed(partition={"kernel": {"container": "none"}, "hypervisor": None})
    missing = environment(wanted(f"{name}:job"), outside, Path(sys.prefix))
    assert "the batch system may have set up none" in missing.warning
    assert missing.details[name] == "none seen"


def test_native_adds_nothing() -> None:
    native = environment(wanted("native"), machine(), Path(sys.prefix))
    assert isinstance(native, Native)
    assert native.inner(WORDS, {}) == native.outer(WORDS, {}, 1e9) == WORDS
    assert native.cpu(7) == 7


def test_isolation_stands_before_the_launcher() -> None:
    isolated = environment(wanted("isolated:user", os_cores=(0, 2, 3)), machine(), Path(sys.prefix))
    assert isolated.inner(WORDS, {}) == WORDS
    start = [*PYTHON, "-m", "banzuke", "isolate"]
    assert isolated.outer(WORDS, {}, 0) == [*start, "--os-cores", "0,2-3", "--processes", "user", "--", *WORDS]
    assert Isolated().outer(WORDS, {}, 0) == [*start, "--", *WORDS]
