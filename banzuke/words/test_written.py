"""Texts of records and descriptions in the reader's language, as the code that writes them makes them."""

# ruff: noqa: RUF001  (Japanese punctuation)

import re
import signal
from pathlib import Path

import pytest

from banzuke.launch.complete import OUT_OF_TIME, _signalled
from banzuke.machine import blas
from banzuke.machine.kernel import settings
from banzuke.machine.published import read
from banzuke.machine.site import Blas
from banzuke.machine.tree import Tree
from banzuke.paths import BENCHMARKS, MACHINES
from banzuke.words import NodeSetting
from banzuke.words.language import bundle, words
from banzuke.words.written import (
    kernel_title,
    kernel_value,
    library_choice,
    node_setting,
    printed_place,
    reason,
    software_title,
)

CORE = BENCHMARKS.parent / "core"
JAPANESE = words("ja")
MEMORY = "hpl with n=90000 needs 60.35 GiB of memory (20 GiB of 23.5 GiB may be used now). Choose a smaller size"


@pytest.mark.parametrize(
    ("english", "expected"),
    [
        (_signalled(signal.SIGSEGV), "シグナル11（SIGSEGV）により強制終了"),
        (_signalled(signal.SIGKILL), "シグナル9（SIGKILL）により強制終了。メモリ不足の際にカーネルが行う"),
        (f"{_signalled(9)} (ulimit -v allows 488 MiB)", "行う（ulimit -v allows 488 MiB）"),
        ("killed by signal 9", "シグナル9により強制終了"),
        ("exceeded its time limit of 60 s and was ended; its last step: 3 of 9", "終了させた。最後の処理：3 of 9"),
        ("exceeded 10 times its time limit of 60 s and was ended", "時間制限60 sの10倍を超えたため終了させた"),
        (OUT_OF_TIME, "残り時間内に終了しなかった"),
        ("out of memory: this rank asked for 4096 bytes", "メモリ不足：このランクが要求したのは4096 B"),
        (MEMORY, "hpl（n=90000）に必要なメモリは60.35 GiB、現在利用可能なメモリは23.5 GiB中20 GiB。より小さい"),
        (f"{MEMORY}: n=50000 is the largest that fits", "指定する（最大はn=50000）"),
        ("failed: verification failed: residual 3 > 1", "失敗：計算結果の検証に不合格：residual 3 > 1"),
    ],
)
def test_why_launches_failed(english: str, expected: str) -> None:
    assert expected in JAPANESE(reason(english))
    assert words()(reason(english)) == english


def test_what_is_not_recognised_stays_as_it_is() -> None:
    text = "/data/bad.mtx, line 7: <column> 12; nobody knows { $why }"
    assert words()(reason(text)) == text
    assert JAPANESE(reason(text)) == text


def test_what_a_program_printed_stays_as_it_is_with_its_semicolons() -> None:
    text = "killed by signal 9; it said: for i in 1 2; do x; done; it did not end within the time that was left for it"
    assert JAPANESE(reason(text)) == (
        "シグナル9により強制終了。出力：for i in 1 2; do x; done。残り時間内に終了しなかった"
    )
    many = "; ".join(["killed by signal 9"] * 1000)
    assert words()(reason(many)) == many


def test_settings_of_the_kernel(tmp_path: Path) -> None:
    for name, text in {
        "proc/cmdline": "quiet preempt=full",
        "proc/sys/kernel/version": "#1 SMP PREEMPT_DYNAMIC",
        "proc/sys/kernel/osrelease": "6.1",
        "proc/1/environ": "",
        "etc/os-release": 'PRETTY_NAME="Debian 12"',
        "sys/class/dmi/id/bios_version": "1.2",
        "sys/class/dmi/id/bios_date": "01/02/2026",
        "sys/devices/system/cpu/cpu0/microcode/version": "0x1",
        "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance",
        "sys/devices/system/cpu/smt/control": "on",
        "sys/devices/system/cpu/vulnerabilities/meltdown": "Mitigation: PTI",
        "sys/devices/system/cpu/vulnerabilities/mds": "Vulnerable",
        "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc",
        "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
        "sys/kernel/mm/transparent_hugepage/defrag": "always [madvise] never",
        "proc/sys/vm/nr_hugepages": "0",
        "proc/sys/vm/swappiness": "60",
        "proc/sys/kernel/numa_balancing": "1",
        "proc/sys/kernel/perf_event_paranoid": "2",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    every = settings(Tree(tmp_path))
    assert len(every) > 15
    for name, value in every.items():
        if name == "release":  # it stands beside the machine's name
            continue
        assert bundle("ja").has_message(kernel_title(name).code), name
        assert words()(kernel_title(name)) == name.replace("_", " ")
        assert words()(kernel_value(value)) == value
    shown = {name: JAPANESE(kernel_value(value)) for name, value in every.items()}
    assert shown["preemption"] == "動的（full）"
    assert shown["mitigations"] == "有効：meltdown。未対策：mds"
    assert shown["firmware"] == "1.2（01/02/2026）"
    assert shown["isolated_cpus"] == shown["container"] == "なし"


def test_which_library_was_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blas, "default_library", lambda: "/l/libblas.so.3")
    rates = {"AOCL-BLAS": 20e9, "OpenBLAS": 16e9, "BLAS": 19.9e9}
    libraries = [
        Blas(name=name, path=f"/l/lib{name.lower()}.so.3", version="5.3.0 Build 1", flop_rate=rate)
        for name, rate in rates.items()
    ]
    slowed = libraries[1].having(unset=["OPENBLAS_CORETYPE"], slowed_rate=4e9)
    for every in (libraries, [libraries[0], slowed], []):
        text = " ".join(blas.explain(every).split())
        assert not re.search("[a-z]{2,} [a-z]{2,}", JAPANESE(library_choice(text)))
        assert words()(library_choice(text)) == text.removesuffix(".")
    for name in ("compiler", "flags", "mpi", "blas", "blas_path", "blas_choice", "library_path", "kernels"):
        assert bundle("ja").has_message(software_title(name).code)


def test_places_in_lists_are_japanese_too() -> None:
    for where, expected in (("2020-06, rank 8", "2020年6月の8位"), ("2019-11", "2019年11月")):
        assert words().fact(printed_place(where)) == where
        assert JAPANESE.fact(printed_place(where)) == expected


def test_settings_that_nodes_report_have_titles() -> None:
    sources = "".join(file.read_text(encoding="utf-8") for file in (CORE / "probe").glob("survey*.cpp"))
    reported = set(re.findall(r'"setting\.(\w+)"', sources))
    assert {"governor", "thp", "zone_reclaim"} <= reported
    codes = {node_setting(name).code for name in reported}
    assert not [code for code in codes if not bundle("ja").has_message(code)]
    assert words().fact(NodeSetting("thp")) == "thp"


@pytest.mark.parametrize("file", sorted(MACHINES.glob("*.toml")), ids=lambda file: file.stem)
def test_what_a_description_says_of_its_figures_is_japanese_too(file: Path) -> None:
    site = read(file)
    said = {text for figure in site.figure for text in (figure.note, figure.part, *figure.flags) if text}
    said |= {report.published for report in site.reports.values()}
    names = {
        site.name,
        site.note,
        *(part.name for part in site.partitions.values()),
        *(area.name for area in site.areas.values()),
    }
    assert {text for text in said if re.search("[a-z]{2}", text)} <= site.ja.keys()
    assert site.ja.keys() <= said | names, "no text of this file"
    for text in site.ja.values():
        assert not re.search("[a-z]{2,},? [a-z]{2,}", text)
    for figure in site.figure:
        assert not re.search("[a-z]{2}", JAPANESE.fact(printed_place(figure.where)))
        assert words().fact(printed_place(figure.where)) == figure.where
