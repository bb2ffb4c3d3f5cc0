"""Tests of dates as people write them."""

from datetime import UTC, datetime, timedelta

import pytest

from banzuke.cli.selection import since, until
from banzuke.errors import BanzukeError

DAY = datetime(2026, 11, 22, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2026-11-22", DAY, DAY.replace(hour=23, minute=59, second=59, microsecond=999_999)),
        ("2026-11-22T14:30", DAY.replace(hour=14, minute=30), DAY.replace(hour=14, minute=30)),
        (" 2026-11-22 14:30:05 ", DAY.replace(hour=14, minute=30, second=5), None),
        ("2026-11-22T14:30Z", DAY.replace(hour=14, minute=30), None),
        ("2026-11-22T12:00+09:00", DAY.replace(hour=3), DAY.replace(hour=3)),
    ],
)
def test_dates_and_moments_are_in_utc(text: str, first: datetime, last: datetime | None) -> None:
    assert since(text) == first
    assert until(text) == (last or first)


def test_days_that_are_named_and_times_ago() -> None:
    now = datetime.now(UTC)
    for text, days in (("today", 0), ("Yesterday", 1)):
        assert {since(text).date(), until(text).date()} <= {
            (moment - timedelta(days=days)).date() for moment in (now, datetime.now(UTC))
        }
        assert (since(text).hour, until(text).hour) == (0, 23)
    for text, ago in (
        ("90m", timedelta(minutes=90)),
        ("3h", timedelta(hours=3)),
        ("7d", timedelta(days=7)),
        ("2w ago", timedelta(weeks=2)),
    ):
        assert abs(now - ago - since(text)) < timedelta(minutes=1)
        assert since(text) - until(text) < timedelta(minutes=1)


@pytest.mark.parametrize(
    "text",
    [
        *("", "tomorrow", "22.11.2026", "11/22/2026", "2026-13-01", "2026-02-30", "20261122", "2026-W47", "2026-11"),
        *("14:30", "7", "7y", "99999w", "2026-11-22T25:00", "0001-01-01T00:00+01:00", "9999-12-31T23:59-01:00", "٢d"),
    ],
)
def test_what_is_no_date_is_answered_with_those_that_are(text: str) -> None:
    for read in (since, until):
        with pytest.raises(BanzukeError, match=r"is not a date.*Write 2026-11-22, .*UTC.*yesterday, or 7d"):
            read(text)
