"""What some benchmarks have beside what every one declares: libraries, storage, messages."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from banzuke.amounts import Scalar

OWN = "own"
"""Stands among libraries for a benchmark's own code."""


@dataclass(frozen=True)
class Library:
    """A library that a program loads at run time, other than the fastest BLAS."""

    name: str
    """As the machine's description names it: `MKL`."""
    variable: str
    """Where the program looks for its path."""
    install: str
    """How to get it: "`pip install mkl` into the environment"."""
    files: tuple[str, ...] = ()
    """Its file's possible names, the best first; empty: it is found as a BLAS library."""


@dataclass(frozen=True)
class Libraries:
    """What a benchmark's programs load at run time."""

    blas: bool = False
    """The machine's fastest BLAS library; sizes may follow from its speed."""
    by_backend: Mapping[str, Library] = field(default_factory=dict)
    """The libraries of backends that call another's; the default backend is the benchmark's own code."""
    parameter: str = ""
    """Where a backend has both: the parameter that says whose code is called, `own` or `library`."""
    own: bool = True
    """Whether the benchmark has code of its own beside them."""
    compared: bool = False
    """Whether the standard cases have the headline once more with each library that is here."""

    @property
    def names(self) -> list[str]:
        """What a benchmark can be told to call, its own code first; empty: it has no backend that calls another's."""
        names = [library.name for library in self.by_backend.values()]
        return [OWN, *names] if names and self.own else names

    def backend(self, name: str) -> str | None:
        """The one that calls this library; None: none does."""
        return next((backend for backend, library in self.by_backend.items() if library.name == name), None)


@dataclass(frozen=True)
class Storage:
    """That cases write into a folder of a storage area: they are planned for each area that is to be measured."""

    folder: str = "folder"
    """The parameter that names the folder."""
    area: str = "area"
    """The parameter that says what the record calls the area."""


@dataclass(frozen=True)
class PublicList:
    """A list by which machines are ranked by the headline; `ranks.csv` beside `spec.py` has each edition's figures."""

    title: str
    """`TOP500`."""
    column: str
    """What the list's own files call the figure: `Rmax`."""
    by_watt: bool = False
    """Whether the figure per watt is what machines are ranked by energy with."""


@dataclass(frozen=True)
class Messages:
    """That its figures are of messages between ranks: a rank has one thread, which sends them, no search makes them
    faster, and those of several hosts are neither added up nor divided by each other.
    """

    pairs: Callable[[int], Mapping[str, Scalar]] | None = None
    """Parameters of the case that measures all pairs of so many hosts, several at once: a screen of nodes launches it
    with a rank on each. None: there is no such case."""
