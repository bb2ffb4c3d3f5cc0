"""Tests of different kinds of cores in the table of the specification."""

from banzuke.machine.allotment import CoreRates
from banzuke.machine.site import Cache, CoreKind, Peak
from banzuke.report.fact_table import note_text
from banzuke.report.specification import specification
from banzuke.testing import machine
from banzuke.words.language import words

KINDS = {
    "performance": CoreKind(
        cores=2,
        cpus=[0, 1, 2, 3],
        nominal_hz=3.2e9,
        maximum_hz=5.1e9,
        fma_units=2,
        fma_per_cycle=1.98,
        caches=[Cache(level=2, kind="unified", bytes=2 << 20, instances=2, shared_by=2)],
        peaks={"flops.fp64": Peak(value=102.4e9, unit="flop/s")},
    ),
    "efficiency, up to 2.5 GHz": CoreKind(logical=4),
}
RATES = {"performance": CoreRates(scalar_hz=4e9, single_vector_hz=3.9e9, vector_hz=3.5e9, fma_rate=56e9)}


def rows(language: str) -> dict[str, tuple[str, str]]:
    say = words(language)
    unlike = machine().changed(
        processor={"kinds": KINDS, "fma_units": None, "vector_bits": 256}, allotment={"kinds": RATES}
    )
    entries = [entry for group in specification(unlike) for entry in group.rows]
    return {
        say.fact(entry.name): ("" if entry.value is None else say.fact(entry.value), note_text(say, entry))
        for entry in entries
    }


def test_each_kind_has_a_row() -> None:
    shown = rows("en")
    cores, note = shown["Cores: performance"]
    assert (cores, note.split(", ")) == (
        "2",
        [
            "processors 0-3",
            "3.2 GHz nominal",
            "at most 5.1 GHz",
            "2 FMA units of 256 bits",
            "1.98 per cycle measured",
            "L2 2 MiB × 2",
            "102 Gflop/s double precision",
        ],
    )
    assert shown["Cores: efficiency, up to 2.5 GHz"] == ("", "4 logical processors")
    assert shown["Measured FMA rate of one core: performance"] == (
        "56 Gflop/s",
        "4 GHz integer, alone, 3.9 GHz vector FMA, alone, 3.5 GHz vector FMA, with all cores",
    )
    assert not {"Nominal clock", "SMT", "Vector FMA units per core"} & shown.keys(), "of which there is none in common"


def test_each_kind_has_a_row_in_japanese() -> None:
    names = rows("ja").keys()
    assert any(name.endswith("高性能") for name in names)
    assert any(name.endswith("高効率、最大2.5 GHz") for name in names)
