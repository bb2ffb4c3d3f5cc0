"""Tests of the ranking sheets in a browser, from a file: sorting, a filter, a machine, a comparison, hostile names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from banzuke.plan.catalogue import benchmarks
from banzuke.publish.site import PAGE, gather, site
from banzuke.publish.test_make import document, published
from banzuke.publish.test_site import HOSTILE

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_sheets_are_ranked_filtered_and_compared_without_a_network(browser: Browser, tmp_path: Path) -> None:
    for number, name in enumerate(("Slow", "Fast", HOSTILE), 1):
        records = [document(provenance={"id": str(at), "repetition": at}) for at in range(3)]
        for record in records:
            record["conditions"] |= {"timed_seconds": 1.0, "other_busy_fraction": 0.0}
            record["parameters"]["n"] = 10_000_000 * number**2
            for samples in record["metrics"].values():
                samples["samples"] = [value * number for value in samples["samples"]]
        made = published(*records[: 3 if name == "Fast" else 2], name=name)
        (tmp_path / made.file).write_bytes(made.content)
    file = tmp_path / PAGE
    file.write_bytes(site(gather(tmp_path), benchmarks(), "en")[PAGE])
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(file.as_uri())
    page.wait_for_selector("#results table")
    assert page.locator("#results tbody a").all_inner_texts() == [HOSTILE, "Fast", "Slow"]
    for name in ("Fast", "Slow"):
        page.get_by_label(f"Compare: {name}").check()
    page.select_option("#edition", "2026")
    assert page.locator("#results tbody a").all_inner_texts() == ["Fast"]
    page.click("#outside summary")
    outside = page.locator("#outside li").all_inner_texts()
    assert outside == [f"{name}: 3 verified launches or more" for name in (HOSTILE, "Slow")]
    page.select_option("#size", "S", timeout=5_000)
    page.click("#outside summary")
    assert page.locator("#outside li").all_inner_texts()[1] == "Fast: Size class: M"
    page.select_option("#edition", "")
    assert page.locator("#outside").count() == 0
    page.fill("#search", "fas")
    assert page.locator("#results tbody a").all_inner_texts() == ["Fast"]
    page.click("#compare a")
    assert page.locator("thead a").all_inner_texts() == ["Fast", "Slow"]
    page.click("thead a >> nth=1")
    page.wait_for_selector("dl")
    assert page.locator("h2").inner_text() == "Slow"
    assert page.evaluate("window.hacked") is None
    assert errors == []
