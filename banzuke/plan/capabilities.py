"""Optional parts of a benchmark's declaration: libraries, storage, messages."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from banzuke.amounts import Scalar

OWN = "own"
"""Name of the benchmark's own code in a list of libraries."""


@dataclass(frozen=True)
class Library:
    """A library that a program loads at run time, other than the fastest BLAS."""

    name: str
    """Its name in the machine's description: `MKL`."""
    variable: str
    """Variable in which the program looks for its path."""
    install: str
    """Command that installs it: "`pip install mkl` into the environment"."""
    files: tuple[str, ...] = ()
    """Possible names of its file, the best first; empty: it is found as a BLAS library."""


@dataclass(frozen=True)
class Libraries:
    """The libraries that a benchmark's programs load at run time."""

    blas: bool = False
    """Whether they load the machine's fastest BLAS library; sizes may follow from its speed."""
    by_backend: Mapping[str, Library] = field(default_factory=dict)
    """The library that each backend calls; the default backend is the benchmark's own code."""
    parameter: str = ""
    """For a backend that has both: the parameter that says whose code is called, `own` or `library`."""
    own: bool = True
    """Whether the benchmark also has code of its own."""
    compared: bool = False
    """Whether the headline also runs with each library that is installed, as part of the standard cases."""

    @property
    def names(self) -> list[str]:
        """Return the names that a benchmark can be told to call, its own code first; empty: no backend calls a
        library.
        """
        names = [library.name for library in self.by_backend.values()]
        return [OWN, *names] if names and self.own else names

    def backend(self, name: str) -> str | None:
        """Return the backend that calls this library; None: none does."""
        return next((backend for backend, library in self.by_backend.items() if library.name == name), None)


@dataclass(frozen=True)
class Storage:
    """Declares that cases write into a folder of a storage area: they are planned for each area that is to be
    measured.
    """

    folder: str = "folder"
    """Parameter that names the folder."""
    area: str = "area"
    """Parameter that names the area in the record."""


@dataclass(frozen=True)
class PriorSpread:
    """Standard deviations of logarithms. They were chosen once, not fitted."""

    figure: float
    """Scatter that no constant explains, as runs of one machine differ."""
    family: float
    """Scatter of families about their group, since their designs differ."""
    group: float
    """Scatter of groups about the value that is assumed for all."""


@dataclass(frozen=True)
class FamilyConstant:
    """A constant of models that a list's figures determine, with a value of its own for each family."""

    name: str
    """Its name in `banzuke.predict.constants` or in the benchmark's own model."""
    kind: Literal["processors", "devices"]
    """Whether families of processors or of devices have it."""
    spread: PriorSpread
    small: PriorSpread | None = None
    """Spread of small machines, whose figures differ more; None: none are known."""
    of_peak: bool = False
    """Whether it is a share of a peak."""


@dataclass(frozen=True)
class PublicList:
    """A public list that ranks machines by the headline; `ranks.csv` beside `spec.py` has each edition's figures."""

    title: str
    """Name of the list: `TOP500`."""
    column: str
    """Heading of the figure's column in the list's own files: `Rmax`."""
    by_watt: bool = False
    """Whether `banzuke rank --by energy` ranks this benchmark's figure per watt."""
    determines: tuple[FamilyConstant, ...] = ()
    """Constants that are fitted to the list's figures, by `scripts/fit_predictions.py`."""


@dataclass(frozen=True)
class Messages:
    """Declares that its figures are about messages between ranks: a rank has one thread, which sends them; a search
    cannot make them faster; and figures of several hosts are neither added up nor divided by each other.
    """

    pairs: Callable[[int], Mapping[str, Scalar]] | None = None
    """Returns the parameters of the case that measures all pairs of this many hosts, several at once: a screen of nodes
    launches it with one rank on each. None: there is no such case.
    """
