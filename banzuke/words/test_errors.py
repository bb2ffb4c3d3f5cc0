"""What models refuse is in the reader's language, without an English text in between."""

import re

from banzuke.errors import BanzukeError
from banzuke.paths import BENCHMARKS
from banzuke.words import Quantity, message
from banzuke.words.errors import MessageError, said_by
from banzuke.words.language import words


def test_an_error_is_english_on_a_terminal_and_a_message_in_a_report() -> None:
    why = message("stream-usable", size=Quantity(8 << 30, "B"))
    error = MessageError(message("stream-arrays", n="n=8", ranks=2), why=why, remedy="Give n up to 7")
    english = "three arrays of n=8 elements in each of 2 ranks are not possible (8 GiB of memory can be used)"
    assert str(error) == f"{english}. Give n up to 7"
    assert words()(error.said) == english
    assert words("ja")(said_by(error)) == "各2ランクに要素数n=8の配列3本は確保できない（利用可能なメモリは8 GiB）"  # noqa: RUF001
    assert said_by(BanzukeError("unlucky", why="13", remedy="Try 14")) == "unlucky (13)"


def test_models_refuse_by_messages() -> None:
    """A model's refusal stands in reports: an error in English only would be English in a Japanese one."""
    models = [*BENCHMARKS.glob("*/model*.py")]
    raising = {file for file in models if re.search(r"\bMessageError\(", file.read_text(encoding="utf-8"))}
    assert len(raising) > 6
    assert not [file for file in models if re.search(r"\bBanzukeError\(", file.read_text(encoding="utf-8"))]
