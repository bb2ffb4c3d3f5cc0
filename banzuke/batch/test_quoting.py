"""Words of directives as each batch system reads them: whatever the name of a folder, it is one word or refused."""

import re
import shlex
import string
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.batch.job import Chunk, Job
from banzuke.batch.test_directives import directives
from banzuke.errors import BanzukeError
from banzuke.machine.cluster import Batch, BatchSystem


def words_of_sbatch(line: str) -> list[str]:
    """Split as sbatch reads a line of options (_get_argument of Slurm's src/sbatch/opt.c)."""
    words: list[str] = []
    word, quote, at = "", "", 0
    while at < len(line) and (quote or line[at] != "#"):
        if line[at] == "\\":
            at += 1
            word += line[at : at + 1]
        elif quote:
            quote, word = ("", word) if line[at] == quote else (quote, word + line[at])
        elif line[at] in "\"'":
            quote = line[at]
        elif line[at].isspace():
            words, word = [*words, *filter(None, [word])], ""
        else:
            word += line[at]
        at += 1
    assert not quote, "unmatched"
    return [*words, *filter(None, [word])]


def words_of_qsub(line: str) -> list[str]:
    """Split as PBS's qsub reads a line (make_argv of OpenPBS's src/cmds/qsub.c)."""
    words: list[str] = []
    word, at = "", 0
    while at < len(line):
        if line[at] in "\"'":
            end = line.index(line[at], at + 1)
            word, at = word + line[at + 1 : end], end
        elif line[at] == "\\":
            at += 1
            word += line[at]
        elif line[at].isspace():
            words, word = [*words, *filter(None, [word])], ""
        else:
            word += line[at]
        at += 1
    return [*words, *filter(None, [word])]


READERS: dict[BatchSystem, tuple[str, Callable[[str], list[str]], str]] = {
    "slurm": ("#SBATCH", words_of_sbatch, "--chdir={}"),
    "gridengine": ("#$", str.split, "{}"),
    "pbs": ("#PBS", words_of_qsub, "{}/out"),
    "pjm": ("#PJM", shlex.split, "{}/out"),
    "flux": ("# flux:", shlex.split, "--cwd={}"),
}


PIECES = ("x", " ", '"', "'", "#", "%", ":", "$(id)", "{{id}}", "hetjob", "PackJob", "-C", "é", "\n", "\t", "\\")
NAMES = st.text(string.printable) | st.lists(st.sampled_from(PIECES), max_size=6).map("".join)


@pytest.mark.parametrize("system", READERS)
@given(name=NAMES)
def test_a_folder_is_one_word_or_refused(system: BatchSystem, name: str) -> None:
    mark, read, wanted = READERS[system]
    folder = Path(f"/data/{name.replace('/', '_')}x")
    chunk = Chunk("cpu", Batch(system=system), 1, 1)
    plain = Job("try", (chunk,), ("true",), Path("/w"), Path("/w/out"), 60)
    try:
        lines = directives(replace(plain, folder=folder, output=folder / "out"), mark)
    except BanzukeError:
        assert not re.fullmatch(r"[\w.+-]*", name, re.ASCII)
        return
    usual = directives(plain, mark)
    assert len(lines) == len(usual)
    assert [len(read(line)) for line in lines] == [len(read(line)) for line in usual]
    assert wanted.format(folder) in [word for line in lines for word in read(line)]
    assert system != "slurm" or not any(re.search("(het|pack)job", line, re.IGNORECASE) for line in lines)
