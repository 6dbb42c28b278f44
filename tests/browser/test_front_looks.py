from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

from looks import held
from web_serving import TOKEN, served


def test_the_form_to_sign_in_is_usable_by_everybody(tab: Page, tmp_path: Path) -> None:
    with served(tmp_path / "store.db", token=TOKEN) as address:
        tab.goto(f"{address}/")
        assert tab.url == f"{address}/login?next=/"
        held(tab, "login")
