import re
import shlex
from pathlib import Path

import pytest

from banzuke.cli.follow import tell


def test_the_commands_that_are_told_can_be_typed(capsys: pytest.CaptureFixture[str]) -> None:
    folder = "/a b;$(touch c)"
    tell("name", Path(folder))
    said = capsys.readouterr().err
    assert [shlex.split(text)[-1] for text in re.findall(r"banzuke jobs [^\n]*?\)'", said)] == [folder] * 2
