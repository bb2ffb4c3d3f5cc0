import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.errors import BanzukeError
from banzuke.units import (
    NOT_FINITE,
    count,
    duration,
    layout,
    number,
    percent,
    prefixed,
    quantity,
    scale,
    seconds,
    span,
    spellings,
    times,
    times_span,
    without_prefix,
)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (41.3e9, "B/s", "41.3 GB/s"),
        (203.4e9, "flop/s", "203 Gflop/s"),
        (1.5e-6, "s", "1.5 µs"),
        (1.49999e-6, "s", "1.50 µs"),
        (32 * 2**20, "B", "32 MiB"),
        (48 * 1024, "B", "48 KiB"),
        (100, "B", "100 B"),
        (1024, "B", "1 KiB"),
        (0, "B/s", "0 B/s"),
        (999.96e9, "B/s", "1.00 TB/s"),
        (1e9, "B/s", "1 GB/s"),
        (2.5e9, "Hz", "2.5 GHz"),
        (25e9, "bit/s", "25 Gbit/s"),
        (0.25, "s", "250 ms"),
        (5400.0, "s", "5,400 s"),
        (1.0, "s", "1 s"),
        (0.99999, "s", "1.00 s"),
        (50, "1", "50"),
        (0.0031, "1", "0.0031"),
        (3.1e-9, "1", "3.1e-9"),
        (-2.5e9, "B/s", "\N{MINUS SIGN}2.5 GB/s"),
        (1.102e18, "flop/s", "1.10 Eflop/s"),
        (12.345, "iterations", "12.3 iterations"),
        (168.0, "count", "168"),
        (None, "B/s", "unknown"),
        (math.nan, "B/s", "not finite"),
        (math.inf, "s", "not finite"),
    ],
)
def test_quantity(value: float | None, unit: str, text: str) -> None:
    assert quantity(value, unit) == text


@pytest.mark.parametrize(
    ("fraction", "text"),
    [
        (0.853, "85.3%"),
        (1.0, "100%"),
        (1.0321, "103%"),
        (0.01234, "1.23%"),
        (0.0, "0%"),
        (0.99961, "100%"),
        (None, "unknown"),
    ],
)
def test_percent(fraction: float | None, text: str) -> None:
    assert percent(fraction) == text


@pytest.mark.parametrize("value", [math.nan, -math.nan, math.inf, -math.inf])
def test_what_is_not_finite_has_one_name(value: float) -> None:
    assert {quantity(value, "B/s"), percent(value), number(value), duration(value)} == {NOT_FINITE}


def test_duration() -> None:
    assert [duration(s) for s in (12.5, 200, 7500, None)] == ["12.5 s", "3 min 20 s", "2 h 5 min", "unknown"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("90", 90),
        ("90s", 90),
        ("0.5", 0.5),
        ("15m", 900),
        (" 15 min ", 900),
        ("1.5h", 5400),
        ("20ms", 0.02),
        ("1.13us", 1.13e-6),
        ("250 µs", 250e-6),  # the micro sign
        ("250 μs", 250e-6),  # the Greek letter
        ("3ns", 3e-9),
    ],
)
def test_lengths_of_time_are_read(text: str, value: float) -> None:
    assert seconds(text) == pytest.approx(value)


@pytest.mark.parametrize("text", ["", "0", "-5", "abc", "5w", "1e3", "inf", "nan", "1:30", "9" * 400, "٣"])
def test_what_is_no_length_of_time_is_refused(text: str) -> None:
    with pytest.raises(BanzukeError, match="is not a length of time"):
        seconds(text)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("10PF", (1e16, "F")),
        (" 66 Tflop/s ", (66e12, "flop/s")),
        ("66e12", (66e12, "")),
        ("1E5", (1e5, "")),
        ("2E", (2e18, "")),
        ("1.5Z", (1.5e21, "")),
        ("900 kB/s", (9e5, "B/s")),
    ],
)
def test_amounts_are_read_with_their_prefixes(text: str, amount: tuple[float, str]) -> None:
    assert prefixed(text) == amount


@pytest.mark.parametrize("text", ["", "fast", "-1", "T", "1 T flop/s"])
def test_what_does_not_begin_with_a_number_is_no_amount(text: str) -> None:
    assert prefixed(text) is None


@pytest.mark.parametrize("text", ["0", "0.0PF", "1.2.3", "..", "1e999"])
def test_an_amount_is_a_number_above_zero(text: str) -> None:
    amount = prefixed(text)
    assert amount is not None
    assert math.isnan(amount[0])


def test_integers_are_printed_in_full() -> None:
    assert number(134217.0) == "134,217"
    assert quantity(2304, "nodes") == "2,304 nodes"


@given(
    st.floats(min_value=1e-12, max_value=9e20, allow_nan=False),
    st.sampled_from(["B/s", "flop/s", "Hz", "s", "B", "1", "nodes"]),
)
def test_text_stays_within_rounding_of_the_value(value: float, unit: str) -> None:
    factor, _ = scale(value, unit)
    text = quantity(value, unit).split(" ")[0].replace(",", "")
    assert float(text) * factor == pytest.approx(value, rel=0.0051)


@given(st.floats(), st.sampled_from(["B/s", "B", "s", "1", ""]))
def test_every_number_has_a_text(value: float, unit: str) -> None:
    assert quantity(value, unit)
    assert percent(value)


@pytest.mark.parametrize(
    ("items", "noun", "text"),
    [
        (0, "run", "no run"),
        (1, "rank", "1 rank"),
        (2, "rank", "2 ranks"),
        (1.0, "FMA unit", "1 FMA unit"),
        (2.5, "processor", "2.5 processors"),
        (10_649_600, "process", "10,649,600 processes"),
        (3, "family", "3 families"),
        (2, "way", "2 ways"),
    ],
)
def test_things_are_counted_in_english(items: float, noun: str, text: str) -> None:
    assert count(items, noun) == text


def test_a_layout_names_ranks_only_where_there_are_several() -> None:
    assert [layout(1, 1), layout(1, 8), layout(2, 1)] == ["1 thread", "8 threads", "2 ranks x 1 thread"]


def test_bytes_of_a_whole_system_have_their_prefix() -> None:
    assert quantity(2.4e13, "B") == "21.8 TiB"
    assert quantity(5e15, "B") == "4.44 PiB"


@pytest.mark.parametrize("unit", ["B/s", "flop/s", "update/s", "message/s", "1/s", "s", "1", "flop/s/W"])
def test_rates_of_anything_are_units(unit: str) -> None:
    assert without_prefix(unit)


@pytest.mark.parametrize("unit", ["GB/s", "Gflop/s", "kflop/s", "Mbit/s", "ms", "MiB", "B/s/s", "/s", "", "B / s"])
def test_units_have_no_prefixes(unit: str) -> None:
    assert not without_prefix(unit)


@pytest.mark.parametrize(
    ("low", "high", "unit", "text"),
    [
        (20e9, 30.5e9, "B/s", "20 to 30.5 GB/s"),
        (0.9e9, 1.1e9, "B/s", "900 MB/s to 1.1 GB/s"),
        (20e9, 20e9, "B/s", "20 GB/s"),
        (0.03, 0.05, "1", "3% to 5%"),
        (2e-6, 3e-3, "s", "2 µs to 3 ms"),
    ],
)
def test_a_span_says_its_unit_once(low: float, high: float, unit: str, text: str) -> None:
    assert span(low, high, unit) == text


@pytest.mark.parametrize(
    ("ratio", "within", "shown", "ends"),
    [
        (10.107, (8.0, 13.0), "10", ("8", "13")),
        (10.107, (9.9, 10.3), "10.1", ("9.9", "10.3")),
        (9.97, (8.0, 13.0), "10", ("8", "13")),
        (1.0843, (1.02, 1.15), "1.08", ("1.02", "1.15")),
        (1.0024, (1.0021, 1.0027), "1.002", ("1.002", "1.003")),
        (1.0004, (1.0001, 1.0007), "1.0004", ("1.0001", "1.001")),
        (0.99996, (0.99993, 0.99999), "0.99996", ("0.9999", "0.99999")),
        (1.0004, (0.9, 1.1), "1.0", ("0.9", "1.1")),
        (843.2, (500.0, 1400.0), "800", ("500", "1,400")),
        (0.0693, (0.02, 0.2), "0.07", ("0.02", "0.20")),
        (0.0693, (0.01, 5.0), "0.07", ("0.01", "5")),
        (0.00031, (0.000309, 0.000311), "0.000310", ("0.000309", "0.000311")),
        (3.1e7, (1e7, 5e7), "3e7", ("1e7", "5e7")),
        (5.2, (0.0, math.inf), "5", ("0", "not finite")),
    ],
)
def test_a_ratio_has_the_digits_that_its_interval_allows(
    ratio: float, within: tuple[float, float], shown: str, ends: tuple[str, str]
) -> None:
    assert (times(ratio, within), times_span(*within)) == (shown, ends)


def test_an_end_of_an_interval_without_1_is_not_shown_as_1() -> None:
    assert times_span(1.004, 1.2) == ("1.004", "1.20")
    assert times_span(0.99999, 3.0) == ("0.99999", "3")
    assert times_span(1.0, 1.2) == ("1.0", "1.2")


def test_a_ratio_without_an_interval_has_three_digits() -> None:
    assert [times(value) for value in (1.2645, 0.06934, 10.107)] == ["1.26", "0.0693", "10.1"]


def test_units_are_read_as_people_write_them() -> None:
    assert spellings("B/s")["GB/s"] == 1e9
    assert spellings("B/s")["GiB/s"] == 2**30
    assert spellings("s")["us"] == spellings("s")["\N{MICRO SIGN}s"] == 1e-6
    assert spellings("flop/s")["Tflop/s"] == 1e12
    assert spellings("1") == {"1": 1.0, "%": 0.01}
    assert "kcount" not in spellings("count")
    assert "mB/s" not in spellings("B/s")
