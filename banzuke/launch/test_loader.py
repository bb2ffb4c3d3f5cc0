"""Variables of the loader, and the warnings about those that replace functions."""

import pytest

from banzuke.launch.loader import loader_variables, preloaded


def test_those_that_are_set_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LD_AUDIT", "LD_LIBRARY_PATH", "LD_BIND_NOW", "LD_PROFILE", "GLIBC_TUNABLES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LD_PRELOAD", "/x/libeatmydata.so")
    monkeypatch.setenv("LD_LIBRARY_PATH", "")
    assert loader_variables() == {"LD_PRELOAD": "/x/libeatmydata.so"}
    (said,) = preloaded(loader_variables())
    assert said.startswith("LD_PRELOAD=/x/libeatmydata.so is loaded before")


def test_paths_of_libraries_replace_nothing() -> None:
    assert preloaded({"LD_LIBRARY_PATH": "/opt/lib", "LD_AUDIT": ""}) == []
