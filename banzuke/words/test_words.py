"""Every message has words in each language, with the same facts, and all words are used."""

import ast
import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
from babel import Locale
from fluent.runtime import FluentResource
from fluent.syntax import FluentParser
from fluent.syntax import ast as ftl
from fluent.syntax.visitor import Visitor

from banzuke.paths import BENCHMARKS
from banzuke.plan.axes import AXES, BACKEND
from banzuke.plan.catalogue import benchmarks
from banzuke.plan.wording import axis_heading
from banzuke.predict.hardware import SCALES
from banzuke.predict.residual import title_of
from banzuke.testing import words_of
from banzuke.words import Duration, Listed, Message, Quantity, Share, Span, data, declared
from banzuke.words.bundle import Bundle
from banzuke.words.language import LANGUAGES, Words, files, words

ROOT = Path(__file__).parents[2]


OURS = {
    "collectives",
    "dgemm",
    "fft",
    "geofem",
    "gkv",
    "gups",
    "hpcg",
    "hpl",
    "ior",
    "mdtest",
    "memory",
    "noise",
    "ptrans",
    "pt2pt",
    "spmv",
    "stream",
    "transfer",
}
"""Benchmarks that have words in all languages; a benchmark that somebody adds is in English where it has no others."""


class _Facts(Visitor):
    def __init__(self) -> None:
        self.found: set[str] = set()

    def visit_VariableReference(self, node: ftl.VariableReference) -> None:  # noqa: N802
        self.found.add(node.id.name)

    def visit_MessageReference(self, node: ftl.MessageReference) -> None:  # noqa: N802
        raise AssertionError(f"words refer to others, which may not have been read: {node.id.name}")

    def visit_TermReference(self, node: ftl.TermReference) -> None:  # noqa: N802
        raise AssertionError(f"words refer to others, which may not have been read: {node.id.name}")


def spoken(language: str) -> Mapping[str, set[str]]:
    """Return the facts that the words of each code use, including those of attributes."""
    facts_by_code: dict[str, set[str]] = {}
    for file in files(language):
        for entry in FluentParser().parse(file.read_text(encoding="utf-8")).body:
            assert not isinstance(entry, ftl.Junk), f"{file}: {entry.content}"
            if isinstance(entry, ftl.Message):
                facts = _Facts()
                facts.visit(entry)
                assert entry.id.name not in facts_by_code, f"{entry.id.name} stands twice in {language}"
                facts_by_code[entry.id.name] = facts.found
    return facts_by_code


def attributes(language: str) -> Mapping[str, set[str]]:
    return {
        entry.id.name: {attribute.id.name for attribute in entry.attributes}
        for file in files(language)
        for entry in FluentParser().parse(file.read_text(encoding="utf-8")).body
        if isinstance(entry, ftl.Message)
    }


def _of_others(language: str) -> set[str]:
    """Codes of benchmarks that have no words of this language."""
    folders = [file.parent for file in BENCHMARKS.glob("*/en.ftl") if not file.with_name(f"{language}.ftl").exists()]
    return {
        entry.id.name
        for folder in folders
        for entry in FluentParser().parse((folder / "en.ftl").read_text(encoding="utf-8")).body
        if isinstance(entry, ftl.Message)
    }


def message_calls() -> Iterator[tuple[str, set[str], str]]:
    """Return the code, facts and place of every call of `message` in the installed code."""
    for file in [*(ROOT / "banzuke").rglob("*.py"), *BENCHMARKS.glob("*/*.py")]:
        if file.name.startswith("test_") or "testing" in file.parts:
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "message":
                where = f"{file.relative_to(ROOT)}:{node.lineno}"
                code = node.args[0] if len(node.args) == 1 else None
                assert isinstance(code, ast.Constant), f"{where}: the code of a message is to be written out"
                assert all(word.arg for word in node.keywords), f"{where}: facts are to be named at the call"
                yield str(code.value), {word.arg for word in node.keywords if word.arg}, where


def test_every_message_has_english_words_with_its_facts() -> None:
    english = spoken("en")
    for code, facts, where in message_calls():
        assert code in english, f"{where}: no words for {code}"
        assert english[code] <= facts, f"{where}: the words of {code} need {english[code] - facts}"


def test_all_english_words_are_said() -> None:
    assert set(spoken("en")) == {code for code, _, _ in message_calls()}


@pytest.mark.parametrize("language", [name for name in LANGUAGES if name != "en"])
def test_other_languages_say_the_same_with_the_same_facts(language: str) -> None:
    theirs = spoken(language)
    english = {
        code: facts for code, facts in spoken("en").items() if code in theirs or code not in _of_others(language)
    }
    assert not set(english) - set(theirs), f"{language} lacks words"
    for code, facts in english.items():
        assert theirs[code] == facts, f"{code}: {language} names {theirs[code]}, English {facts}"


@pytest.mark.catalogue
@pytest.mark.parametrize("language", [name for name in LANGUAGES if name != "en"])
def test_all_that_our_benchmarks_declare_has_words(language: str) -> None:
    translated = {name for name in benchmarks() if (BENCHMARKS / name / f"{language}.ftl").exists()}
    assert translated >= OURS
    declared_here = {code for name in translated for code in words_of(benchmarks()[name])}
    declared_here |= {axis_heading(axis).code for axis in (*AXES.values(), BACKEND)}
    declared_here |= {title_of(name).code for name in SCALES}
    theirs = set(spoken(language))
    lacking = sorted(declared_here - theirs)
    assert not lacking, f"{language} lacks words"
    others = theirs - declared_here - set(spoken("en"))
    assert not [
        code
        for code in others
        if not {"-check-", "-seen-"} & {*re.findall("-check-|-seen-", code)} and not code.startswith(WRITTEN)
    ], "nothing declares these"


WRITTEN = (
    "along-",
    "blas-",
    "bound-",
    "derived-",
    "node-setting-",
    "kernel-",
    "list-",
    "printed-",
    "reason-",
    "residual-",
    "software-",
)
"""Beginnings of codes of what records and descriptions say in English."""


@pytest.mark.parametrize("language", [name for name in LANGUAGES if name != "en"])
def test_the_same_attributes_belong_to_a_message_in_each_language(language: str) -> None:
    english, theirs = attributes("en"), attributes(language)
    assert {code: theirs[code] for code in english if code in theirs} == {
        code: names for code, names in english.items() if code in theirs
    }


def test_japanese_is_that_of_a_report() -> None:
    other = re.compile("です|ます|\N{FULLWIDTH COMMA}|\N{FULLWIDTH FULL STOP}|ノード当たり|コア当たり|メッセージ長")
    for file in files("ja"):
        assert not other.findall(file.read_text(encoding="utf-8")), file


TERMS = {
    "バンド幅": "帯域",
    "読み出し": "読出し|読込|読み込み(?!まれ|まない)性能",
    "書き込み": "書込",
    "計測区間": "計時区間|測定区間",
    "アクセラレータ": "デバイス(?!や他のプロセッサ|の割り込み)",
    "動作周波数": "クロック",
    "Allreduce": "全体集約",
    "上限性能比": "上限比",
    "理論性能": "理論ピーク|ピーク性能|対?ピーク比",
    "性能が何倍": "倍(良好|不良|悪)",
    "実行": "測定 \\{ \\$run|(同じ|別の)測定",
    "実装": "バックエンド",
    "メモリ割当方針": "メモリポリシ",
    "検証済み": "検証済(?!み)",
    "すべて": "全て",
}
"""Japanese terms, and what else their things are called elsewhere."""


def test_each_thing_has_one_japanese_term() -> None:
    for file in files("ja"):
        text = file.read_text(encoding="utf-8")
        for term, others in TERMS.items():
            wrong = [match[0] for match in re.finditer(others, text)]
            assert not wrong, f"{file}: {wrong[0]} for {term}"


def test_facts_in_words() -> None:
    wording = words()
    assert wording.fact(Quantity(4.13e10, "B/s")) == "41.3 GB/s"
    assert wording.fact(Share(0.413)) == "41.3%"
    assert wording.fact(Duration(125)) == "2 min 5 s"
    assert wording.fact(Span(2e9, 3e9, "B/s")) == "2 to 3 GB/s"
    assert wording.fact(Listed(("a", "b", "c"))) == "a, b and c"
    assert wording.fact(Listed(("a", "b", "c"), 2)) == "a, b and 1 more"
    assert [wording.fact(Listed(tuple(items))) for items in ("", "a", "ab")] == ["", "a", "a and b"]
    assert wording.fact(1234567) == "1,234,567"
    assert wording("as it is") == "as it is"


def test_facts_in_japanese() -> None:
    wording = words("ja")
    assert wording.fact(Quantity(4.13e10, "B/s")) == "41.3 GB/s"
    assert wording.fact(Quantity(math.inf, "B/s")) == wording.fact(math.nan) == "有限値でない"
    assert [wording.fact(Duration(seconds)) for seconds in (12.5, 125, 7500)] == ["12.5 s", "2分5秒", "2時間5分"]
    assert [wording.fact(Span(2e9, high, "B/s")) for high in (3e9, 2e9)] == ["2\N{FULLWIDTH TILDE}3 GB/s", "2 GB/s"]
    assert [wording.fact(Listed(tuple("abc"), most)) for most in (None, 2)] == ["a、b、c", "a、bほか1件"]
    assert wording.fact(1234567) == "1,234,567"


def test_dates_and_statements() -> None:
    at = datetime(2026, 11, 3, 9, 5, tzinfo=UTC)
    assert [words(language).moment(at) for language in LANGUAGES] == [
        "3 November 2026 09:05 UTC",
        "2026年11月3日 09:05 UTC",
    ]
    assert words().joined(["one", "", "two."]) == "one; two"
    assert words("ja").joined(["一。", "二。"]) == "一。二"
    assert words().sentences(["One.", "", "Two."]) == "One. Two."
    assert words("ja").sentences(["一。", "二。"]) == "一。二。"


def test_what_no_language_knows_is_in_english_or_fails() -> None:
    assert words("ja")(declared("nothing-metric-rate", "Rate")) == "Rate"
    with pytest.raises(KeyError, match="nothing-like-this"):
        words()(Message("nothing-like-this"))


def bundle_of(language: str, text: str) -> Bundle:
    bundle = Bundle(language, ())
    bundle.add_resource(FluentResource(text))
    return bundle


def test_a_language_falls_back_to_english() -> None:
    mixed = Words("ja", (bundle_of("ja", "a = あ"), bundle_of("en", "a = A\nb = B\n    .why = because of { $it }")))
    assert [mixed(Message(code)) for code in ("a", "b")] == ["あ", "B"]
    assert mixed.attribute(Message("b", {"it": Quantity(2, "s")}), "why") == "because of 2 s"
    assert not mixed.attribute(Message("b"), "nothing")


def test_plurals_follow_the_number() -> None:
    cores = "cores = { $number ->\n    [one] one core\n   *[other] { $number } cores\n}"
    english = Words("en", (bundle_of("en", cores),))
    assert [english(Message("cores", {"number": count})) for count in (1, 2000)] == ["one core", "2,000 cores"]


def test_a_fact_that_is_missing_is_an_error() -> None:
    with pytest.raises(ValueError, match="words of b in en"):
        Words("en", (bundle_of("en", "b = { $it }"),))(Message("b"))


def test_facts_may_be_long_and_large() -> None:
    english = Words("en", (bundle_of("en", "hosts = { $n ->\n    [one] one\n   *[other] { $n } on { $hosts }\n}"),))
    names = ", ".join(f"node{number:05}" for number in range(1000))
    assert english(Message("hosts", {"n": 10**30, "hosts": names})).endswith(f"000 on {names}")


def test_data_keeps_codes_and_si_units() -> None:
    inner = Message("report-evidence")
    outer = Message("outer", {"inner": inner, "rate": Quantity(1e9, "B/s"), "names": Listed(("a", 2))})
    assert data(outer) == {
        "code": "outer",
        "facts": {
            "inner": {"code": "report-evidence", "facts": {}},
            "rate": {"value": 1e9, "unit": "B/s"},
            "names": ["a", 2],
        },
    }


class _Plurals(Visitor):
    def __init__(self) -> None:
        self.found: set[str] = set()

    def visit_Variant(self, node: ftl.Variant) -> None:  # noqa: N802
        if isinstance(node.key, ftl.Identifier):
            self.found |= {node.key.name} & {"zero", "one", "two", "few", "many"}
        self.generic_visit(node)


@pytest.mark.parametrize("language", LANGUAGES)
def test_plurals_are_those_that_the_language_has(language: str) -> None:
    """Japanese has no plurals: text for exactly one thing is under the number `[1]`."""
    for file in files(language):
        plurals = _Plurals()
        plurals.visit(FluentParser().parse(file.read_text(encoding="utf-8")))
        assert plurals.found <= Locale.parse(language).plural_form.tags, file


def test_the_glossarys_terms_are_those_of_japanese_pages() -> None:
    glossary = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\|[^|]*\|[^|]*\|([^|]*)\|$", glossary, re.MULTILINE)
    terms = [term for row in rows for term in re.findall("[\u3040-\u9fff]+", row)]
    assert len(terms) > 80
    said = "".join(file.read_text(encoding="utf-8") for file in files("ja"))
    assert not [term for term in terms if term not in said]
    assert not [term for term in terms for others in TERMS.values() if re.search(others, term)]
