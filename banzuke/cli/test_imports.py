"""Tests of `banzuke import`: a whole file or nothing, once, as a run like any other."""

import bz2
import gzip
import hashlib
import json
import lzma
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from typer.testing import CliRunner

from banzuke import paths
from banzuke.cli import app
from banzuke.cli.imports import describe, import_records
from banzuke.errors import BanzukeError
from banzuke.machine import probe, published
from banzuke.report.testing.drawings import DRAW, as_drawn
from banzuke.results import imports
from banzuke.results.imports import UNFINISHED, Sources
from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.testing import machine

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "schema" / "golden"


def printed(*names: str, **changes: Any) -> str:
    """Return lines as programs print them."""
    return "".join(json.dumps(json.loads((GOLDEN / f"{name}.json").read_text()) | changes) + "\n" for name in names)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "printed.jsonl"
    path.write_text(printed("devices", "devices"))
    return path


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "results")


def only(store: Store) -> Run:
    (run,) = store.runs()
    assert not list(store.folder.glob(".*"))
    return run


def test_records_become_launches_of_their_case_and_say_where_they_were_read(file: Path, store: Store) -> None:
    import_records([file], results=store.folder)
    run = only(store)
    first, second = (record.provenance for record in run.read().records)
    assert first
    assert second
    assert first.imported
    assert second.imported
    assert (first.case, first.repetition, second.repetition) == (second.case, 0, 1)
    assert (first.run, first.machine) == (run.name, run.machine().fingerprint)
    assert (first.imported.file, first.imported.line, second.imported.line) == ("printed.jsonl", 1, 2)
    sources = Sources.model_validate_json((run.folder / imports.SOURCES).read_bytes())
    assert [(file.records, file.sha256) for file in sources.files] == [(2, first.imported.sha256)]
    assert run.machine().name == "g1"
    assert run.machine().node.processor.cores is None


def test_a_library_that_a_parameter_chose_is_told_as_by_a_launch(file: Path, store: Store) -> None:
    calls = [{"format": "auto", "product": product} for product in ("own", "library")]
    groups = json.loads(printed("devices"))["groups"]
    groups[0]["program"] = "spmv-cuda"
    more = {"benchmark": "spmv", "backend": "cuda", "groups": groups}
    file.write_text("".join(printed("devices", parameters=call, **more) for call in calls))
    import_records([file], results=store.folder)
    own, theirs = only(store).read().records
    assert own.parameters == theirs.parameters == {"format": "auto"}
    assert own.provenance
    assert theirs.provenance
    assert (own.provenance.variant, theirs.provenance.variant) == ({}, {"library": "cuSPARSE"})
    assert own.provenance.case != theirs.provenance.case


@pytest.mark.parametrize(("language", "words"), [("en", "Imported from"), ("ja", "取り込み元")])
def test_its_report_says_that_it_was_imported(
    file: Path, store: Store, language: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DRAW, as_drawn)
    file.write_text(printed("verified"))
    import_records([file], results=store.folder)
    done = CliRunner().invoke(app, ["report", "last", "--results", str(store.folder), "--language", language])
    assert done.exit_code == 0, done.output
    page = (only(store).folder / "report.md").read_text()
    assert words in page
    assert f"printed.jsonl, SHA-256 {hashlib.sha256(file.read_bytes()).hexdigest()}" in page


def test_what_launchers_and_libraries_say_is_passed_over(
    file: Path, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text("Warning: no InfiniBand\n\n" + file.read_text())
    import_records([file], results=store.folder)
    assert "1 line without a record ignored" in capsys.readouterr().err
    assert len(only(store).read().records) == 2


@pytest.mark.parametrize(("tool", "module"), [("gunzip", gzip), ("unxz", lzma), ("bunzip2", bz2)])
def test_a_compressed_file_is_told_as_such(file: Path, tool: str, module: ModuleType) -> None:
    file.write_bytes(module.compress(printed("devices").encode()))
    with pytest.raises(BanzukeError, match=f"it is compressed.*{tool}"):
        imports.read(file)


@pytest.mark.parametrize(
    "damage",
    [
        {"memory": -5},
        {"memory": 1e300},
        {"memory": "much"},
        {"clock_max": 1e-320},
        {"clock_max": 1e30, "capability": "9.0", "cores": 16896},
        {"ecc_corrected": -1},
        {"link_width_max": -16},
        {"numa_node": 2**40},
        {"slices": [{"identity": ""}], "sliced": True},
        {"links": [{"version": 6}]},
    ],
)
def test_a_damaged_description_of_devices_is_refused(file: Path, damage: dict[str, Any]) -> None:
    damaged = file.with_name("devices.json")
    device = {"vendor": "NVIDIA", "number": 0, "identity": "GPU-1", "memory": 80e9} | damage
    damaged.write_text(json.dumps({"devices": [device]}))
    file.write_text(printed("devices"))
    with pytest.raises(BanzukeError, match="describes no machine"):
        describe([imports.read(file)], [damaged], None)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "it is empty"),
        ("mpiexec: error\n", "holds 1 line, none of which is a record"),
        (printed("devices") + '{"schema_version": 2}\n{"a": \n', "line 2: .*Field required; line 3: "),
        (printed("devices")[:-40], "line 1: "),
        (printed("devices", schema_version=3), "line 1: a record of schema 3, .* measure again, or read"),
        (printed("devices", status="fine"), "line 1: status"),
        ('{"x": 1}\n' * 9, "line 5.*and 4 more"),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_kept(file: Path, store: Store, content: str, why: str) -> None:
    good = file.with_name("good.jsonl")
    good.write_text(printed("verified"))
    file.write_text(content)
    with pytest.raises(BanzukeError, match=why):
        import_records([good, file], results=store.folder)
    assert not store.folder.exists()


def test_other_files_are_refused(tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(bytes(range(256)) * 100)
    with pytest.raises(BanzukeError, match="none of which is a record"):
        import_records([binary], results=store.folder)
    for other in (tmp_path, tmp_path / "absent"):
        with pytest.raises(BanzukeError, match="cannot read"):
            import_records([other], results=store.folder)
    monkeypatch.setattr(imports, "LARGEST", 1000)
    with pytest.raises(BanzukeError, match="larger than"):
        import_records([binary], results=store.folder)


def test_a_file_is_imported_once(file: Path, store: Store) -> None:
    with pytest.raises(BanzukeError, match="named twice here"):
        import_records([file, file], results=store.folder)
    import_records([file], results=store.folder)
    copy = file.with_name("copy.jsonl")
    copy.write_bytes(file.read_bytes())
    with pytest.raises(BanzukeError, match=f"imported before.*run {only(store).name}"):
        import_records([copy], results=store.folder)
    assert len(only(store).read().records) == 2


def test_what_a_killed_import_left_is_removed_if_it_is_ours(file: Path, store: Store) -> None:
    left = [store.folder / f"{UNFINISHED}{name}" for name in ("ours", "theirs", "new")]
    for folder in left:
        folder.mkdir(parents=True)
        os.utime(folder, None if folder.name.endswith("new") else (0, 0))
    left[1].chmod(0o777)
    os.utime(left[1], (0, 0))
    import_records([file], results=store.folder)
    assert [folder.exists() for folder in left] == [False, True, True]


def test_records_of_a_run_stay_there(file: Path, store: Store) -> None:
    import_records([file], results=store.folder)
    again = only(store).files()[0]
    with pytest.raises(BanzukeError, match=r"line 1: it already belongs to run .* take the folder of a run"):
        import_records([again], results=store.folder)


def test_records_of_several_machines_are_told_apart(file: Path, store: Store) -> None:
    def on(*names: str) -> str:
        (record,) = [json.loads(printed("devices"))]
        group = record["groups"][0] | {
            "hosts": [{"names": name, "ranks": str(i)} for i, name in enumerate(names)],
            "ranks": len(names),
            "binding": [],
        }
        return json.dumps(record | {"groups": [group]}) + "\n"

    file.write_text(on("a") + on("a", "b") + on("c"))
    read = [imports.read(file)]
    assert imports.machines(read) == [["a", "b"], ["c"]]
    with pytest.raises(BanzukeError, match="2 hosts that no record has in common: a, c"):
        import_records([file], results=store.folder)
    file.write_text(on("a") + on("c") + on("c", "a"))
    import_records([file], results=store.folder)
    assert only(store).machine().allotment.hosts == ["a", "c"]


def test_the_machine_is_the_one_that_was_described(file: Path, store: Store, tmp_path: Path) -> None:
    described = tmp_path / "machine.json"
    described.write_text(machine(cores=7).model_dump_json())
    import_records([file], machine=[described], results=store.folder)
    assert only(store).machine() == machine(cores=7)


def told(*identities: str) -> str:
    devices = [
        {"number": i, "identity": identity, "name": "H100", "vendor": "NVIDIA", "memory": 80 << 30}
        for i, identity in enumerate(identities)
    ]
    return json.dumps({"devices": devices})


def test_devices_are_those_that_the_probe_told(file: Path, store: Store, tmp_path: Path) -> None:
    probed = tmp_path / "devices.json"
    probed.write_text(told("GPU-8f2a", "GPU-91c0"))
    import_records([file], machine=[probed], results=store.folder)
    here = only(store).machine()
    assert [device.identity for device in here.allotment.devices] == ["GPU-8f2a", "GPU-91c0"]
    assert [(kind.name, kind.count) for kind in here.node.devices] == [("H100", 2)]
    probed.write_text(told("GPU-0000"))
    file.write_text(printed("devices"))
    with pytest.raises(BanzukeError, match=r"devices that g1 does not have.*GPU-8f2a, GPU-91c0"):
        import_records([file], machine=[probed], results=store.folder)


def test_a_description_without_devices_of_records_that_name_some_is_told(
    file: Path, store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    probed = tmp_path / "devices.json"
    probed.write_text(json.dumps({"absent": "no driver", "devices": []}))
    import_records([file], machine=[probed], results=store.folder)
    told_to_people = " ".join(capsys.readouterr().err.split())
    assert "the records name devices (GPU-8f2a, GPU-91c0), but the description has none" in told_to_people


def test_a_described_site_is_the_machine(file: Path, store: Store) -> None:
    site = next(path for path in sorted(paths.MACHINES.glob("*.toml")) if len(published.read(path).partitions) == 1)
    import_records([file], site=site, results=store.folder)
    here = only(store).machine()
    assert here.site.partitions == dict(published.read(site).partitions)
    assert here.name == published.read(site).name


@pytest.mark.parametrize(
    ("content", "why"), [("[]", "no machine"), ("{", "not JSON"), ('{"allotments": []}', "describes no machine")]
)
def test_a_description_of_anything_else_is_refused(file: Path, tmp_path: Path, content: str, why: str) -> None:
    described = tmp_path / "machine.json"
    described.write_text(content)
    with pytest.raises(BanzukeError, match=why):
        describe([imports.read(file)], [described], None)


def test_two_descriptions_are_refused(file: Path, tmp_path: Path) -> None:
    described = tmp_path / "machine.json"
    described.write_text(machine().model_dump_json())
    with pytest.raises(BanzukeError, match="a second description"):
        describe([imports.read(file)], [described, described], None)


def test_a_folder_that_cannot_be_written_is_told(file: Path, store: Store) -> None:
    store.folder.mkdir(mode=0o500)
    folder = Path("/proc/sys/results") if os.geteuid() == 0 else store.folder  # root may write nearly everywhere
    with pytest.raises(BanzukeError, match="cannot write"):
        import_records([file], results=folder)


def test_results_that_are_no_folder_are_told(file: Path) -> None:
    with pytest.raises(BanzukeError, match="cannot write"):
        import_records([file], results=file / "results")


def command(file: Path, store: Store) -> list[str]:
    return [sys.executable, "-m", "banzuke", "import", str(file), "--results", str(store.folder)]


def test_without_room_nothing_is_kept(file: Path, store: Store) -> None:
    file.write_text(printed("devices") * 50)

    def small() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command(file, store), check=False, preexec_fn=small, capture_output=True, text=True, env=environment
    )
    assert done.returncode == 2
    assert "cannot write" in done.stderr
    assert store.runs() == []
    assert list(store.folder.iterdir()) == []


def test_a_killed_import_leaves_no_run(file: Path, store: Store) -> None:
    script = (
        "import os, sys, pathlib, banzuke.results.imports as i\n"
        "i.write_whole = lambda *_, **__: os.kill(os.getpid(), 9)\n"
        "from banzuke.cli.imports import import_records\n"
        "import_records([pathlib.Path(sys.argv[1])], results=pathlib.Path(sys.argv[2]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(file), str(store.folder)], check=False, capture_output=True
    )
    assert done.returncode == -signal.SIGKILL
    (left,) = store.folder.glob(f"{UNFINISHED}*")
    assert store.runs() == []
    os.utime(left, (0, 0))
    import_records([file], results=store.folder)
    assert len(only(store).read().records) == 2


def test_the_probe_tells_what_the_test_says_it_does() -> None:
    assert probe.FoundDevices.model_validate_json(told("GPU-1")).devices[0].identity == "GPU-1"
