"""mdtest's options (of version 4)."""

from banzuke.plan.command_line import OptionTable

PROGRAM = "mdtest"
_FLAGS = (
    "C D E F L P R S T U X Y Z c g k r t u v y print-all-procs verify-write warningAsErrors showRankStatistics "
    "gpuDirect posix.odirect"
)
_VALUED = (
    "B G I N V W a b d e f i l n p s w x z random-seed dataPacketType run-cmd-before-phase run-cmd-after-phase "
    "allocateBufferOnGPU GPUid saveRankPerformanceDetails savePerOpDataCSV"
)
_DEVICE = "the memory of an accelerator is not used"

OPTIONS = OptionTable(
    PROGRAM,
    flags=frozenset(_FLAGS.split()),
    valued=frozenset(_VALUED.split()),
    aliases={"verify-read": "X"},
    refused={
        "S": "all ranks would use one file: ior measures that",
        "allocateBufferOnGPU": _DEVICE,
        "gpuDirect": _DEVICE,
        "posix.odirect": "files are written and read through the page cache",
    },
    unknown="mdtest has no such option, or it belongs to an interface that is not supported",
)
NOTES = {
    "B": "phases always have a barrier before them",
    "C": "all phases are run",
    "D": "files are made, too",
    "E": "all phases are run",
    "F": "directories are made, too",
    "R": "items are accessed in order",
    "T": "all phases are run",
    "U": "all phases are run",
    "X": "every file is checked, untimed",
    "Y": "nothing is synchronised between phases",
    "Z": "rates are printed",
    "c": "each rank makes its own items",
    "dataPacketType": "what is written is random, and cannot be compressed",
    "g": "directories have the file system's own layout",
    "k": "files are made by opening them",
    "p": "rounds follow each other immediately",
    "r": "all phases are run",
    "random-seed": "items are accessed in order",
    "run-cmd-after-phase": "no command is run; mdtest would time it",
    "run-cmd-before-phase": "no command is run",
    "savePerOpDataCSV": "these files are not written",
    "saveRankPerformanceDetails": "this file is not written; the record has the ranks that were slow",
    "showRankStatistics": "the record has the ranks that were slow",
    "print-all-procs": "the record has the ranks that were slow",
    "P": "rates are printed, and no times",
    "t": "working directories are not timed",
    "verify-write": "every file is checked, untimed",
    "x": "there is no such file",
}
WITHOUT_EFFECT = frozenset({"G", "GPUid", "warningAsErrors"})
"""Options that are ignored without a note: they only affect the output."""
