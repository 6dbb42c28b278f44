"""An episode for the terminal, as plain text and as Markdown: it reads like a play."""

from __future__ import annotations

import io
from collections.abc import Sequence

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sociolab.core.ports import Line
from sociolab.report.legible import legible
from sociolab.report.markdown import plain
from sociolab.report.shown import UNSCORED, Sheet, Shown

_COLOURS = ("cyan", "magenta", "green", "yellow", "blue")


def play_text(shown: Shown, width: int = 80) -> str:
    """The episode as plain text, wrapped at `width` columns."""
    file = io.StringIO()
    console = Console(file=file, width=width, no_color=True, color_system=None, highlight=False)
    console.print(play(shown))
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


def play(shown: Shown) -> RenderableType:
    """The episode for a console: title, scene, numbered turns with notes in place, scores."""
    first, *others = play_parts(shown)
    return Group(first, *(part for other in others for part in (Text(), other)))


def play_parts(shown: Shown) -> tuple[RenderableType, ...]:
    """The same in four parts: title and cast, scene, turns, the end with the scores."""
    scene: list[RenderableType] = []
    for heading, text in shown.scene:
        scene += [Text(), Text(legible(heading), style="bold"), _indented(text, "")]
    end: list[RenderableType] = [Text(f"The end: {shown.ended}.", style="dim")]
    for sheet in shown.sheets:
        end += [Text(), *_sheet(sheet)]
    head = Group(Text(legible(shown.title), style="bold"), _cast(shown))
    return head, Group(*scene[1:]), _course(shown), Group(*end)


def _cast(shown: Shown) -> Text:
    seats = ", ".join(shown.cast)
    return Text(legible(f"{seats} · episode {shown.trial}"), style="dim")


def _indented(text: str, style: str) -> Padding:
    return Padding(Text(legible(text), style=style), (0, 0, 0, 2))


def _course(shown: Shown) -> Table:
    speakers = dict.fromkeys(item.who for item in shown.course if isinstance(item, Line))
    colours = {who: _COLOURS[i % len(_COLOURS)] for i, who in enumerate(speakers)}
    course = Table.grid(padding=(0, 1))
    course.add_column(justify="right", style="dim", no_wrap=True)
    course.add_column(overflow="fold")
    for item in shown.course:
        if isinstance(item, Line):
            course.add_row(str(item.turn + 1), _spoken(item, colours[item.who]))
        else:
            mark, style = ("!", "red") if item.trouble else ("·", "dim")
            course.add_row(mark, Text(legible(item.text), style=style))
    return course


def _spoken(line: Line, colour: str) -> Text:
    """A line with its speaker's name in colour."""
    text = Text(legible(line.text))
    if line.text.startswith(line.who):
        text.stylize(f"bold {colour}", 0, len(line.who))
    return text


def _sheet(sheet: Sheet) -> list[RenderableType]:
    """A table of values, then the reasons; why there is no score, once for all that it is of."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("measure")
    for name in sheet.columns:
        table.add_column(Text(legible(name)), justify="right", overflow="fold")
    given: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for title, remarks in sheet.rows:
        values = (Text("" if remark is None else remark.value) for remark in remarks)
        table.add_row(Text(title), *values)
        for name, remark in zip(sheet.columns, remarks, strict=True):
            if remark is not None and remark.why:
                alone = "" if remark.value == UNSCORED else f"{title}, {name}"
                given.setdefault((remark.why, alone), []).append((title, name))
    reasons = (_indented(f"{_whose(cells)}: {why}", "dim") for (why, _), cells in given.items())
    return [Text(f"Scores by {sheet.judge}", style="bold"), table, *reasons]


def _whose(cells: Sequence[tuple[str, str]]) -> str:
    """The measures of which a reason is given, and the seat where it is of one only."""
    titles = ", ".join(dict.fromkeys(title for title, _ in cells))
    names = dict.fromkeys(name for _, name in cells)
    return f"{titles}, {next(iter(names))}" if len(names) == 1 else titles


def play_markdown(shown: Shown) -> str:
    """The episode as Markdown, ready to be pasted into a page."""
    cast = ", ".join(f"{plain(seat.name)}: {plain(seat.agent)}" for seat in shown.seats)
    parts = [f"### {plain(shown.title)}", f"*{cast}*"]
    parts += [f"**{plain(heading)}.** {_lines(text)}" for heading, text in shown.scene]
    for item in shown.course:
        if isinstance(item, Line):
            who, text = plain(item.who), plain(item.text)
            named = f"**{who}**{text[len(who) :]}" if text.startswith(who) else text
            parts.append(f"{item.turn + 1}\\. {named}")
        else:
            parts.append(f"> {plain(item.text)}")
    parts.append(f"*The end: {plain(shown.ended)}.*")
    for sheet in shown.sheets:
        parts += [f"Scores by {plain(sheet.judge)}:", _markdown_table(sheet)]
    return "\n\n".join(parts) + "\n"


def _markdown_table(sheet: Sheet) -> str:
    lines = [
        " | ".join(["", "measure", *(plain(name) for name in sheet.columns), ""]).strip(),
        "|---" + "|--:" * len(sheet.columns) + "|",
    ]
    for title, remarks in sheet.rows:
        cells = (plain(remark.value) if remark else "" for remark in remarks)
        lines.append(" | ".join(["", plain(title), *cells, ""]).strip())
    return "\n".join(lines)


def _lines(text: str) -> str:
    """A text of several lines, which end where they ended."""
    return "  \n".join(plain(line) for line in text.splitlines())
