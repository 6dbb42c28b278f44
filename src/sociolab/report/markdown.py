"""Sections as Markdown, ready to be pasted into a page."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from sociolab.report.legible import legible
from sociolab.report.section import Section, TextTable


def markdown(sections: Sequence[Section]) -> str:
    """A heading of the second level for each section; tables with pipes; notes as a list."""
    return "\n\n".join(part for section in sections for part in _parts(section)) + "\n"


def _parts(section: Section) -> list[str]:
    found = [f"## {plain(section.title)}", *(plain(sentence) for sentence in section.said)]
    if section.cautions:
        found.append("What these figures do not show:")
        found.append("\n".join(f"- {plain(sentence)}" for sentence in section.cautions))
    for table in section.tables:
        found += [f"### {plain(table.heading)}", _table(table)]
        if table.notes:
            found.append("\n".join(f"- {plain(note)}" for note in table.notes))
    found += [f"*{plain(figure.caption)}: see the page.*" for figure in section.figures]
    return found


def _table(table: TextTable) -> str:
    left = {0, *table.words}
    rule = "|".join("---" if i in left else "--:" for i in range(len(table.columns)))
    return "\n".join([_row(table.columns), f"|{rule}|", *(_row(row) for row in table.rows)])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(plain(cell) for cell in cells)} |"


def plain(text: str) -> str:
    """Text on one line in which nothing is Markdown or HTML, and nothing ends a cell."""
    # "<" as HTML writes it: not every reader of Markdown knows a backslash before it.
    flat = html.escape(" ".join(legible(text).split()), quote=False)
    escaped = re.sub(r"([\\`*_\[\]|#~$])", r"\\\1", flat)
    return re.sub(r"^(?:([-+=])(?=[-+=\s]|$)|(\d+)([.)])(?=\s|$))", _not_a_list, escaped)


def _not_a_list(found: re.Match[str]) -> str:
    """What would begin a list or a rule, with a backslash."""
    mark, count, end = found.groups()
    return f"\\{mark}" if mark else f"{count}\\{end}"
