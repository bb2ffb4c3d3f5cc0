"""Published machines: descriptions and figures of `machines/*.toml`, as their reports print them.

A printed figure is never corrected. Where it does not follow from its own table, `flags` says so and, for a percentage,
`recomputed_percent` has the right value. A site file that `banzuke machine --toml` or a person wrote is read in the
same way, with figures or without.
"""

import difflib
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from banzuke import paths
from banzuke.amounts import Frozen, Name, Positive, Real, Scalar, Several
from banzuke.errors import BanzukeError
from banzuke.files import read_named
from banzuke.files.refusals import refusals
from banzuke.machine.lines import line_of
from banzuke.machine.mistakes import impossible, incomplete, no_toml
from banzuke.machine.site import NodeType, Partition, Site, StorageArea

Parameter = Scalar | list[Scalar] | dict[str, Scalar]
Kind = Literal[
    "measured",
    "comparison",
    "projection",
    "ratio",
    "specification",
    "model",
    "target",
    "bound",
    "rounded",
    "derived",
    "graph-only",
]
_REMEDY = "Correct the file; `banzuke site init` writes one of this form"
MEASURED = ("measured", "comparison")
"""Kinds of figures that were measured; the others are projections, ratios, sums."""
WHOLE = "the whole machine"
"""Part of a figure that is stated without a number of nodes."""
SAME = 0.01
"""Relative difference up to which figures in two reports are the same one."""
MOST_BYTES = 4 << 20
"""Largest file in bytes; a larger one is not a description."""
_RESOURCES = {"flop/s": "flops.fp64", "B/s": "memory.bytes"}
"""Resource by a figure's unit."""


class PublishedReport(Frozen):
    authors: list[str] = Field(min_length=1)
    title: str
    title_english: str | None = None
    published: str = Field(description="where and when, as far as the report prints it")

    @property
    def citation(self) -> str:
        english = f" [{self.title_english}]" if self.title_english else ""
        return f"{', '.join(self.authors)}: {self.title}{english}. {self.published}."

    def citation_in_its_language(self, published: str) -> str:
        """Return the citation without English; `published`: where and when, in the language of the report."""
        return f"{', '.join(self.authors)}: {self.title}, {published}"


class PublishedFigure(Frozen):
    of: str | None = Field(
        default=None, description="partition or area that it was measured on; None: the only partition, or the site"
    )
    benchmark: str
    metric: str
    value: Real | None = Field(default=None, description="None: shown only in a graph, or not printed")
    unit: str
    as_printed: str | None = None
    percent_of_peak: Real | None = Field(default=None, description="as printed")
    recomputed_percent: Real | None = Field(default=None, description="if the printed one does not follow")
    peak: Positive | None = Field(default=None, description="of the percentage, if not nodes x node peak")
    peak_of: str | None = None
    nodes: Several | None = None
    part: str | None = Field(default=None, description="what was measured, where it is not whole nodes")
    devices: Several | None = Field(default=None, description="how many devices', where it is of these alone")
    power: Positive | None = Field(default=None, description="W of all that it is of, while it was measured")
    kind: Kind
    report: str
    where: Name
    parameters: dict[str, Parameter] = Field(default_factory=dict)
    note: str = ""
    flags: list[str] = Field(default_factory=list)

    @model_validator(mode="after")
    def consistent(self) -> Self:
        """Raise ValueError where a field is missing beside another that needs it."""
        if (self.value is None) != (self.as_printed is None):
            raise ValueError("value and as_printed go together")
        if self.value is None and not self.note:
            raise ValueError("a figure without a value needs a note")
        if self.recomputed_percent is not None and not (self.flags and self.percent_of_peak is not None):
            raise ValueError("recomputed_percent needs percent_of_peak and a flag")
        if self.devices and self.part is None:
            raise ValueError("devices needs part")
        if (self.peak is None) != (self.peak_of is None):
            raise ValueError("peak and peak_of go together")
        return self

    @property
    def per_node(self) -> float | None:
        """Return the rate of one node; None where the figure is not a rate, or not one of whole nodes."""
        if self.value is None or self.nodes is None or self.part is not None or "/s" not in self.unit:
            return None
        return self.value / self.nodes

    def same_as(self, other: "PublishedFigure") -> bool:
        """Return whether both are the same figure, printed twice and perhaps rounded."""
        alike = (self.benchmark, self.metric, self.of) == (other.benchmark, other.metric, other.of)
        alike &= (self.nodes, self.part) == (other.nodes, other.part) or WHOLE in (self.part, other.part)
        both = self.parameters.keys() & other.parameters.keys()
        compatible = all(self.parameters[name] == other.parameters[name] for name in both)
        return alike and compatible and abs((self.value or 0.0) / (other.value or 1.0) - 1) < SAME


class PublishedSite(Site):
    reports: dict[str, PublishedReport] = Field(default_factory=dict)
    figure: list[PublishedFigure] = Field(default_factory=list)
    ja: dict[str, str] = Field(
        default_factory=dict, description="names, notes, flags and parts in Japanese, by the English of this file"
    )

    @model_validator(mode="after")
    def check_names(self) -> Self:
        if both := sorted(self.partitions.keys() & self.areas.keys()):
            raise ValueError(f"{both[0]!r} names a partition and an area")
        for name, partition in self.partitions.items():
            _check(f"partitions.{name}.mounts", partition.mounts, self.areas)
        for number, link in enumerate(self.links):
            _check(f"links.{number}.between", link.between, {*self.partitions, *self.areas})
        return self

    @model_validator(mode="after")
    def check_citations(self) -> Self:
        for number, figure in enumerate(self.figure, 1):
            if figure.report not in self.reports:
                raise ValueError(f"figure {number} cites the unknown report {figure.report!r}")
            if figure.of is not None and figure.of not in {*self.partitions, *self.areas}:
                raise ValueError(f"figure {number} is of {figure.of!r}, which is neither a partition nor an area")
        return self

    def machines(self, whole: str) -> list["PublishedMachine"]:
        """Return all machines that a comparison can name: partitions, areas with a name or figures, and the site,
        with id `whole`.

        A site with several partitions counts as a machine only where it has a peak or figures of its own.
        """
        parts: dict[str, Partition | StorageArea] = {**self.partitions} if len(self.partitions) > 1 else {}
        parts |= {key: area for key, area in self.areas.items() if area.name or self._figures({key})}
        machines = [
            PublishedMachine(key, part.name or f"{self.name} {key}", self, part, self._figures({key}))
            for key, part in parts.items()
        ]
        itself = self.machine(whole)
        return [*machines, itself] if itself else machines

    def machine(self, name: str) -> "PublishedMachine | None":
        """Return the site as a whole, under this id."""
        only = None if len(self.partitions) > 1 else next(iter(self.partitions))
        own = self._figures({None, only})
        if only is None and not own and not self.peaks:
            return None
        part = None if only is None else self.partitions[only]
        return PublishedMachine(name, self.name, self, part, own)

    def only(self, partition: str, whole: str) -> "PublishedMachine | None":
        """Return the site as a whole, under the id `whole`, if this key or name is its only partition's; else None."""
        called = {name for key, part in self.partitions.items() for name in (key, part.name) if name}
        alike = _fold(partition) in map(_fold, called)
        return self.machine(whole) if alike and len(self.partitions) == 1 else None

    def _figures(self, subjects: Iterable[str | None]) -> tuple[PublishedFigure, ...]:
        return tuple(figure for figure in self.figure if figure.of in subjects)


@dataclass(frozen=True)
class PublishedMachine:
    """The subject of printed figures: a partition or an area of a site, or the site as a whole."""

    id: str
    name: str
    site: PublishedSite
    part: Partition | StorageArea | None
    """None: several partitions."""
    figure: tuple[PublishedFigure, ...]

    @property
    def node(self) -> NodeType:
        """Return the node type; an empty one for areas and for several partitions, where it is unknown."""
        return self.part.node if isinstance(self.part, Partition) else NodeType()

    def peak(self, figure: PublishedFigure, measures: Collection[str]) -> float | None:
        """Return the theoretical peak for this figure, in its unit; None: unknown or not applicable. The memory's peak
        only applies to B/s if memory is what its benchmark `measures`.
        """
        if figure.peak is not None:
            return figure.peak
        resource = _RESOURCES.get(figure.unit)
        if figure.part is not None or figure.nodes is None or resource is None or not isinstance(self.part, Partition):
            return None
        if figure.unit == "B/s" and resource not in measures:
            return None
        if figure.nodes == self.part.nodes:
            return self.part.total(resource)
        per_node = self.node.total(resource)
        return per_node and per_node * figure.nodes

    def repeats(self, figure: PublishedFigure) -> bool:
        """Return whether it repeats an earlier measured figure, from another table or report, or rounded."""
        before = self.figure[: self.figure.index(figure)]
        return any(figure.same_as(other) for other in before if other.kind in MEASURED)

    def source(self, figure: PublishedFigure) -> str:
        return f"{self.site.reports[figure.report].citation} {figure.where[0].upper()}{figure.where[1:]}."


def load(folder: Path = paths.MACHINES) -> list[PublishedMachine]:
    """Return all published machines, sorted by id."""
    machines = [machine for path in folder.glob("*.toml") for machine in read(path).machines(path.stem)]
    return sorted(machines, key=lambda machine: machine.id)


def find(name: str, machines: Sequence[PublishedMachine]) -> PublishedMachine | None:
    """Return the machine with this id or name; if there is none, case, spaces and punctuation are ignored."""
    wanted = _fold(name)
    exact = (m for m in machines if name in (m.id, m.name))
    alike = (m for m in machines if wanted in (_fold(m.id), _fold(m.name)))
    return next(exact, None) or next(alike, None)


def suggestions(name: str, machines: Sequence[PublishedMachine]) -> list[str]:
    """Return ids that resemble `name`, nearest first."""
    spelled = {_fold(text): m.id for m in machines for text in (m.id, m.name)}
    near = difflib.get_close_matches(_fold(name), list(spelled), n=3, cutoff=0.5)
    return list(dict.fromkeys(spelled[text] for text in near))


def in_file(name: str) -> PublishedMachine | None:
    """Return the machine that `SITE.toml` describes, or a partition or area with `SITE.toml:PART`. None:
    not such a name.

    Raises BanzukeError.
    """
    words = re.fullmatch(r"(.+\.toml)(?::(.*))?", name, re.DOTALL)
    if words is None:
        return None
    path = Path(words[1])
    site = read(path)
    machines = site.machines(path.stem)
    chosen = site.only(words[2], path.stem) or find(words[2], machines) if words[2] else site.machine(path.stem)
    if chosen is None:
        only = next(iter(site.partitions)) if len(site.partitions) == 1 else path.stem
        ids = " or ".join(f"{path}:{only if machine.id == path.stem else machine.id}" for machine in machines)
        problem = f"{path} describes no '{words[2]}'" if words[2] else f"{path} describes several machines"
        raise BanzukeError(problem, remedy=f"Name one: {ids}")
    return chosen


def read(path: Path) -> PublishedSite:
    """Read a site file. Raises BanzukeError naming the lines that are wrong."""
    return _read(path, impossible)


def checked(path: Path) -> PublishedSite:
    """Read a file for jobs, which has to name all of its hosts or none. Raises BanzukeError."""
    return _read(path, incomplete)


def _read(path: Path, contradictions: Callable[[dict[str, Any], str], list[str]]) -> PublishedSite:
    """Read strictly, because a text that is accepted as a number hides what was meant."""
    text = ""
    try:
        text = read_named(path, MOST_BYTES).decode("utf-8-sig")
        content = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise BanzukeError(f"{path} cannot be read", why=no_toml(text, error), remedy=_REMEDY) from error
    if "id" in content:
        raise BanzukeError(f"{path}: id: not allowed", why="the file's name is the id", remedy=_REMEDY)
    try:
        site = PublishedSite.model_validate(content, strict=True)
    except ValidationError as error:
        mistakes = refusals(error, PublishedSite, lambda key: line_of(text, key))
        raise BanzukeError(
            f"{path}", details=sorted([*mistakes, *contradictions(content, text)], key=_line), remedy=_REMEDY
        ) from error
    if mistakes := contradictions(content, text):
        raise BanzukeError(f"{path}", details=sorted(mistakes, key=_line), remedy=_REMEDY)
    return site


def _line(mistake: str) -> float:
    """Return the line that a mistake names; mistakes without a line come last."""
    number = re.match(r"line (\d+): ", mistake)
    return int(number[1]) if number else float("inf")


def _check(path: str, names: Iterable[str], described: Iterable[str]) -> None:
    if unknown := sorted(set(names) - set(described)):
        raise ValueError(f"{path}: {unknown[0]!r} is not described in this file")


def _fold(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())
