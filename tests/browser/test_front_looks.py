from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

from looks import held
from web_serving import TOKEN, served


def test_the_form_to_sign_in_is_usable_by_everybody(tab: Page, tmp_path: Path) -> None:
    with served(tmp_path / "store.db", token=TOKEN) as address:
        tab.goto(f"{address}/")
        assert tab.url == f"{address}/login?next=/runs"
        held(tab, "login")


def test_the_link_signs_in_and_is_nowhere_to_be_found_afterwards(tab: Page, tmp_path: Path) -> None:
    asked: list[tuple[str, str]] = []
    tab.on("request", lambda one: asked.append((one.url, one.headers.get("referer", ""))))
    with served(tmp_path / "store.db", token=TOKEN) as address:
        tab.goto(f"{address}/?token={TOKEN}")
        assert tab.url == f"{address}/runs"
        assert tab.evaluate("document.referrer + history.length") == "2"  # about:blank, and this
        tab.get_by_role("link", name="Studies").click()
        tab.wait_for_url(f"{address}/studies")
        tab.get_by_role("button", name="Sign out").click()
        tab.wait_for_url(f"{address}/login")
        tab.goto(f"{address}/runs")
        assert tab.url == f"{address}/login?next=/runs"
    told = [(url, referer) for url, referer in asked if TOKEN in url + referer]
    assert told == [(f"{address}/?token={TOKEN}", "")]
