"""Every `banzuke` command in the pages is one that the program's own parser takes.

A command in a block is parsed with its values. One with placeholders (`RUN`, `--nodes N`), and a part of one within a
sentence, is an example: its command and its options have to exist. `<!-- example -->` before a block marks commands
that cannot be parsed everywhere. Those that read nothing but what is installed are run, too.
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer
from typer.testing import CliRunner

from banzuke.cli import app
from banzuke.cli.group import GROUPS
from banzuke.cli.options import PLACEHOLDERS
from banzuke.errors import BanzukeError

ROOT = Path(__file__).parents[1]
GENERATED = {"CHANGELOG.md"}
"""Pages of other versions, whose options may be gone."""
MARK = "<!-- example -->"
STOP = {";", "&", "&&", "|", "||", ">", ">>", "2>>", "<", "(", ")", "#"}
ELLIPSIS = "..."
UNPARSED = "submit"
"""A command whose options are those of another one, too, and are not looked at; like those of a placeholder."""


class Written(NamedTuple):
    """A command as a page shows it."""

    where: str
    words: tuple[str, ...]
    """What follows `banzuke`."""
    exact: bool
    """Whether its values are to be taken as they are."""
    whole: bool
    """Whether it stands by itself, and not within a sentence."""


def pages() -> list[Path]:
    folders = ("", "docs", "benchmarks/*")
    listed = [page for folder in folders for page in sorted(ROOT.glob(f"{folder}/*.md".lstrip("/")))]
    return [page for page in listed if str(page.relative_to(ROOT)) not in GENERATED]


def code(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yield the code of a page by line, and whether it is of a block; a backslash continues a line."""
    fenced = marked = False
    before, held, begun = "", "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            marked = fenced and before == MARK
        elif fenced or (line.startswith("    ") and (held or not before.strip() or before.startswith("    "))):
            marked = marked or before == MARK
            if not marked:
                held, begun = held + line.strip().removesuffix("\\"), begun or number
                if not line.endswith("\\"):
                    yield begun, held, True
                    held, begun = "", 0
        else:
            marked = False
            yield from ((number, span, False) for span in re.findall(r"(?<!`)`([^`]+)`(?!`)", line))
        if line.strip() or not fenced:
            before = line if line.strip() or before != MARK else before


def commands(line: str) -> Iterator[tuple[str, ...]]:
    """Yield the words after each `banzuke` that starts a command in a line of code."""
    try:
        lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|<>()")
        lexer.whitespace_split = True
        words = list(lexer)
    except ValueError:
        return
    at = 0
    while at < len(words):
        if _starts(words, at):
            end = next((place for place in range(at + 1, len(words)) if words[place] in STOP), len(words))
            yield tuple(words[at + 1 : end])
            at = end
        at += 1


def _starts(words: Sequence[str], at: int) -> bool:
    """Return whether our command starts here, rather than a user's or a file's name."""
    following = words[at + 1] if at + 1 < len(words) else ""
    if words[at] != "banzuke":
        return words[at].endswith("/bin/banzuke")
    allowed = {name for names in GROUPS.values() for name in names}
    return following != "=" and (at == 0 or words[at - 1] in STOP or following in allowed or following.startswith("--"))


def is_placeholder(word: str) -> bool:
    """Tell `RUN`, `[RUN...]`, `RUN+OTHER`, `N-nodes-1`, `A` and `...` from values."""
    bare = word.strip("[]").removesuffix(ELLIPSIS)
    allowed = {name.removeprefix("-- ") for name in PLACEHOLDERS} | {"OTHER", "SITE", "FOLDER", "OPTIONS", "C", "M"}
    return (
        word.startswith("[")
        or not bare
        or any(part in allowed for part in re.split(r"[+=:,./\-]", bare))
        or ELLIPSIS in word
        or "$" in word
    )


def written() -> list[Written]:
    written_commands = []
    for page in pages():
        for number, line, whole in code(page.read_text(encoding="utf-8")):
            for words in commands(line):
                if "[OPTIONS]" in words:
                    continue  # docs/commands.md, which the program writes
                exact = len(words) > 1 and not any(map(is_placeholder, words))
                written_commands.append(Written(f"{page.relative_to(ROOT)}:{number}", words, exact, whole))
    return written_commands


def command_of(words: Sequence[str]) -> tuple[Any, str, Sequence[str]]:
    """Return the command that the words name, and the rest of them. Raises AssertionError if there is none."""
    command: Any = typer.main.get_command(app)
    context, rest = typer.Context(command), list(words)
    while rest and getattr(command, "commands", None) and not rest[0].startswith("-"):
        inner = command.get_command(context, rest[0])
        assert inner is not None or is_placeholder(rest[0]), f"there is no command {rest[0]}"
        if inner is None:
            return command, UNPARSED, ()
        command, rest = inner, rest[1:]
    return command, words[len(words) - len(rest) - 1] if len(rest) < len(words) else "", rest


def check_options(command: Any, rest: Sequence[str]) -> None:
    """Check that the command has these options."""
    context = typer.Context(command)
    allowed = {
        name for parameter in command.get_params(context) for name in (*parameter.opts, *parameter.secondary_opts)
    }
    for word in rest:
        if word == "--":
            return
        for name in (own.partition("=")[0] for own in word.strip("[],").split("|")):
            assert not re.match(r"--?[a-z]", name) or name in allowed, f"there is no option {name}"


ALL = written()


def test_the_pages_have_commands() -> None:
    assert sum(command_line.exact and command_line.whole for command_line in ALL) > 100
    assert {command_line.where.partition(":")[0] for command_line in ALL} >= {
        "README.md",
        "docs/export.md",
        "benchmarks/hpl/README.md",
    }


def test_commands_that_need_no_run_are_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Predictions of machines that are installed, lists and explanations take no time."""
    monkeypatch.chdir(tmp_path)
    alone = {line.words: line.where for line in ALL if line.exact and line.whole and needs_no_run(line.words)}
    assert len(alone) >= 8
    for words, where in alone.items():
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0, f"{where}: banzuke {' '.join(words)}: {done.output}"
        assert done.stdout.strip(), where


def needs_no_run(words: Sequence[str]) -> bool:
    """Tell commands that read no run, no file and no device: an installed machine's prediction, a list, a help."""
    files = any(re.search(r"\.(toml|html|svg)\b", word) for word in words)
    own = any(word in {"last", "previous", "validate", "explore", "noise"} for word in words)
    return words[0] in {"predict", "list", "explain", "variants"} and not files and not own


@pytest.mark.catalogue
def test_every_command_in_the_pages_is_one_of_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    wrong = []
    for command_line in ALL:
        for word in command_line.words:
            if re.fullmatch(r"[\w-]+\.(toml|dat|txt|conf|jsonl|json|zip)", word):
                (tmp_path / word).touch()
        try:
            command, name, rest = command_of(command_line.words)
            if command_line.exact and command_line.whole and name != UNPARSED:
                command.make_context(name, list(rest))
            else:
                check_options(command, () if name == UNPARSED else rest)
        except typer.Exit:
            pass  # --help
        except (AssertionError, BanzukeError, typer.TyperException) as error:
            wrong.append(f"{command_line.where}: banzuke {' '.join(command_line.words)}: {error}")
    assert not wrong, "\n".join(wrong)
