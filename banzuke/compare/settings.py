"""The settings of a case: what distinguishes it from others of its benchmark, and how it is written."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from banzuke.amounts import Scalar
from banzuke.compare.matching import environment, neighbours, variant
from banzuke.plan.axes import AXES, shown
from banzuke.record.model import Record
from banzuke.units import percent, quantity


def settings(record: Record) -> dict[str, Scalar]:
    """Return everything that can distinguish two cases of a benchmark."""
    provenance = record.provenance
    placement = provenance.placement if provenance else None
    return {
        "backend": record.backend,
        "environment": environment(record),
        "neighbours": neighbours(record),
        **{name: text for name, text in variant(record).items() if name not in ("environment", "neighbours")},
        **({"placement": placement} if placement else {}),
        "hosts": record.nodes,
        "ranks": record.ranks,
        "threads": record.threads,
        "devices": len(record.devices),
        **({"groups": record.layout} if len(record.groups) > 1 else {}),
        **record.parameters,
    }


def surroundings(record: Record) -> str:
    """Return `native`, `isolated, 3 busy neighbours`: the case's environment and how else it was launched."""
    others = {name: value for name, value in variant(record).items() if name != "environment"}
    return ", ".join([environment(record), *shown(others)])


def apart(record: Record) -> dict[str, Scalar]:
    """Return the settings of a case, except how it was launched."""
    left_out = {*AXES, *variant(record)} - record.parameters.keys()
    return {name: value for name, value in settings(record).items() if name not in left_out}


def varying(records: Iterable[dict[str, Scalar]]) -> list[str]:
    """Return names of the settings that differ between cases, in order of first appearance.

    Cases to which a setting does not apply are ignored.
    """
    rows = list(records)
    names = dict.fromkeys(name for row in rows for name in row)
    return [name for name in names if len({repr(row.get(name)) for row in rows if applies(row, name)}) > 1]


def applies(row: dict[str, Scalar], name: str) -> bool:
    """Return whether the setting applies to the case; missing settings that are no parameters have the usual value."""
    return name in row or name in (*AXES, *_OF_SOME) or name.isupper()  # variables are upper-case


_OF_SOME = ("placement", "groups")
"""Settings that are not parameters and that some records lack."""


def telling(rows: Sequence[dict[str, Scalar]]) -> list[list[str]]:
    """Return the varying settings; those that always have the same value, such as m and n, form one group."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for name in varying(rows):
        groups.setdefault(tuple(repr(row.get(name)) for row in rows), []).append(name)
    return list(groups.values())


def short_setting(name: str, value: Scalar | None) -> str:
    """Return `threads 2`, `nontemporal`: a word stands for itself, a number needs its name."""
    return value if isinstance(value, str) else f"{name.replace('_', ' ')} {setting_text(value)}"


def label_of(values: dict[str, Scalar], columns: Sequence[Sequence[str]]) -> str:
    return ", ".join(
        f"{' = '.join(names)} {setting_text(values.get(names[0]))}" for names in columns if applies(values, names[0])
    )


def case_labels(records: Sequence[Record]) -> list[str]:
    """Return `2 threads, n 1,000` for each: the layout, and what else tells it from the others of its benchmark."""
    labels = further_labels(records)
    return [", ".join(filter(None, (record.layout, label))) for record, label in zip(records, labels, strict=True)]


def further_labels(records: Sequence[Record]) -> list[str]:
    """Return what tells each from the others of its benchmark beside the layout: `n 1,000`; empty: nothing."""
    of_benchmark: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        of_benchmark[record.benchmark].append(record)
    columns = {
        name: [names for names in telling([settings(record) for record in own]) if not set(names) <= _IN_LAYOUT]
        for name, own in of_benchmark.items()
    }
    return [label_of(settings(record), columns[record.benchmark]) for record in records]


_IN_LAYOUT = {"ranks", "threads", "devices", "groups"}
"""Settings that the layout of a case shows."""


def setting_text(value: Scalar | None) -> str:
    if value is None:
        return "default"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:g}" if isinstance(value, float) else value


def figure_text(value: float, unit: str) -> str:
    return percent(value) if unit == "1" else quantity(value, unit)
