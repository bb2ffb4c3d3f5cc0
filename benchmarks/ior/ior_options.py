"""IOR's options and directives: those of version 4, and those of versions 2 and 3 that scripts still use."""

from banzuke.plan.command_line import OptionTable

PROGRAM = "ior"
_FLAGS = "c C e E F g k K m r R u v w W x y Y z Z"
_LONG_FLAGS = (
    "warningAsErrors dryRun gpuDirect posix.odirect posix.rangelocks posix.gpfs.hintaccess "
    "posix.gpfs.finegrainwritesharing posix.gpfs.finegrainreadsharing posix.gpfs.createsharing "
    "posix.lustre.ignorelocks mpiio.showHints mpiio.preallocate mpiio.useStridedDatatype mpiio.useFileView"
)
_OLD_FLAGS = "H I n P q"
_VALUED = "a A b d D f G i j l M N o O Q s t T X"
_LONG_VALUED = (
    "randomPrefill random-offset-seed posix.beegfs.NumTargets posix.beegfs.ChunkSize posix.gpfs.releasetoken "
    "posix.lustre.stripecount posix.lustre.stripesize posix.lustre.startost posix.lustre.pool mpiio.hintsFileName"
)
_OLD_VALUED = "J"
_DIRECTIVES_ALONE = (
    "stoneWallingWearOut stoneWallingWearOutIterations stoneWallingStatusFile minTimeDuration interIODelay "
    "allocateBufferOnGPU GPUid summaryFile summaryFormat saveRankPerformanceDetailsCSV savePerOpDataCSV debug platform "
    "numNodes numTasksOnNode0 summaryAlways memoryPerTask"
)
_NUMBERS_ALONE = (
    "stoneWallingWearOut minTimeDuration interIODelay allocateBufferOnGPU numNodes numTasksOnNode0 summaryAlways"
)
"""Directives that take a number, as flags do in a directive."""

_GPFS = "GPFS would be told beforehand what is written and read"
_DEVICE = "the memory of an accelerator is not used"
_HINTS = "hints change how MPI transfers, and none are given here"

OPTIONS = OptionTable(
    PROGRAM,
    flags=frozenset([*_FLAGS.split(), *_LONG_FLAGS.split(), *_OLD_FLAGS.split(), *_NUMBERS_ALONE.split()]),
    valued=frozenset(
        [
            *_VALUED.split(),
            *_LONG_VALUED.split(),
            *_OLD_VALUED.split(),
            *set(_DIRECTIVES_ALONE.split()) - set(_NUMBERS_ALONE.split()),
        ]
    ),
    aliases={
        "collective": "c",
        "dataPacketType": "l",
        # Options of versions 2 and 3 that have longer names now.
        "B": "posix.odirect",
        "p": "mpiio.preallocate",
        "S": "mpiio.useStridedDatatype",
        "U": "mpiio.hintsFileName",
        "V": "mpiio.useFileView",
    },
    refused={
        "y": "the files of two mount points are not told apart",
        "dryRun": "nothing would be measured",
        "randomPrefill": "IOR would write all files first, and time it",
        "minTimeDuration": "IOR would write or read the same bytes again until the time is over",
        "stoneWallingWearOutIterations": "the number of transfers follows only from -b, -s and -t",
        "interIODelay": "IOR would pause after each transfer, and time it",
        "allocateBufferOnGPU": _DEVICE,
        "gpuDirect": _DEVICE,
        "posix.rangelocks": "files are not locked",
        "posix.gpfs.hintaccess": _GPFS,
        "posix.gpfs.releasetoken": "GPFS would be asked to give all locks of a file back",
        "posix.gpfs.finegrainwritesharing": _GPFS,
        "posix.gpfs.finegrainreadsharing": _GPFS,
        "posix.gpfs.createsharing": _GPFS,
        "posix.lustre.ignorelocks": "files of Lustre are opened with its locks",
        "posix.lustre.startost": "the first target is the one that Lustre chooses",
        "posix.lustre.pool": "files are made in the pool of their folder",
        "I": "only HDF5 has data sets",
        "J": "only HDF5 has an alignment",
        "n": "only NetCDF and HDF5 fill their files",
        "P": "ranks do not share a pointer into the file",
    },
    unknown="IOR has no such option, or it belongs to an interface that is not supported",
)
HARMLESS = {"posix.lustre.startost": ("-1",), "posix.beegfs.NumTargets": ("-1",), "posix.beegfs.ChunkSize": ("-1",)}
"""Values other than 0 that have no effect."""
OF_MPIIO = {
    "mpiio.hintsFileName": _HINTS,
    "mpiio.preallocate": "files get their space as they are written",
    "mpiio.useStridedDatatype": "each transfer is contiguous",
    "mpiio.useFileView": "transfers have explicit offsets",
    "c": "",
}
"""Options of MPI-IO only, and why they are not supported; empty if they are."""
OF_POSIX = ("posix.odirect",)

NOTES = {
    "E": "files are always new",
    "M": "what caches serve is detected, and shown apart",
    "R": "all that is read is checked, but untimed",
    "T": "all rounds together have no limit: set most_seconds, that of a phase",
    "W": "all that is written is checked, untimed",
    "Z": "ranks read what ranks of another client wrote, not of random ones",
    "d": "rounds follow each other immediately",
    "g": "phases have only a barrier before them",
    "k": "files are removed at the end",
    "l": "what is written is random, and cannot be compressed",
    "m": "each round has new files in any case",
    "memoryPerTask": "what caches serve is detected, and shown apart",
    "saveRankPerformanceDetailsCSV": "this file is not written; the record has the ranks that were slow",
    "savePerOpDataCSV": "these files are not written; the record has the rate over the time",
    "stoneWallingStatusFile": "this file is neither written nor read; the read phase reads what this run wrote",
    "summaryFile": "this file is not written; --official prints a summary",
    "summaryFormat": "--official prints IOR's default format",
    "u": "all files are in one new folder",
}
_WITHOUT_EFFECT = (
    "A G H j K q x X warningAsErrors random-offset-seed GPUid debug platform numNodes numTasksOnNode0 summaryAlways "
    "mpiio.showHints"
)
WITHOUT_EFFECT = frozenset(_WITHOUT_EFFECT.split())
"""Options that are ignored without a note: they only affect the output."""

DIRECTIVES = {
    **{name.lower(): name for name in _DIRECTIVES_ALONE.split()},
    "api": "a",
    "refnum": "A",
    "testfile": "o",
    "dualmount": "y",
    "gpudirect": "gpuDirect",
    "deadlineforstonewalling": "D",
    "maxtimeduration": "T",
    "outlierthreshold": "j",
    "numtasks": "N",
    "repetitions": "i",
    "intertestdelay": "d",
    "readfile": "r",
    "writefile": "w",
    "fileperproc": "F",
    "taskpernodeoffset": "Q",
    "reordertasks": "C",
    "reordertasksconstant": "C",
    "reordertasksrandom": "Z",
    "reordertasksrandomseed": "X",
    "checkwrite": "W",
    "checkread": "R",
    "keepfile": "k",
    "keepfilewitherror": "K",
    "multifile": "m",
    "warningaserrors": "warningAsErrors",
    "segmentcount": "s",
    "blocksize": "b",
    "transfersize": "t",
    "singlexferattempt": "x",
    "intratestbarriers": "g",
    "verbose": "v",
    "collective": "c",
    "settimestampsignature": "G",
    "datapackettype": "l",
    "uniquedir": "u",
    "useexistingtestfile": "E",
    "fsyncperwrite": "Y",
    "fsync": "e",
    "randomoffset": "z",
    "memorypernode": "M",
    "useo_direct": "posix.odirect",
    # Directives of versions 2 and 3.
    "nodes": "numNodes",
    "storefileoffset": "l",
    "hintsfilename": "mpiio.hintsFileName",
    "showhints": "mpiio.showHints",
    "preallocate": "mpiio.preallocate",
    "usestrideddatatype": "mpiio.useStridedDatatype",
    "usefileview": "mpiio.useFileView",
    "usesharedfilepointer": "P",
    "individualdatasets": "I",
    "setalignment": "J",
    "nofill": "n",
    "quitonerror": "q",
    "lustrestripecount": "posix.lustre.stripecount",
    "lustrestripesize": "posix.lustre.stripesize",
    "lustrestartost": "posix.lustre.startost",
    "lustreignorelocks": "posix.lustre.ignorelocks",
    "gpfshintaccess": "posix.gpfs.hintaccess",
    "gpfsreleasetoken": "posix.gpfs.releasetoken",
    "beegfsnumtargets": "posix.beegfs.NumTargets",
    "beegfschunksize": "posix.beegfs.ChunkSize",
}
"""Options by the directive's name in lower case, because IOR ignores case."""
