"""How a case is launched, apart from its problem and its layout."""

import itertools
import math
from dataclasses import dataclass, fields, replace
from typing import Any

from banzuke.amounts import Index
from banzuke.environment.registry import wanted
from banzuke.errors import BanzukeError
from banzuke.record.model import NATIVE

NODE_ORDER = "node"
"""Order in which each host has a block of ranks, and hosts follow each other as in the scheduler's list."""
PLACE_ORDER = "place"
"""Order proposed for the network's topology."""


@dataclass(frozen=True)
class Variant:
    """One value of each axis; the defaults are the usual values."""

    environment: str = NATIVE
    image: str = ""
    """File of the container or virtual machine; empty: none is needed, or the system's own files are used."""
    os_cores: tuple[Index, ...] = ()
    """Processors that isolation leaves to the operating system."""
    neighbours: Index = 0
    """Number of busy processes that are started beside the case."""
    build: str = "default"
    """Name of the build whose programs are run."""
    library: str = ""
    """Name of the library; empty: the fastest BLAS, or a benchmark's own code."""
    memory: str = ""
    """NUMA policy, `local`, `interleave` or `bind:0-1`; empty: that of the system."""
    pages: str = ""
    """`base`, `transparent` or `reserved`; empty: as the program and the system choose."""
    shares: str = "equal"
    """How a rank's threads share its loops: `equal`, or by their measured `rates`."""
    cores: str = ""
    """Processors that the case keeps to, in the kernel's list format; empty: all that may be used."""
    variables: tuple[tuple[str, str], ...] = ()
    """Variables set for the programs, by name; an empty value removes the variable."""
    launcher: str = ""
    """Further options of the MPI launcher, as typed in a shell."""
    shape: str = ""
    """How the job's nodes lie in the network, as requested from the batch system; empty: any."""
    rank_order: str = NODE_ORDER
    """Which rank is on which host: `node`, in the scheduler's order; `random:7`; or `place`, by the network."""
    device: str = ""
    """Name of the kind of its devices, where a node has several kinds; empty: it has one, or the case drives
    several.
    """

    @property
    def unusual(self) -> dict[str, Any]:
        """Return the values that are not usual, by field."""
        values = {field.name: (getattr(self, field.name), field.default) for field in fields(self)}
        return {name: value for name, (value, usual) in values.items() if value != usual}

    @property
    def values(self) -> dict[str, str]:
        """Return the values that are not usual, by axis or by the name of a variable."""
        axes = {name: str(value) for name, value in self.unusual.items() if name not in ("os_cores", "variables")}
        return axes | dict(self.variables)

    def changed(self, other: "Variant") -> "Variant":
        """Return the variant with all values of the other that are not usual."""
        variables = tuple({**dict(self.variables), **dict(other.variables)}.items())
        return replace(self, **{**other.unusual, "variables": variables})


MOST_COMBINATIONS = 10_000
"""Largest number of combinations of values that a case runs with."""
_SEARCHED = {
    "build": "builds",
    "library": "libraries",
    "memory": "memories",
    "pages": "pages",
    "shares": "shares",
    "launcher": "launchers",
}
"""Axes whose values a search for a faster setting tries, beside the variables, with the fields that list them."""


@dataclass(frozen=True)
class Variants:
    """Values of each axis: each case runs with all of them in turn, so that these compare in the same minutes."""

    environments: tuple[str, ...] = (NATIVE,)
    images: tuple[str, ...] = ("",)
    os_cores: tuple[int, ...] = ()
    neighbours: tuple[int, ...] = (0,)
    builds: tuple[str, ...] = ("default",)
    libraries: tuple[str, ...] = ("",)
    memories: tuple[str, ...] = ("",)
    pages: tuple[str, ...] = ("",)
    shares: tuple[str, ...] = ("equal",)
    cores: tuple[str, ...] = ("",)
    variables: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Variables, each with its values."""
    launchers: tuple[str, ...] = ("",)
    orders: tuple[str, ...] = (NODE_ORDER,)
    shape: str = ""
    """Shape of the job, which has only one."""

    def each(self) -> list[Variant]:
        """Return all combinations, the environment changing fastest. Raises BanzukeError for unknown environments, and
        for too many combinations.

        Images and the system's processors are left out where the environment does not use them.
        """
        pairs = itertools.product(self.environments, self.images)
        environments = list(dict.fromkeys(wanted(text, image, self.os_cores) for text, image in pairs))
        settings = [tuple((name, value) for value in values) for name, values in self.variables]
        axes = (
            self.builds,
            self.libraries,
            self.memories,
            self.pages,
            self.shares,
            self.cores,
            self.launchers,
            self.orders,
        )
        if (combinations := math.prod(map(len, (environments, self.neighbours, *axes, *settings)))) > MOST_COMBINATIONS:
            raise BanzukeError(
                f"the lists have {combinations:,} combinations", remedy=f"Use at most {MOST_COMBINATIONS:,}"
            )
        return [
            Variant(
                environment=environment.name,
                image=environment.image,
                os_cores=environment.os_cores,
                neighbours=neighbours,
                build=build,
                library=library,
                memory=memory,
                pages=pages,
                shares=shares,
                cores=cores,
                variables=variables,
                launcher=launcher,
                rank_order=order,
                shape=self.shape,
            )
            for neighbours in self.neighbours
            for build, library, memory, pages, shares, cores, launcher, order in itertools.product(*axes)
            for variables in itertools.product(*settings)
            for environment in environments
        ]

    @classmethod
    def only(cls, variant: Variant) -> "Variants":
        """Return the values of one variant alone, on those axes that a search tries."""
        values: dict[str, Any] = {list_name: (getattr(variant, name),) for name, list_name in _SEARCHED.items()}
        return cls(**values, variables=tuple((name, (value,)) for name, value in variant.variables))

    @property
    def lists(self) -> dict[str, list[Variant]]:
        """Return each value alone, by axis or variable, where a search chooses among several values."""
        by_name = {
            name: [Variant(**{name: value}) for value in getattr(self, list_name)]
            for name, list_name in _SEARCHED.items()
        }
        by_name |= {name: [Variant(variables=((name, value),)) for value in values] for name, values in self.variables}
        return {name: values for name, values in by_name.items() if len(values) > 1}

    @property
    def settled(self) -> "Variants":
        """Return what is left to vary after a search in these lists."""
        chosen, usual = self.lists, Variants()
        kept = {
            list_name: getattr(usual if name in chosen else self, list_name) for name, list_name in _SEARCHED.items()
        }
        return replace(self, **kept, variables=tuple(pair for pair in self.variables if pair[0] not in chosen))

    @property
    def fixed(self) -> Variant:
        """Return what a search keeps: the only value of each of its axes."""
        only = self.settled
        values = {name: getattr(only, list_name)[0] for name, list_name in _SEARCHED.items()}
        return Variant(**values, variables=tuple((name, value) for name, (value,) in only.variables))
