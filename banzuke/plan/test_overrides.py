"""Reading the values of `--set`."""

import pytest

from banzuke.errors import BanzukeError
from banzuke.plan.overrides import parse_overrides


@pytest.mark.parametrize("setting", ["n", "n=", "=5", ""])
def test_a_malformed_setting_is_named(setting: str) -> None:
    with pytest.raises(BanzukeError, match="not understood"):
        parse_overrides([setting])


def test_settings_gather_their_values() -> None:
    assert parse_overrides(["n=1,2", "s=a", "n=3"]) == {"n": ["1", "2", "3"], "s": ["a"]}


def test_whole_numbers_may_have_an_exponent() -> None:
    whole = {"n": ["1000000000", "2500", "3000", str(10**99)]}
    assert parse_overrides(["n=1e9,2.5E+3,3.0e3,1e99"]) == whole
    for other in ("1e-3", "1.25e1", "1e100", "1e9.mtx", "e9", "-1e9", "0x1e9"):
        assert parse_overrides([f"x={other}"]) == {"x": [other]}
