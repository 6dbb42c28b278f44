"""Two episodes beside each other, or one after the other where there is no room."""

from __future__ import annotations

import io

from rich.console import Console

from sociolab.core import Line
from sociolab.report import TranscriptView
from sociolab.report.html import pair_page
from sociolab.report.terminal import WIDE, side_by_side
from sociolab.report.transcript_views import EpisodeSide, Remark, ScoreSheet, SeatedAgent


def episode(name: str, score: str) -> TranscriptView:
    lines = tuple(Line(i, "Ann", False, (), f"Ann says {name} {i}") for i in range(2))
    sheet = ScoreSheet("judge (model)", ("Ann",), (("GOAL", (Remark(score, f"since <{name}>"),)),))
    seats = (SeatedAgent("ann", "Ann", f"agent-{name}"),)
    return TranscriptView(
        f"id-{name}", "a lamp", (("Scene", "a shop"),), lines, seats, "left", (sheet,)
    )


READERS = (
    EpisodeSide("one of a", episode("left", "7")),
    EpisodeSide("two of b", episode("right", "3")),
)


def printed(width: int | None) -> list[str]:
    file = io.StringIO()
    console = Console(file=file, width=width or 80, color_system=None)
    console.print(side_by_side(READERS, width))
    return file.getvalue().splitlines()


def together(lines: list[str], one: str, other: str) -> bool:
    return any(one in line and other in line for line in lines)


def test_in_a_wide_terminal_turns_and_scores_stand_beside_each_other() -> None:
    lines = printed(WIDE)
    assert together(lines, "one of a", "two of b")
    assert together(lines, "Ann says left 1", "Ann says right 1")
    assert together(lines, "since <left>", "since <right>")
    assert max(map(len, lines)) <= WIDE


def test_in_a_narrow_one_and_in_no_terminal_one_follows_the_other() -> None:
    for width in (WIDE - 1, None):
        text = "\n".join(printed(width))
        assert text.index("since <left>") < text.index("two of b") < text.index("Ann says right 0")


def test_a_page_holds_both_with_their_reasons_and_nothing_from_elsewhere() -> None:
    page = pair_page(READERS)
    assert page.index("one of a") < page.index("since &lt;left&gt;") < page.index("two of b")
    assert "since &lt;right&gt;" in page
    assert "<left>" not in page
    assert "http" not in page
