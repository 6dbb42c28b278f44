"""A result as one HTML page that needs nothing else: no network, no script, no other file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from sociolab.core.ports import Line
from sociolab.report.legible import legible
from sociolab.report.run_page import ShownRun, content
from sociolab.report.section import Section
from sociolab.report.whole_file import write_whole

__all__ = ["ShownRun", "page", "private_part", "section_page", "write_html"]


def write_html(path: Path, runs: Sequence[ShownRun], sections: Sequence[Section] = ()) -> None:
    """Write a page of these runs, all or nothing; ConfigError if it cannot be written there."""
    write_whole(path, page(runs, sections))


def page(runs: Sequence[ShownRun], sections: Sequence[Section] = (), home: str = "") -> str:
    """The page as text: first `sections`, which are about all runs; then for each run its scores
    in tables and charts, episodes, how to repeat it.

    `home` is the relative address of the site's first page, if the page is a part of a site.
    """
    environment = pages()
    one = environment.get_template("run.html")
    bodies = []
    for i, run in enumerate(runs, 1):
        found = content(i, run)
        bodies.append((run.result, found["contents"], Markup(one.render(found))))
    first = runs[0].result
    title = f"{first.run}: {first.world}" if len(runs) == 1 else f"{len(runs)} runs"
    template = environment.get_template("page.html")
    return legible(template.render(title=title, runs=bodies, sections=sections, home=home))


def section_page(title: str, sections: Sequence[Section]) -> str:
    """A page of sections alone, which are of no run as a whole."""
    template = pages().get_template("page.html")
    return legible(template.render(title=title, runs=(), sections=sections, home=""))


def pages() -> Environment:
    """The templates, strict: what is missing is an error, and all text is escaped."""
    environment = Environment(
        loader=PackageLoader("sociolab.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.tests["line"] = lambda item: isinstance(item, Line)
    environment.filters["private"] = private_part
    environment.filters["upright"] = upright
    return environment


def upright(text: str) -> str:
    """A sentence of ours without marks that set the direction of text.

    A name in it that holds one would turn the rest of the sentence around.
    """
    return _DIRECTION.sub("", text)


_DIRECTION = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def private_part(text: str) -> tuple[str, str]:
    """A paragraph of the scene in two: what may lie open, and from its secret or goal on."""
    lines = text.split("\n")
    for i, line in enumerate(lines):
        if line.startswith(("Private:", "Secret:", "Goal:")):
            return "\n".join(lines[:i]), "\n".join(lines[i:])
    return text, ""
