"""Protocols for what a benchmark's folder declares for packages after `plan`, as far as `plan` itself uses it."""

from collections.abc import Iterable, Mapping
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


class DeclaredModel(Protocol):
    """Predicts a metric from a machine's description: a `banzuke.predict.model.Model`."""

    metric: str
    """The benchmark's name for its headline metric."""
    settings: Mapping[str, str]
    """Names that `--set` may choose, with a line of help each."""

    def published(self, figure: PublishedFigure) -> Mapping[str, Scalar] | str:
        """Return the call that led to a published figure; or the reason why the publication does not tell it."""
        ...
