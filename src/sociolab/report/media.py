"""What an analysis concludes, drawn in each medium."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Literal, TypeAlias

from sociolab.report.finding import documents
from sociolab.report.section import Section

Medium: TypeAlias = Literal["terminal", "html", "latex", "markdown", "csv", "json"]


def draw(conclusion: Section | Sequence[Section], medium: Medium, *, width: int = 100) -> str:
    """Sections as the text of a file: a page that needs no other file, tables for LaTeX (booktabs)
    or Markdown, each figure as a row of comma-separated values, a JSON object, or what a terminal
    of `width` columns shows."""
    sections = (conclusion,) if isinstance(conclusion, Section) else tuple(conclusion)
    match medium:
        case "terminal":
            return _printed(sections, width)
        case "html":
            from sociolab.report.html import section_page

            return section_page(sections[0].title, sections)
        case "json":
            return json.dumps({"sections": documents(sections)}, ensure_ascii=False, indent=2)
        case _:
            from sociolab.report import export

            writers = {
                "latex": export.latex,
                "markdown": export.markdown,
                "csv": export.findings_csv,
            }
            return writers[medium](sections)


def _printed(sections: Sequence[Section], width: int) -> str:
    from rich.console import Console

    from sociolab.report.terminal import printed

    file = io.StringIO()
    Console(file=file, width=width, no_color=True, highlight=False).print(printed(sections))
    return file.getvalue()
