"""Users without a home folder, and names of home folders that do not exist."""

from pathlib import Path

import pytest

from banzuke.paths import NO_HOME, as_given, have_home


def test_a_user_without_a_home_is_given_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Altair asks for a home folder on import."""
    monkeypatch.delenv("HOME")
    monkeypatch.setattr("os.getuid", lambda: 54321)  # without an entry in /etc/passwd
    with pytest.raises(RuntimeError):
        Path.home()
    have_home()
    assert Path.home() == Path(NO_HOME)


def test_a_home_that_there_is_stays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    have_home()
    assert as_given("~/image") == tmp_path / "image"


def test_a_home_that_nobody_has_makes_a_path_to_nothing() -> None:
    assert as_given("~nobody-of-this-name/image") == Path("~nobody-of-this-name/image")
