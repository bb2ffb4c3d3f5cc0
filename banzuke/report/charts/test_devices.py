"""Tests of the devices' clock and power in a report."""

from dataclasses import replace
from typing import Any

import pytest

from banzuke.record.figures import Line, Series
from banzuke.report.chapter import chapters
from banzuke.report.charts.devices import device_charts
from banzuke.report.testing import only, stream
from banzuke.testing import changed
from banzuke.words.language import words


def lines(count: int, hosts: int = 1) -> list[Line]:
    return [
        Line(host=f"h{n % hosts}", device=f"GPU-{n}", sensor="nvml", times=[0.5, 1.5], values=[1000 + n, 1200])
        for n in range(count)
    ]


def drawn(count: int, hosts: int = 1, language: str = "en") -> list[Any]:
    clock = Series(unit="Hz", resolution=1e6, lines=lines(count, hosts))
    power = Series(unit="W", resolution=0.1, lines=lines(count, hosts))
    conditions: dict[str, Any] = {"devices": {f"GPU-{n}": {"number": 10 + n} for n in range(count)}}
    case = stream(1, 1, 1.0)
    record = changed(case.record, series={"device_clock": clock, "device_power": power}, conditions=conditions)
    (chapter,) = chapters(only(replace(case, record=record)), words(language))
    return device_charts(chapter, words(language))


@pytest.mark.parametrize("language", ["en", "ja"])
def test_clock_and_power_have_a_line_for_each_device(language: str) -> None:
    clock, power = drawn(2, language=language)
    assert (clock.id, power.id) == ("stream-device-clock", "stream-device-power")
    text = str(clock.chart.to_dict())
    assert "GHz" in text
    assert "10" in text
    assert "100 W" in power.description
    assert "120 W" in power.description


def test_more_devices_than_colours_leave_the_slowest() -> None:
    clock, _ = drawn(10, hosts=2)
    assert "10" in clock.caption
    text = str(clock.chart.to_dict())
    assert "h0:10" in text
    assert "h1:19" not in text


def test_without_devices_there_is_none() -> None:
    (chapter,) = chapters(only(stream(1, 1, 1.0)), words())
    assert device_charts(chapter, words()) == []
