"""Says why ranks and grid of HPL are as they are on nodes of several kinds."""

import math
from collections.abc import Iterator, Sequence

from banzuke.words import Listed, Message, Quantity, Share, message

from .unlike_nodes import AlikeNodes, FilledGrid, ranks_of, total_rate


def reasons(
    kinds: Sequence[AlikeNodes], counts: Sequence[int], grid: FilledGrid, *, as_asked: bool = False
) -> Iterator[Message]:
    """Return why there are so many ranks on the nodes of each kind, and how they fill the grid; `as_asked`: the user
    asked for it.
    """
    sentences = [
        message("hpl-ranks-of-kind", kind=kind.name, ranks=ranks, rate=Quantity(kind.pace(ranks), "flop/s"))
        for kind, ranks in zip(kinds, counts, strict=True)
    ]
    total = sum(kind.nodes * kind.speed for kind in kinds)
    pace = Share(total_rate(kinds, counts) / total if total > 0 else math.nan)
    yield message("hpl-ranks-of-kinds", kinds=Listed(tuple(sentences)), pace=pace, sum=Quantity(total, "flop/s"))
    idle = [
        message("hpl-idle-nodes", nodes=kind.nodes - used, kind=kind.name)
        for kind, used in zip(kinds, grid.nodes, strict=True)
        if used < kind.nodes
    ]
    ranks, used = ranks_of(kinds, counts), grid.p * grid.q
    how = message("hpl-grid-how", how="given" if as_asked else "columns" if grid.in_columns else "square")
    if idle:
        yield message(
            "hpl-grid-filled-by-some", p=grid.p, q=grid.q, used=used, how=how, ranks=ranks, idle=Listed(tuple(idle))
        )
    else:
        yield message("hpl-grid-filled", p=grid.p, q=grid.q, used=used, how=how)
