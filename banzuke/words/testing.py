"""Reads from the programs' sources which conditions they write, for tests of words."""

import re
from collections.abc import Iterator
from pathlib import Path

_ALONE = re.compile(r'(?:conditions_?|\bmore)\.emplace_back\(\s*"(\w+)"|\{"(\w+)", look\.|std::pair\{"(\w+)"')
"""Matches one condition that is added by its name, and the first of a list of pairs."""
_ADDER = re.compile(r"const auto add = .*conditions\.emplace_back\(name, value\)")
"""Matches a function that adds a condition by its name."""
_ADDED = re.compile(r'\badd\("(\w+)"')
_BODY = re.compile(
    r"\b\w*conditions(?:_of)?\([^)]*\) (?:const )?(?:override )?\{(?:.*\}$|(?:.|\n)*?\n\}$)", re.MULTILINE
)
"""Matches a function that returns some."""
_LISTED = re.compile(r"(?:\bfacts(?: = |\{|\.insert\()|Json::Object more\{)(?:.|\n)*?;\n")
"""Matches facts of a problem, which go into the record, and conditions that are listed first."""
_KEY = re.compile(r'\{\s*"(\w+)",|emplace_back\("(\w+)",')
COMPUTED = {
    "geofem": ("layer_rates", "layer_shares", "layer_limited", "layer_seconds"),
    "hpcg": ("layer_rates", "layer_shares", "layer_limited", "layer_seconds", "layer_axis"),
    "hpl": (
        *("column_rates", "column_shares", "column_limited", "column_seconds", "column_intervals"),
        *(f"device_{span}_seconds" for span in ("idle", "wait", "move", "solve", "update")),
    ),
    "ior": ("read_from", "write_to", "read_evidence", "write_evidence"),
}
"""Names of conditions that programs put together."""


def written_conditions(folder: Path) -> set[str]:
    """Return the names of the conditions that the programs of a benchmark's folder, or of `core`, write."""
    sources = (file for kind in ("*.cpp", "*.hpp") for file in folder.rglob(kind) if not _is_other(file))
    return {name for file in sources for name in _of_source(file.read_text(encoding="utf-8"))} | {
        *COMPUTED.get(folder.name, ())
    }


def _is_other(file: Path) -> bool:
    return file.name.startswith(("test_", "bench_", "fuzz_")) or bool({"test_programs", "probe"} & {*file.parts})


def _of_source(text: str) -> Iterator[str]:
    patterns = [(_ALONE, text)]
    patterns += [(_ADDED, text)] if _ADDER.search(text) else []
    patterns += [(_KEY, match[0]) for block in (_BODY, _LISTED) for match in block.finditer(text)]
    for pattern, part in patterns:
        for match in pattern.finditer(part):
            yield next(filter(None, match.groups()))
