"""Each cause in a device's behaviour appears, and disappears by one change."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from banzuke.judge.test_examples import GIGA, MACHINE, START, codes, confirm, dgemm, evidence, triad
from banzuke.judge.test_situations import SLOW, Situation
from banzuke.machine.allotment import AllottedDevice
from banzuke.machine.site import NumaNode
from banzuke.record.model import Binding
from banzuke.words.language import words

SOUND: dict[str, object] = {
    "host": "h1",
    "number": 3,
    "readings": 50,
    "clock_median": 1.98e9,
    "clock_highest": 1.98e9,
    "power_limit": 700,
    "power_default": 700,
    "temperature_maximum": 60,
    "throttled": {},
    "memory_bits": 5120,
    "ecc": True,
    "persistent": True,
    "link_generation": 5,
    "link_width": 16,
    "link_generation_highest": 5,
    "link_generation_device": 5,
    "link_width_highest": 16,
    "other_processes": 0,
}
HELD: dict[str, Any] = {"clock_median": 1.2e9}
_DEVICE = AllottedDevice(identity="GPU-a", name="A", vendor="NVIDIA", memory=1, memory_available=1, numa_node=1)
NUMA = MACHINE.changed(
    node={"numa": [NumaNode(node=0, cpus=[0, 1, 4, 5]), NumaNode(node=1, cpus=[2, 3, 6, 7])]},
    allotment={"devices": [_DEVICE]},
)


def ran(
    *, threads: str = "2", memory: str = "local", start: float = 1.0, compute: bool = False, **conditions: object
) -> Situation:
    """Return a case of one device with these `conditions` and nothing else of interest."""
    begin = (START + timedelta(seconds=start)).timestamp()
    changes: dict[str, Any] = {
        "binding": [Binding(ranks="0", threads=[threads], memory=memory, devices=["GPU-a"])],
        "conditions": {"devices": {"GPU-a": SOUND | conditions}, "timed_parts": [[begin, begin + 1]]},
    }
    return Situation(dgemm(20 * GIGA, **changes) if compute else triad(SLOW, **changes), machine=NUMA)


CASES = {
    "power limit": (
        "limit-device-power",
        "Device 3 was throttled by its power limit for 40% of the timed part; its median clock was 1.2 GHz",
        ran(throttled={"power_cap": 0.4}, **HELD),
        ran(throttled={"power_cap": 0.04}, **HELD),
    ),
    "lowered power limit": (
        "limit-device-power-lowered",
        "Device 3 may take 400 W, by default 700 W",
        ran(throttled={"power_cap": 0.4}, power_limit=400, **HELD),
        ran(throttled={"power_cap": 0.4}, power_limit=699, **HELD),
    ),
    "temperature": (
        "limit-device-hot",
        "For 30% of the timed part device 3 was throttled by its temperature, 91 °C at most",
        ran(throttled={"hardware_slowdown": 0.3, "hardware_temperature": 0.3}, temperature_maximum=91),
        ran(throttled={"hardware_slowdown": 0.3}, temperature_maximum=91),
    ),
    "hardware": (
        "limit-device-slowdown",
        "For 30% of the timed part device 3 was slowed down by its hardware",
        ran(throttled={"hardware_slowdown": 0.3}),
        ran(throttled={"hardware_slowdown": 0.3, "hardware_temperature": 0.3}),
    ),
    "set clock": (
        "limit-device-held-clock",
        "Device 3 ran at 1.2 GHz in the median; its highest clock is 1.98 GHz",
        ran(**HELD),
        ran(throttled={"power_cap": 0.4}, **HELD),
    ),
    "clock that somebody set": (
        "limit-device-held-clock",
        "its highest clock is 1.98 GHz, and a clock setting holds it there",
        ran(throttled={"clock_setting": 0.9}, **HELD),
        ran(throttled={"clock_setting": 0.9}),
    ),
    "clock that applications are to have": (
        "limit-device-held-clock",
        "and a clock setting holds it there",
        ran(clock_set=1.2e9, **HELD),
        ran(clock_set=1.2e9),
    ),
    "clock of a group": (
        "limit-device-held-clock",
        "its driver holds it to the clock of its group of devices",
        ran(throttled={"sync_boost": 0.9}, **HELD),
        ran(throttled={"sync_boost": 0.9}),
    ),
    "clock of a device that tells no reasons": (
        "limit-device-held-clock",
        "1.2 GHz",
        ran(**HELD),
        ran(throttled=None, **HELD),
    ),
    "clock of too few readings": ("limit-device-held-clock", "1.2 GHz", ran(**HELD), ran(readings=2, **HELD)),
    "narrow link": (
        "limit-device-link",
        "Under load device 3 had PCI Express generation 5 x4; possible is generation 5 x16",
        ran(link_width=4),
        ran(link_width=None),
    ),
    "slow slot": (
        "limit-device-link",
        "generation 4 x16; possible is generation 5 x16 in another slot",
        ran(link_generation=4, link_generation_highest=4),
        ran(link_generation=4, link_generation_highest=4, link_generation_device=4),
    ),
    "ECC in graphics memory": (
        "limit-device-ecc",
        "bus of 384 bits",
        ran(memory_bits=384),
        ran(memory_bits=384, ecc=False),
    ),
    "memory errors": (
        "limit-device-errors",
        "counted 2 corrected and 1 uncorrected errors",
        ran(ecc_corrected_more=2, ecc_uncorrected_more=1),
        ran(ecc_corrected_more=0),
    ),
    "memory that waits for a reset": (
        "limit-device-repair",
        "On device 3 memory with errors waits for a reset",
        ran(repair="pending"),
        ran(repair="none"),
    ),
    "memory beyond repair": (
        "limit-device-repair",
        "could not be replaced by spare memory",
        ran(repair="failed"),
        ran(),
    ),
    "far from its device": (
        "limit-device-far",
        "Ranks 0 run on processors outside NUMA node 1, to which their device 3 is attached",
        ran(threads="0"),
        ran(threads="0,2"),
    ),
    "memory far from its device": (
        "limit-device-far-memory",
        "It was bound to NUMA node 0, and device 3 is attached to node 1",
        ran(memory="bind:0"),
        ran(memory="bind:0-1"),
    ),
    "another process": (
        "limit-device-shared",
        "On device 3 2 processes were running",
        ran(other_processes=2),
        ran(other_processes=0),
    ),
    "driver loaded anew": (
        "limit-device-start",
        "5 s passed before the first timed part",
        ran(persistent=False, start=5.0),
        ran(persistent=False, start=1.0),
    ),
}


@pytest.mark.parametrize(("code", "shown", "present", "absent"), CASES.values(), ids=CASES.keys())
def test_a_cause_comes_and_goes_with_its_evidence(code: str, shown: str, present: Situation, absent: Situation) -> None:
    causes = [cause for cause in present.assess().causes if cause.message.code == code]
    assert [shown in evidence(cause) for cause in causes] == [True], [evidence(cause) for cause in causes]
    assert confirm(causes[0])
    assert code not in codes(absent.assess().causes)


def test_a_sound_device_has_no_cause_and_the_processors_have_none_of_it() -> None:
    """For processors, the governor, small pages, unbound threads or idle cores would be causes."""
    case = ran(threads="0-3")
    pages = {"huge_page_fraction": 0.0, "clock_hz": 1e9}
    on_device = triad(SLOW, binding=case.record.binding, conditions={**case.record.conditions, **pages})
    assert codes(replace(case, record=on_device).assess().causes) == []
    alone = triad(SLOW, conditions=pages)
    assert {"limit-small-pages", "limit-low-clock"} <= set(codes(replace(case, record=alone).assess().causes))


def test_the_verdict_says_that_it_was_throttled() -> None:
    throttled = ran(throttled={"power_cap": 0.4, "temperature": 0.6}).assess()
    said = [words()(part) for part in throttled.verdict]
    assert "device 3 was throttled for 60% of the timed part (temperature)" in said
    assert not any("throttled" in words()(part) for part in ran(throttled={"power_cap": 0.04}).assess().verdict)


def test_a_lower_clock_costs_arithmetic_all_of_it() -> None:
    for compute, weight in ((True, 1 - 1.2 / 1.98), (False, 0.3 * (1 - 1.2 / 1.98))):
        (cause,) = ran(throttled={"power_cap": 0.4}, compute=compute, **HELD).assess().causes
        assert cause.weight == pytest.approx(weight)


@pytest.mark.parametrize("devices", [None, 3, {"GPU-a": None}, {"GPU-a": {"throttled": {"power_cap": "all"}}}])
def test_what_is_no_condition_of_a_device_is_unknown(devices: object) -> None:
    record = triad(SLOW, conditions={"devices": devices})
    assert codes(Situation(record).assess().causes) == []
