"""Tests of builds selected by name and by MPI library; their programs are shell scripts."""

import json
from pathlib import Path

import pytest

from banzuke.cli.builds import chosen, describe_builds
from banzuke.errors import BanzukeError

MPIS = {"default": "mpich", "fast": "mpich", "intel21": "intel", "open": "openmpi"}


@pytest.fixture(autouse=True)
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for build, mpi in MPIS.items():
        place = tmp_path if build == "default" else tmp_path / "lib/banzuke/builds" / build
        said = {"benchmark": "stream", "backend": "omp", "schema_version": 2, "parameters": [], "problem": None}
        said |= {"compiler": f"C of {build}", "flags": "-O3", "mpi": f"/{mpi}/lib/libmpi.so", "mpi_name": mpi}
        program = place / "bin" / "banzuke-stream-omp"
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\necho '{json.dumps(said)}'\n")
        program.chmod(0o755)
        (place / "build.json").write_text('{"date": "2026-01-02"}')
    monkeypatch.setenv("BANZUKE_LIBEXEC", str(tmp_path / "bin"))
    return tmp_path


@pytest.mark.parametrize(
    ("names", "mpis", "expected"),
    [
        (None, None, ["default"]),
        ("fast, default,fast", None, ["fast", "default"]),
        (None, "intel,mpich", ["intel21", "default"]),
        ("open,fast,intel21", "mpich,openmpi", ["open", "fast"]),
    ],
)
def test_builds_are_those_that_are_named(names: str | None, mpis: str | None, expected: list[str]) -> None:
    assert list(chosen(names, mpis)) == expected


@pytest.mark.parametrize(
    ("names", "mpis", "said"),
    [
        ("fats", None, r"there is no build 'fats'.*Did you mean 'fast'"),
        (None, "openmp", r"no build is for the MPI library 'openmp'.*open for openmpi.*Did you mean 'openmpi'"),
        ("fast", "intel", r"no build is for the MPI library 'intel' \(there is fast for mpich\)"),
        ("", None, r"--build '' is not understood"),
    ],
)
def test_what_there_is_not_is_named(names: str | None, mpis: str | None, said: str) -> None:
    with pytest.raises(BanzukeError, match=said):
        chosen(names, mpis)


def test_a_build_that_cannot_start_costs_no_other(installation: Path) -> None:
    program = installation / "lib/banzuke/builds/fast/bin/banzuke-stream-omp"
    program.write_text("#!/bin/sh\necho libmpi.so.12 is missing >&2; exit 127\n")
    (installation / "lib/banzuke/builds/open/build.json").write_text("words")
    assert list(chosen(None, "openmpi")) == ["open"]
    builds = {build["name"]: build for build in describe_builds()}
    assert "libmpi.so.12 is missing" in builds["fast"]["problem"]
    assert (builds["intel21"]["compiler"], builds["intel21"]["problem"]) == ("C of intel21", "")
    assert [builds[name]["date"] for name in ("default", "fast", "open")] == ["", "2026-01-02", ""]
