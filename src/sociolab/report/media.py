"""Render the result of an analysis in any medium."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Literal, TypeAlias

from sociolab.report.finding import documents
from sociolab.report.section import Section

Medium: TypeAlias = Literal["terminal", "html", "latex", "markdown", "csv", "json"]


def draw(conclusion: Section | Sequence[Section], medium: Medium, *, width: int = 100) -> str:
    """Render one or several sections as text.

    `medium` is "terminal" (`width` columns, no colours), "markdown", "latex" (booktabs tables),
    "html" (a self-contained page), "csv" (a row for each figure) or "json".

    >>> from sociolab import Section, draw
    >>> print(draw(Section("Who talks", ("openai/a took 12 turns.",)), "markdown").strip())
    ## Who talks
    <BLANKLINE>
    openai/a took 12 turns.
    """
    sections = (conclusion,) if isinstance(conclusion, Section) else tuple(conclusion)
    match medium:
        case "terminal":
            from rich.console import Console

            from sociolab.report.terminal import printed

            file = io.StringIO()
            console = Console(
                file=file, width=width, no_color=True, highlight=False, force_jupyter=False
            )
            console.print(printed(sections))
            return file.getvalue()
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
