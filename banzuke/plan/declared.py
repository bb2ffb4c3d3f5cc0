"""Protocols for what a benchmark's folder declares for packages after `plan`, as far as `plan` itself uses it."""

from collections.abc import Callable, Iterable, Mapping
from typing import ClassVar, Protocol

from banzuke.amounts import Scalar
from banzuke.machine.published import PublishedFigure
from banzuke.words import Message


class DeclaredView(Protocol):
    """Judges and shows what records hold beside figures: a `banzuke.views.view.View`."""

    name: ClassVar[str]
    """Unique among a benchmark's views."""

    def declared(self, benchmark: str) -> Iterable[Message]:
        """Return the names that it uses in English, so that other languages can have words for them."""
        ...


class DeclaredLayout(Protocol):
    """How a call lays out its ranks: a `banzuke.placement.pattern.Laid`."""

    @property
    def grid(self) -> tuple[int, ...]: ...
    @property
    def last_fastest(self) -> bool: ...
    @property
    def size(self) -> float | None: ...


class DeclaredFlows(Protocol):
    """Which ranks send how much to which: a `banzuke.placement.pattern.Pattern`."""

    @property
    def name(self) -> str: ...
    @property
    def laid(self) -> Callable[[int, Mapping[str, Scalar]], DeclaredLayout | None]:
        """Return the function that lays out a number of ranks with these parameters; it returns None for a call that
        does not send like this.
        """
        ...


class DeclaredModel(Protocol):
    """Predicts a metric from a machine's description: a `banzuke.predict.model.Model`."""

    metric: str
    """The benchmark's name for its headline metric."""
    settings: Mapping[str, str]
    """Names that `--set` may choose, with a line of help each."""

    def published(self, figure: PublishedFigure) -> Mapping[str, Scalar] | str:
        """Return the call that led to a published figure; or the reason why the publication does not tell it."""
        ...
