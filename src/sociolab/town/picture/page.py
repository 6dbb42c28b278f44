"""A town drawn to a picture, with or without its residents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from PIL import Image, ImageDraw

from sociolab.town.map.town_map import TownMap
from sociolab.town.picture.labels import font, write_names
from sociolab.town.picture.land import INK, draw_land
from sociolab.town.picture.people import (
    COLUMN,
    FAINT,
    PAPER,
    draw_legend,
    draw_people,
    legend_columns,
)
from sociolab.town.places import Tile

MARGIN = 16
"""Pixels of paper around the map."""
HEADER = 34
"""Pixels above the map, for the name of the town."""


def draw(town: TownMap, people: Mapping[str, Tile] | None = None, scale: int = 12) -> Image.Image:
    """The town, `scale` pixels a tile; residents, if any, as numbered dots with a legend."""
    present = people or {}
    numbers = numbered([present])
    page = blank_page(town, len(numbers), scale)
    return filled(page, draw_town(town, scale), present, numbers, {}, scale)


def draw_town(town: TownMap, scale: int) -> Image.Image:
    """The town alone with its names, to be used for many pictures."""
    picture = draw_land(town, scale)
    write_names(picture, town, scale)
    return picture


def numbered(moments: Iterable[Mapping[str, Tile]]) -> dict[str, int]:
    """A number, from 0, for everybody who is there at any of the moments, in order of names."""
    return {name: n for n, name in enumerate(sorted({name for who in moments for name in who}))}


def blank_page(town: TownMap, people: int, scale: int) -> Image.Image:
    """Paper with the town's name, large enough for its map and a legend of so many people."""
    height = town.height * scale
    legend = legend_columns(people, height) * COLUMN + MARGIN if people else 0
    width = town.width * scale + 2 * MARGIN + legend
    page = Image.new("RGB", (width, height + HEADER + MARGIN), PAPER)
    pen = ImageDraw.Draw(page)
    line = HEADER / 2 + 2
    pen.text((MARGIN, line), town.name, fill=INK, font=font(20), anchor="lm")
    tiles = f"{town.width} x {town.height} tiles"
    size = f"{tiles}, {len(town.sectors)} sectors, {len(town.places)} arenas"
    end = MARGIN + town.width * scale
    pen.text((end, line), size, fill=FAINT, font=font(13), anchor="rm")
    return page


def filled(
    page: Image.Image,
    town_picture: Image.Image,
    people: Mapping[str, Tile],
    numbers: Mapping[str, int],
    notes: Mapping[str, str],
    scale: int,
) -> Image.Image:
    """A copy of the page with the town, the people in it, and the legend with their notes."""
    result = page.copy()
    town = town_picture.copy()
    draw_people(town, people, numbers, scale)
    result.paste(town, (MARGIN, HEADER))
    if numbers:
        corner = (2 * MARGIN + town.width, HEADER)
        draw_legend(result, corner, town.height, numbers, notes)
    return result
