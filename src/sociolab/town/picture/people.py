"""Residents on a picture of a town: numbered dots, and a legend of who is who."""

from __future__ import annotations

import colorsys
from collections.abc import Iterator, Mapping
from functools import cache

from PIL import Image, ImageDraw

from sociolab.town.picture.labels import font, write
from sociolab.town.picture.land import GOLDEN, INK, Colour
from sociolab.town.places import Tile

WHITE: Colour = (255, 255, 255)
PAPER: Colour = (250, 248, 244)
FAINT: Colour = (120, 116, 110)
FINER = 4
"""Dots are drawn so much larger and then shrunk, for smooth edges."""
ROW = 31
"""Pixels of a row of the legend."""
COLUMN = 250
"""Pixels of a column of the legend."""


def dot_colour(number: int) -> Colour:
    """The colour of the resident with this number."""
    light = (0.38, 0.48)[number % 2]
    red, green, blue = colorsys.hls_to_rgb((0.02 + number * GOLDEN) % 1, light, 0.52)
    return round(red * 255), round(green * 255), round(blue * 255)


def draw_people(
    picture: Image.Image, people: Mapping[str, Tile], numbers: Mapping[str, int], scale: int
) -> None:
    """A numbered dot for each resident; those on one spot stand around it."""
    radius = max(7, round(scale * 0.75))
    taken: list[tuple[float, float]] = []
    for name in sorted(people, key=numbers.__getitem__):
        x, y = people[name]
        spot = _free_spot(((x + 0.5) * scale, (y + 0.5) * scale), radius, taken)
        taken.append(spot)
        _put_dot(picture, spot, radius, numbers[name])


def draw_legend(
    picture: Image.Image,
    corner: tuple[int, int],
    height: int,
    numbers: Mapping[str, int],
    notes: Mapping[str, str],
) -> None:
    """Dot, name and note of each resident, downwards in columns of at most `height` pixels."""
    pen = ImageDraw.Draw(picture)
    rows = max(1, height // ROW)
    for name, number in numbers.items():
        column, row = divmod(number, rows)
        x, y = corner[0] + column * COLUMN, corner[1] + row * ROW
        _put_dot(picture, (x + 11, y + ROW / 2), 9, number)
        note = notes.get(name, "")
        middle = y + ROW / 2 - (7 if note else 0)
        pen.text((x + 28, middle), name, fill=INK, font=font(13), anchor="lm")
        if note:
            text = shortened(note, 11, COLUMN - 36)
            pen.text((x + 28, middle + 14), text, fill=FAINT, font=font(11), anchor="lm")


def legend_columns(people: int, height: int) -> int:
    """How many columns a legend of so many people needs."""
    return -(-people // max(1, height // ROW))


def shortened(text: str, size: int, width: int) -> str:
    """A text cut, with an ellipsis, to so many pixels."""
    if font(size).getlength(text) <= width:
        return text
    while text and font(size).getlength(text + "…") > width:
        text = text[:-1]
    return text.rstrip() + "…"


def _free_spot(
    wanted: tuple[float, float], radius: int, taken: list[tuple[float, float]]
) -> tuple[float, float]:
    """The spot nearest the wanted one at which a dot hides no other by much."""
    apart = (1.7 * radius) ** 2
    for x, y in _around(wanted, radius):
        if all((x - a) ** 2 + (y - b) ** 2 >= apart for a, b in taken):
            return x, y
    return wanted


def _around(centre: tuple[float, float], radius: int) -> Iterator[tuple[float, float]]:
    """Spots on a grid of half a radius, nearest first, up to four dots away."""
    far = range(-16, 17)
    near = sorted((a * a + b * b, b, a) for a in far for b in far)
    for _, b, a in near:
        yield centre[0] + a * radius / 2, centre[1] + b * radius / 2


def _put_dot(picture: Image.Image, centre: tuple[float, float], radius: int, number: int) -> None:
    dot = _dot(radius, number)
    picture.paste(dot, (round(centre[0] - dot.width / 2), round(centre[1] - dot.height / 2)), dot)


@cache
def _dot(radius: int, number: int) -> Image.Image:
    """A dot with a white rim and a number counted from 1; transparent around."""
    edge = 2 * radius * FINER
    large = Image.new("RGBA", (edge, edge), (255, 255, 255, 0))
    pen = ImageDraw.Draw(large)
    pen.ellipse((0, 0, edge - 1, edge - 1), fill=WHITE)
    rim = FINER * max(1.0, radius / 8)
    pen.ellipse((rim, rim, edge - 1 - rim, edge - 1 - rim), fill=dot_colour(number))
    label = str(number + 1)
    size = round(radius * FINER * (1.15 if len(label) < 3 else 0.8))
    write(pen, (edge / 2, edge / 2), label, size, WHITE)
    return large.resize((2 * radius, 2 * radius), Image.Resampling.LANCZOS)
