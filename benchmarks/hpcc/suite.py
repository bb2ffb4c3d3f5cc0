"""The HPC Challenge: its input file, sizes for a machine, and its output; its parts are in their own folders."""

import math

from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.plan.estimate import flop_rate
from banzuke.plan.lines import ANY, Lines
from banzuke.plan.suite import Suite, SuiteProblem

from .hpcc_out import write

MOST_VALUES = 20
"""Values of one kind for which the official code has room."""
SHARE = 0.8
"""Share of the memory for the largest matrix: the official code's rule."""
PATIENCE = 60.0
"""Seconds in which the largest matrix is solved where no file says its order."""
EFFICIENCY = 0.7
"""Expected share of DGEMM's rate."""
BLOCK = 192
FEW_RANKS = 20
"""Ranks from which the official code leaves one out rather than have a grid of one row."""


def read(lines: Lines, ranks: int | None, threads: int) -> SuiteProblem:
    """Read the lines that all parts depend on. Raises BanzukeError naming the line, or where ranks are too few."""
    lines.skip(4)
    orders = lines.several("N", MOST_VALUES, 1)
    blocks = lines.several("NB", MOST_VALUES, 1)
    lines.whole("PMAP", ANY)
    count = lines.whole("the number of process grids", 1, MOST_VALUES)
    grids = list(zip(lines.wholes("P", count, 1), lines.wholes("Q", count, 1), strict=True))
    needed = max(p * q for p, q in grids)
    if ranks is not None and ranks < needed:
        raise BanzukeError(
            f"{lines.file} asks for more than {ranks} ranks",
            why=f"its largest process grid has {needed}",
            remedy="Omit --ranks to use as many as the largest grid has",
        )
    return SuiteProblem(orders, blocks, grids, ranks or needed, threads)


def grid(ranks: int) -> tuple[int, int]:
    """Return the official code's process grid: as square as can be, with one rank fewer if their number is prime."""
    for number in (ranks, ranks - 1):
        rows = next((p for p in range(math.isqrt(number), 1, -1) if number % p == 0), 1)
        if rows > 1 or number < FEW_RANKS:
            return rows, number // rows
    raise AssertionError("of two successive numbers one is even")


def choose(machine: Machine, ranks: int) -> str:
    """Return an input file whose largest matrix fits into the memory and is solved within `PATIENCE`."""
    p, q = grid(ranks)
    cores = machine.allotment.usable_cores
    hosts = max(1, math.ceil(ranks / cores))
    fitting = math.sqrt(SHARE * machine.allotment.reference_memory * hosts / 8)
    lasting = (1.5 * PATIENCE * EFFICIENCY * hosts * flop_rate(machine, min(ranks, cores))) ** (1 / 3)
    n = int(min(fitting, lasting))
    return TEMPLATE.format(n=n // (2 * BLOCK) * (2 * BLOCK) or max(1, n), nb=min(BLOCK, max(1, n)), p=p, q=q)


TEMPLATE = """\
HPLinpack benchmark input file
chosen for this machine
HPL.out      output file name (if any)
8            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
{n:<12} Ns
1            # of NBs
{nb:<12} NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
{p:<12} Ps
{q:<12} Qs
16.0         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
2            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
##### This line (no. 32) is ignored (it serves as a separator). ######
0            Number of additional problem sizes for PTRANS
1200         values of N
0            number of additional blocking sizes for PTRANS
40           values of NB
"""

SUITE = Suite(
    name="hpcc",
    title="HPC Challenge",
    input_name="hpccinf.txt",
    output="hpccoutf.txt",
    read=read,
    choose=choose,
    write=write,
)
