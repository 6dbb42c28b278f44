"""What every page is held to: no serious findings of axe-core, no sideways scrolling, pictures."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from axe_playwright_python.base import AXE_SCRIPT
from PIL import Image
from playwright.sync_api import Page

PICTURES = "SOCIOLAB_SCREENSHOTS"
"""The folder that pictures of pages are written to, where this variable names one."""
_TALLEST = 2400
"""Pixels of a picture's height."""
_VIOLATIONS = "options => axe.run(document, options).then(found => found.violations)"
"""What is wrong with a page; all that is right with it would be much to hand over."""


def serious(page: Page, rules: Sequence[str] = ()) -> list[str]:
    """The serious and critical findings of axe-core on a page, in a line each; by some rules, or
    by all."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    options = {"runOnly": list(rules)} if rules else {}
    found: list[dict[str, Any]] = page.evaluate(_VIOLATIONS, options)
    return [
        f"{one['id']}: {one['help']} ({node['target']})"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"][:3]
    ]


def overflow(page: Page) -> int:
    """By how many pixels a page is wider than its window."""
    width: int = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return max(0, width)


def picture(page: Page, name: str) -> None:
    """Write a picture of a page as NAME.png, if pictures are wanted: few colours, so that it is
    small, and of a long page its beginning."""
    folder = os.environ.get(PICTURES)
    if not folder:
        return
    whole = Image.open(io.BytesIO(page.screenshot(full_page=True)))
    seen = whole.crop((0, 0, whole.width, min(whole.height, _TALLEST)))
    few = seen.convert("RGB").quantize(96, dither=Image.Dither.NONE)
    few.save(Path(folder) / f"{name}.png", optimize=True)


_VIEWS: tuple[tuple[Literal["light", "dark"], int, str, tuple[str, ...]], ...] = (
    ("light", 1280, "", ()),
    # What may differ there: colours in the dark; on a phone also tables that are no tables.
    ("dark", 1280, "-dark", ("color-contrast",)),
    ("light", 390, "-phone", ("scrollable-region-focusable", "aria-required-children")),
)


def held(page: Page, name: str) -> None:
    """Hold a page to all of it, wide and on a phone, in light and in dark, and take pictures
    of it in light. A window between the two, and a wider one, hold all of it, too."""
    for scheme, width, suffix, rules in _VIEWS:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        found = serious(page, rules)
        assert not found, f"{name}{suffix}: {found}"
        assert overflow(page) == 0, f"{name}{suffix} is {overflow(page)} px wider than its window"
        if scheme == "light":
            picture(page, f"{name}{suffix}")
    page.emulate_media(color_scheme="light")
    for width in (900, 1440, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert overflow(page) == 0, f"{name} is {overflow(page)} px wider than {width} px"
