"""Every link in the documents leads to a file that is there, and to a heading that it has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.M | re.S)


def documents() -> Iterator[Path]:
    yield from ROOT.glob("*.md")
    for folder in ("docs", "decisions", "src", "validation", "benchmarks"):
        yield from (ROOT / folder).rglob("*.md")


@cache
def anchors(file: Path) -> frozenset[str]:
    """The anchors of a file's headings, as GitHub makes them."""
    seen: Counter[str] = Counter()
    found = set(re.findall(r'<a (?:id|name)="([^"]+)"', file.read_text("utf-8")))
    for heading in re.findall(r"^#+ (.+)$", FENCE.sub("", file.read_text("utf-8")), re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).strip().replace(" ", "-")
        found.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return frozenset(found)


def test_links_lead_to_files_and_headings_that_are_there() -> None:
    broken = []
    for file in documents():
        for link in LINK.findall(FENCE.sub("", file.read_text("utf-8"))):
            if "://" in link or link.startswith("mailto:"):
                continue
            path, _, anchor = link.partition("#")
            target = (file.parent / path).resolve() if path else file
            if not target.exists():
                broken.append(f"{file.relative_to(ROOT)}: no file {link}")
            elif anchor and target.suffix == ".md" and anchor not in anchors(target):
                broken.append(f"{file.relative_to(ROOT)}: no heading {link}")
    assert not broken


def test_every_picture_of_the_documents_is_shown_in_one() -> None:
    shown = {
        (file.parent / link).resolve()
        for file in documents()
        for link in LINK.findall(file.read_text("utf-8"))
    }
    pictures = {p for kind in ("png", "webp", "gif") for p in (ROOT / "docs").rglob(f"*.{kind}")}
    assert {str(one.relative_to(ROOT)) for one in pictures - shown} == set()
