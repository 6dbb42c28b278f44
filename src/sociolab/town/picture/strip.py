"""A day in a town as pictures: moments side by side, or one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO

from PIL import Image, ImageDraw

from sociolab.core.errors import ConfigError
from sociolab.town.map.town_map import TownMap
from sociolab.town.picture.labels import font, text_size, write
from sociolab.town.picture.land import INK
from sociolab.town.picture.page import (
    MARGIN,
    blank_page,
    draw_town,
    filled,
    numbered,
)
from sociolab.town.picture.people import (
    COLUMN,
    FAINT,
    PAPER,
    ROW,
    WHITE,
    dot_colour,
    draw_legend,
    draw_people,
    shortened,
)
from sociolab.town.places import Tile

ACROSS = 3
"""Moments in a row of a strip."""
GAP = 18
"""Pixels between moments."""
NO_DITHER = Image.Dither.NONE
NOTE = 15
"""Pixels of a line of notes."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A moment: its label ("08:30"), who is where, and what to note of whom."""

    label: str
    people: Mapping[str, Tile]
    notes: Mapping[str, str] = field(default_factory=dict)


def draw_strip(town: TownMap, frames: Sequence[Frame], scale: int = 5) -> Image.Image:
    """The moments side by side, three in a row, each with its label and notes; one legend.

    ConfigError where there is no moment.
    """
    _check(frames)
    numbers = numbered(frame.people for frame in frames)
    town_picture = draw_town(town, scale)
    panels = [_panel(town_picture, frame, numbers, scale) for frame in frames]
    across = min(ACROSS, len(panels))
    rows = [panels[start : start + across] for start in range(0, len(panels), across)]
    heights = [max(panel.height for panel in row) for row in rows]
    width = across * (town_picture.width + GAP) + GAP
    columns = max(1, (width - 2 * GAP) // COLUMN)
    legend = -(-len(numbers) // columns) * ROW
    page = Image.new("RGB", (width, sum(heights) + GAP * (len(rows) + 2) + legend), PAPER)
    top = GAP
    for row, height in zip(rows, heights, strict=True):
        for number, panel in enumerate(row):
            page.paste(panel, (GAP + number * (town_picture.width + GAP), top))
        top += height + GAP
    draw_legend(page, (GAP, top), legend, numbers, {})
    return page


def animation(
    town: TownMap, frames: Sequence[Frame], scale: int = 8, milliseconds: int = 250
) -> bytes:
    """The moments one after the other as a GIF, the label in a corner; it repeats for ever.

    Notes stand in the legend. ConfigError where there is no moment.
    """
    _check(frames)
    numbers = numbered(frame.people for frame in frames)
    page = blank_page(town, len(numbers), scale)
    town_picture = draw_town(town, scale)
    pictures: list[Image.Image] = []
    for frame in frames:
        picture = filled(page, town_picture, frame.people, numbers, frame.notes, scale)
        _write_clock(picture, frame.label)
        pictures.append(picture)
    palette = _palette(pictures[0], len(numbers))
    first, *others = (picture.quantize(palette=palette, dither=NO_DITHER) for picture in pictures)
    file = BytesIO()
    first.save(file, "GIF", save_all=True, append_images=others, duration=milliseconds, loop=0)
    return file.getvalue()


def _check(frames: Sequence[Frame]) -> None:
    if not frames:
        raise ConfigError("A strip needs at least one moment, but none was given: name a time.")


def _panel(
    town_picture: Image.Image, frame: Frame, numbers: Mapping[str, int], scale: int
) -> Image.Image:
    """One moment: label, town, and the notes below in two columns."""
    head = 24
    lines = [
        f"{numbers[name] + 1}  {note}"
        for name, note in sorted(frame.notes.items(), key=lambda item: numbers[item[0]])
    ]
    rows = -(-len(lines) // 2)
    height = head + town_picture.height + rows * NOTE + 6
    panel = Image.new("RGB", (town_picture.width, height), PAPER)
    pen = ImageDraw.Draw(panel)
    pen.text((2, head / 2), frame.label, fill=INK, font=font(17), anchor="lm")
    town = town_picture.copy()
    draw_people(town, frame.people, numbers, scale)
    panel.paste(town, (0, head))
    half = town.width // 2
    for number, line in enumerate(lines):
        column, row = divmod(number, rows)
        spot = (2 + column * half, head + town.height + 12 + row * NOTE)
        text = shortened(line, 11, half - 10)
        pen.text(spot, text, fill=FAINT, font=font(11), anchor="lm")
    return panel


def _palette(first: Image.Image, people: int) -> Image.Image:
    """One palette for all moments, so that what does not move stays the same, and files small.

    The dots get colours of their own: too few of their pixels are there to be given any.
    """
    kept = [WHITE, INK, *map(dot_colour, range(min(people, 64)))]
    free = 256 - len(kept)
    found = first.quantize(free, dither=NO_DITHER).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette(found[: 3 * free] + [part for colour in kept for part in colour])
    return palette


def _write_clock(picture: Image.Image, label: str) -> None:
    """The label on a dark plate in the map's lower left corner."""
    pen = ImageDraw.Draw(picture)
    width, height = text_size(label, 22)
    left, bottom = MARGIN + 8, picture.height - MARGIN - 8
    box = (left, bottom - height - 10, left + width + 20, bottom)
    pen.rounded_rectangle(box, radius=6, fill=INK)
    write(pen, (left + width / 2 + 10, bottom - height / 2 - 5), label, 22, WHITE)
