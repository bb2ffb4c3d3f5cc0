"""Reads the rates of cables: `4xEDR`, `100g`."""

import math
import re

_LANE = {
    "SDR": 2.5e9 * 8 / 10,
    "DDR": 5e9 * 8 / 10,
    "QDR": 10e9 * 8 / 10,
    "FDR10": 10.3125e9 * 64 / 66,
    "FDR": 14.0625e9 * 64 / 66,
    "EDR": 25.78125e9 * 64 / 66,
    "HDR": 50e9,
    "NDR": 100e9,
    "XDR": 200e9,
}
"""Data bits per second of a lane, without the line encoding."""
_WIDTH = re.compile(r"\b(\d+)x\s?(SDR|DDR|QDR|FDR10|FDR|EDR|HDR|NDR|XDR)\b")


def rate_of(text: str) -> float:
    """Return the B/s each way in the last word such as `4xEDR`; NaN: there is none."""
    matches = _WIDTH.findall(text)
    return int(matches[-1][0]) * _LANE[matches[-1][1]] / 8 if matches else math.nan
