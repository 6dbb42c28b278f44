"""The libraries of others are those that were published, and everything is served from here."""

from __future__ import annotations

import hashlib
import re

from sociolab.report.html import STATIC as REPORT_STATIC
from sociolab.web.pages import STATIC

PUBLISHED = {
    "htmx.min.js": "d6fdc75f204e6bdefa99b69bf1e6d4ac69b8a364f77929f45c13476b4000f717",
    "vega-interpreter.min.js": "314577cdf6b3af0129efdeb22dde80561a368a676fd81750dfb340e372a39e30",
    "vega-lite.min.js": "35a9821df838825b05a6a73e9414b58747a1b18321583858ed903c66393a5c7e",
    "vega.min.js": "8f6a3587cf8d4f42c7e08120e3eb05d067e746d554e39d2dcf52acc0bd5ba28f",
}
_ELSEWHERE = re.compile(
    r"""(?:src|href|action)=["'](?:https?:)?//|url\(["']?(?:https?:)?//|@import"""
)
_INLINE = re.compile(
    r"""<script(?![^>]*\bsrc=)(?![^>]*application/json)[^>]*>|\son\w+=|\sstyle=|<style"""
)


def test_libraries_are_as_they_were_published() -> None:
    found = {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in (*(STATIC / "vendor").glob("*.js"), *REPORT_STATIC.glob("*.min.js"))
    }
    assert found == PUBLISHED


def test_no_page_loads_anything_from_elsewhere_or_holds_a_script_or_a_style() -> None:
    own = [file for file in STATIC.rglob("*") if "vendor" not in file.parts and file.is_file()]
    own.append(REPORT_STATIC / "charts.js")
    pages = sorted((STATIC.parent / "templates").rglob("*.html"))
    assert pages
    for file in [*own, *pages]:
        text = file.read_text(encoding="utf-8")
        assert not _ELSEWHERE.search(text), f"{file} loads something from elsewhere"
        if file.suffix == ".html" and file.name != "page.html":  # one file that stands alone
            assert not _INLINE.search(text), f"{file} holds {_INLINE.search(text)}"
