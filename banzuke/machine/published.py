"""Published machines: specification and figures of `machines/*.toml`, as their reports print them.

A printed figure is never corrected. Where it does not follow from its own table, `flags` says so and, for a
percentage, `recomputed_percent` holds what follows.
"""

import difflib
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from banzuke import paths
from banzuke.amounts import Count, Name, Positive, Real, Scalar, Several
from banzuke.errors import BanzukeError
from banzuke.files import read_whole, refusal

Bytes = Annotated[Count, Field(gt=0)]
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


class Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Report(Model):
    authors: list[str] = Field(min_length=1)
    title: str
    title_english: str | None = None
    published: str = Field(description="where and when, as far as the report prints it")

    @property
    def citation(self) -> str:
        english = f" [{self.title_english}]" if self.title_english else ""
        return f"{', '.join(self.authors)}: {self.title}{english}. {self.published}."


class Accelerator(Model):
    name: str
    count: Several = Field(description="in one node")
    flop_rate: Positive | None = Field(default=None, description="double precision, one device")
    flop_rate_single: Positive | None = None
    flop_rate_tensor: Positive | None = None
    memory: Bytes | None = None
    memory_bandwidth: Positive | None = None
    host_link: str | None = None
    peer_link: str | None = None
    power: Positive | None = None
    detail: str | None = None


class Node(Model):
    cpu: str | None = None
    sockets: Several | None = None
    cores: Several | None = Field(default=None, description="compute cores of the node")
    assistant_cores: str | None = None
    clock: Positive | None = None
    turbo_clock: Positive | None = None
    flop_rate: Positive | None = Field(default=None, description="double precision, with accelerators")
    flop_rate_cpu: Positive | None = Field(default=None, description="where accelerators add to it")
    memory: Bytes | None = None
    usable_memory: Bytes | None = None
    memory_kind: str | None = None
    memory_bandwidth: Positive | None = Field(default=None, description="peak, main memory")
    numa: str | None = None
    caches: str | None = None
    local_storage: str | None = None
    accelerator: list[Accelerator] = Field(default_factory=list)


class System(Model):
    """What is printed of the machine as a whole."""

    flop_rate: Positive | None = None
    memory: str | None = Field(default=None, description="as printed: the prefix is often the wrong one")
    power: str | None = None
    racks: Several | None = None
    cooling: str | None = None
    software: str | None = None


class Storage(Model):
    name: str
    kind: str | None = None
    capacity: Positive | None = None
    usable_capacity: Positive | None = None
    bandwidth: Positive | None = None
    detail: str | None = None


class Figure(Model):
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
    kind: Kind
    report: str
    where: Name
    parameters: dict[str, Parameter] = Field(default_factory=dict)
    note: str = ""
    flags: list[str] = Field(default_factory=list)

    @model_validator(mode="after")
    def consistent(self) -> Self:
        if (self.value is None) != (self.as_printed is None):
            raise ValueError("value and as_printed go together")
        if self.value is None and not self.note:
            raise ValueError("a figure without a value needs a note")
        if self.recomputed_percent is not None and not (self.flags and self.percent_of_peak is not None):
            raise ValueError("recomputed_percent needs percent_of_peak and a flag")
        if (self.peak is None) != (self.peak_of is None):
            raise ValueError("peak and peak_of go together")
        return self

    @property
    def per_node(self) -> float | None:
        """Rate of one node; None where the figure is no rate or not one of whole nodes."""
        if self.value is None or self.nodes is None or self.part is not None or "/s" not in self.unit:
            return None
        return self.value / self.nodes


class PublishedMachine(Model):
    id: str = Field(description="the file's name without suffix")
    name: str
    title: str
    site: str
    part_of: str | None = Field(default=None, description="id of the machine that this one is a subsystem of")
    nodes: Several | None = None
    interconnect: str | None = None
    note: str = ""
    flags: list[str] = Field(default_factory=list, description="what does not follow in the specification")
    node: Node = Node()
    system: System = System()
    storage: list[Storage] = Field(default_factory=list)
    reports: dict[str, Report] = Field(min_length=1)
    figure: list[Figure] = Field(default_factory=list)

    @model_validator(mode="after")
    def cited(self) -> Self:
        for number, figure in enumerate(self.figure, 1):
            if figure.report not in self.reports:
                raise ValueError(f"figure {number} cites the unknown report {figure.report!r}")
        return self

    def peak(self, figure: Figure) -> float | None:
        """Theoretical peak for this figure, in its unit; None: unknown or not applicable."""
        if figure.peak is not None:
            return figure.peak
        if figure.part is not None or figure.nodes is None:
            return None
        if figure.unit == "flop/s":
            if figure.nodes == self.nodes and self.system.flop_rate is not None:
                return self.system.flop_rate
            return self.node.flop_rate and self.node.flop_rate * figure.nodes
        if figure.unit == "B/s" and figure.benchmark == "stream":
            return self.node.memory_bandwidth and self.node.memory_bandwidth * figure.nodes
        return None

    def source(self, figure: Figure) -> str:
        return f"{self.reports[figure.report].citation} {figure.where[0].upper()}{figure.where[1:]}."


def load(folder: Path = paths.MACHINES) -> list[PublishedMachine]:
    """All published machines, sorted by id."""
    return [_read(path) for path in sorted(folder.glob("*.toml"), key=lambda path: path.stem)]


def find(name: str, machines: Sequence[PublishedMachine]) -> PublishedMachine | None:
    """The machine whose id or name this is; case, spaces and punctuation do not matter."""
    wanted = _fold(name)
    return next((m for m in machines if wanted in (_fold(m.id), _fold(m.name))), None)


def suggestions(name: str, machines: Sequence[PublishedMachine]) -> list[str]:
    """Ids that resemble `name`, nearest first."""
    spelled = {_fold(text): m.id for m in machines for text in (m.id, m.name)}
    near = difflib.get_close_matches(_fold(name), list(spelled), n=3, cutoff=0.5)
    return list(dict.fromkeys(spelled[text] for text in near))


def _fold(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _read(path: Path) -> PublishedMachine:
    remedy = "Correct the file; the others in its folder show the form."
    try:
        content = tomllib.loads(read_whole(path).decode())
    except (ValueError, RecursionError) as error:
        raise BanzukeError(f"{path}: cannot be read", why=str(error), remedy=remedy) from error
    if "id" in content:
        raise BanzukeError(f"{path}: id: not allowed", why="the file's name is the id", remedy=remedy)
    try:
        return PublishedMachine.model_validate({"id": path.stem, **content})
    except ValidationError as error:
        raise BanzukeError(f"{path}: {refusal(error)}", why=_extent(error), remedy=remedy) from error


def _extent(error: ValidationError) -> str:
    others = error.error_count() - 1
    return f"and {others} more" if others else ""
