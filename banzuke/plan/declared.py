"""What a benchmark's folder declares for packages that come after `plan`, as far as `plan` itself knows it."""

from collections.abc import Iterable, Mapping
from typing import ClassVar, Protocol

from banzuke.amounts import Scalar
from banzuke.machine.published import PublishedFigure
from banzuke.words import Message


class DeclaredView(Protocol):
    """How what its records hold beside figures is judged and shown: a `banzuke.views.view.View`."""

    name: ClassVar[str]
    """Distinct among a benchmark's views."""

    def declared(self, benchmark: str) -> Iterable[Message]:
        """What it names in English itself, for other languages to have words of."""
        ...


class DeclaredModel(Protocol):
    """What predicts a metric from a machine's description: a `banzuke.predict.model.Model`."""

    metric: str
    """The headline, by the benchmark's name for it."""
    settings: Mapping[str, str]
    """What `--set` may choose, with a line of help each."""

    def published(self, figure: PublishedFigure) -> Mapping[str, Scalar] | str:
        """What was asked of the benchmark for a published figure; or why that cannot be told from what is printed."""
        ...
