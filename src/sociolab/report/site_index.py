"""The first page of a site: rankings and runs, each leading to the run's own page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sociolab.report.html import pages
from sociolab.report.leaderboard import Board, boards
from sociolab.report.legible import legible
from sociolab.report.schema import RunResult


def index(results: Sequence[RunResult], links: Mapping[str, str]) -> str:
    """The page as text; `links` holds the relative address of each run's page, by its name."""
    worlds: dict[str, list[Board]] = {}
    for board in boards(results):
        worlds.setdefault(board.terms.world, []).append(board)
    text = (
        pages()
        .get_template("site.html")
        .render(
            title="Social intelligence of language agents",
            worlds=list(worlds.items()),
            results=results,
            links=links,
            version=results[0].versions["sociolab"],
        )
    )
    return legible(text)
