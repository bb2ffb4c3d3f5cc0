import sys
from pathlib import Path

import pytest

from banzuke.environment.model import Isolated, Native, Wanted, environment, wanted
from banzuke.errors import BanzukeError
from banzuke.testing import machine

WORDS = ["mpiexec", "-n", "2", "/a b/program", "--file", "it's.mtx"]


def test_a_tool_follows_a_colon() -> None:
    assert wanted("container:podman", "image.tar") == Wanted("container", "podman", "image.tar")
    assert wanted("isolated:user", os_cores=(0, 4)).name == "isolated:user"


def test_only_what_takes_an_image_is_given_one() -> None:
    assert wanted("native", "image.tar").image == ""
    assert wanted("vm", "disk.qcow2").image == "disk.qcow2"


@pytest.mark.parametrize("text", ["", "docker", "container:", "native:x", "isolated:some", "mckernel:1", ":podman"])
def test_what_there_is_not_is_refused(text: str) -> None:
    with pytest.raises(BanzukeError, match="there is no environment"):
        wanted(text)


def test_native_adds_nothing() -> None:
    native = environment(wanted("native"), machine(), Path(sys.prefix))
    assert isinstance(native, Native)
    assert native.inner(WORDS, {}) == native.outer(WORDS, {}, 1e9) == WORDS
    assert native.cpu(7) == 7


def test_isolation_stands_before_the_launcher() -> None:
    isolated = environment(wanted("isolated:user", os_cores=(0, 2, 3)), machine(), Path(sys.prefix))
    assert isolated.inner(WORDS, {}) == WORDS
    start = [sys.executable, "-m", "banzuke", "isolate"]
    assert isolated.outer(WORDS, {}, 0) == [*start, "--os-cores", "0,2-3", "--processes", "user", "--", *WORDS]
    assert Isolated().outer(WORDS, {}, 0) == [*start, "--", *WORDS]
