"""The first page of a site: rankings and runs, each leading to the run's own page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sociolab.report.html import pages
from sociolab.report.leaderboard import NEIGHBOURS, Board
from sociolab.report.legible import legible
from sociolab.report.schema import RunResult


def index(results: Sequence[RunResult], links: Mapping[str, str], boards: Sequence[Board]) -> str:
    """The page as text; `links` holds the relative address of each run's page, by its name, and
    `boards` are the rankings of these results."""
    worlds: dict[str, list[Board]] = {}
    for board in boards:
        worlds.setdefault(board.terms.world, []).append(board)
    text = (
        pages()
        .get_template("site.html")
        .render(
            title="Social intelligence of language agents",
            worlds=list(worlds.items()),
            results=results,
            links=links,
            neighbours=NEIGHBOURS,
            version=results[0].versions["sociolab"],
        )
    )
    return legible(text)
