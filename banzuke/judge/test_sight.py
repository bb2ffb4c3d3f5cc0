"""What a benchmark declares as its views."""

from dataclasses import replace
from typing import ClassVar

import pytest

from banzuke.judge.sight import sights
from banzuke.judge.test_examples import STREAM
from banzuke.plan.declared import DeclaredView
from banzuke.words import Message


class NoSight:
    """Looks like a view for `plan`, and judges nothing."""

    name: ClassVar[str] = "none"

    def declared(self, _benchmark: str) -> tuple[Message, ...]:
        return ()


def test_a_declaration_that_is_no_view_is_an_error_and_not_left_out() -> None:
    view: DeclaredView = NoSight()
    with pytest.raises(TypeError, match="NoSight, a view of stream, is no Sight"):
        sights(replace(STREAM, views=(view,)))
