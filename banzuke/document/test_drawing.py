"""Text in a drawing always fits, whatever its source."""

import pytest

from banzuke.document.drawing import length, wrapped


@pytest.mark.parametrize("word", ["x" * 1_000_000, "日" * 1_000_000, "x y " * 500_000], ids=["word", "square", "words"])
def test_a_name_of_any_length_is_cut_at_once(word: str) -> None:
    first, second = wrapped(word, 100, 10, 2)
    assert second.endswith("…")
    assert 80 < length(first, 10) <= 100
    assert length(second, 10) <= 100


def test_lines_hold_all_words_where_they_fit() -> None:
    assert wrapped("abc def ghi", 5 * 0.56 * 10, 10, 3) == ["abc", "def", "ghi"]
    assert wrapped("abcdefgh ij", 5 * 0.56 * 10 + 0.01, 10, 3) == ["abcde", "fgh", "ij"]
    assert wrapped("ab", 1, 10, 3) == ["a", "b"]
    assert wrapped("", 100, 10, 2) == []
