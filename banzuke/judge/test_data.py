"""Data for scripts: codes with facts and the same in words, in JSON's own types."""

import json

from banzuke.judge.data import document
from banzuke.judge.test_examples import GIGA, MACHINE, judge, triad
from banzuke.words.language import words


def test_what_is_found_has_its_code_its_facts_its_words_and_what_it_may_cost() -> None:
    assessment = judge(triad(20 * GIGA, conditions={"other_busy_fraction": 0.25}))
    (case,) = document([assessment], words())["cases"]
    (cause,) = case["causes"]
    assert (cause["code"], cause["facts"]) == ("limit-busy-neighbours", {"share": {"value": 0.25, "unit": "1"}})
    assert cause["weight"] == 0.25
    assert "25%" in cause["evidence"]
    assert cause["confirm"]
    assert [statement["code"] for statement in case["verdict"]] == ["limit-subject", "limit-of-limit"]
    assert case["verdict"][1]["facts"]["of"] == {"code": "resource-memory-bytes", "facts": {}}


def test_the_words_are_those_of_the_language_and_the_data_are_not() -> None:
    assessments = [judge(triad(50 * GIGA), on=MACHINE)]
    english, japanese = (document(assessments, words(language))["cases"][0] for language in ("en", "ja"))
    (warning,), (theirs,) = english["warnings"], japanese["warnings"]
    assert (warning["code"], warning["facts"]) == (theirs["code"], theirs["facts"])
    assert warning["code"] == "limit-above"
    assert warning["text"] != theirs["text"]
    assert json.dumps(document(assessments, words()), allow_nan=False)
