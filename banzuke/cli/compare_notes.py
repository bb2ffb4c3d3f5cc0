"""Prints the lines below the tables of `banzuke compare`: numbered notes, cautions, how intervals were computed."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from banzuke.cli.console import out
from banzuke.compare.runs import DOUBTFUL, Comparison, PublishedComparison
from banzuke.compare.verdict import Judgement
from banzuke.document import Cell, Tone
from banzuke.words.language import words

TONES: Mapping[str, Tone] = {
    "faster": "better",
    "slower": "worse",
    "not comparable": "unsure",
    "cannot be told": "unsure",
}
_PERCENTAGE = re.compile(r"\d+(?:\.\d+)?%")
MANY_INTERVALS = 20
"""Number of intervals from which one is expected to miss the true value."""


@dataclass
class Notes:
    """Numbered notes on the lines of a table, each text once.

    Doubts about figures that differ only in a percentage share one note.
    """

    texts: dict[str, list[str]] = field(default_factory=dict)
    """The texts of each note, by the key that `_alike` gives them."""

    def verdict(self, line: Comparison | PublishedComparison) -> Cell:
        """Return the line's verdict with the numbers of its notes."""
        remarks = map(words(), line.told) if isinstance(line, Comparison) else ()
        texts = [text for text in (line.reason, *remarks, *line.differences) if text]
        marks = [self._mark(text) for text in texts]
        numbers = f" ({', '.join(map(str, marks))})" if marks else ""
        return Cell(f"{line.verdict}{numbers}", tone=TONES.get(line.verdict, ""))

    def show(self) -> None:
        for number, (key, texts) in enumerate(self.texts.items(), 1):
            out.say(f"({number}) {_together(texts) if key != texts[0] else key}")

    def _mark(self, text: str) -> int:
        texts = self.texts.setdefault(_alike(text), [])
        if text not in texts:
            texts.append(text)
        return list(self.texts).index(_alike(text)) + 1


def _together(texts: Sequence[str]) -> str:
    """Merge texts that differ only in their percentage into one."""
    shares = [_PERCENTAGE.findall(text)[0] for text in texts]
    return texts[0].replace(shares[0], ", ".join(shares))


def _alike(text: str) -> str:
    """Return a key that is equal for texts that share a note: a doubt without its percentage, else the text."""
    doubtful = text.startswith(DOUBTFUL) and len(_PERCENTAGE.findall(text)) == 1
    return _PERCENTAGE.sub("%", text) if doubtful else text


def show_footer(warnings: Sequence[str], judgements: Sequence[Comparison | Judgement]) -> None:
    """Print the cautions, and how the intervals of these judgements were computed."""
    show_cautions(warnings)
    paired = [judgement.paired for judgement in judgements if judgement.interval]
    count = len(paired)
    if count:
        share = "" if all(paired) else f"{sum(paired)} of them "
        how = f"; {share}paired, because the launches were interleaved" if any(paired) else ""
        apart = any(judgement.blocks for judgement in judgements if judgement.interval)
        runs = ", or of runs that were not interleaved" if apart else ""
        out.say(f"95% interval{'s' * (count > 1)} from the medians of launches{runs}{how}.")
    if count >= MANY_INTERVALS:
        out.say(f"Of {count} intervals of 95%, about {count / 20:.0f} miss the true value by chance alone.")


def show_cautions(warnings: Sequence[str]) -> None:
    for warning in warnings:
        out.say(("Caution:", "yellow"), f" {warning}")
