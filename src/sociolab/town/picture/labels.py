"""Names on a picture of a town: where they fit best."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from sociolab.town.map.town_map import TownMap
from sociolab.town.picture.land import INK, Colour, sector_colour
from sociolab.town.places import Place

SMALLEST_SCALE_WITH_ROOMS = 9
"""Below so many pixels a tile the names of rooms cannot be read and are left out."""


@cache
def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's own font, so that pictures need no font of the machine."""
    return ImageFont.load_default(size)


def text_size(text: str, size: int) -> tuple[int, int]:
    """Width and height in pixels of a text of one or more lines."""
    lines = text.split("\n")
    return max(round(font(size).getlength(line)) for line in lines), len(lines) * (size + 1)


def write(
    pen: ImageDraw.ImageDraw, centre: tuple[float, float], text: str, size: int, colour: Colour
) -> None:
    """A text of one or more lines around a point."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        y = centre[1] + (number - (len(lines) - 1) / 2) * (size + 1)
        pen.text((centre[0], y), line, fill=colour, font=font(size), anchor="mm")


def write_names(picture: Image.Image, town: TownMap, scale: int) -> None:
    """Names of arenas where there is room, then names of sectors above them all."""
    pen = ImageDraw.Draw(picture)
    if scale >= SMALLEST_SCALE_WITH_ROOMS:
        things = _things(town)
        for place in town.places:
            _write_arena(pen, town, place, things, scale)
    for number, sector in enumerate(town.sectors):
        _write_sector(pen, town, number, sector, scale)


def _things(town: TownMap) -> NDArray[np.bool_]:
    """Where objects stand: [height, width]."""
    things = np.zeros(town.arena.shape, dtype=np.bool_)
    for place in town.places:
        for thing in town.objects(place):
            for x, y in town.standing(place, thing):
                things[y, x] = True
    return things


def _write_arena(
    pen: ImageDraw.ImageDraw,
    town: TownMap,
    place: Place,
    things: NDArray[np.bool_],
    scale: int,
) -> None:
    """The name of an arena, in one line or more, at the spot and size that hide the least."""
    inside = town.arena == town.places.index(place)
    rows, columns = np.nonzero(inside)
    y, x = slice(rows.min(), rows.max() + 1), slice(columns.min(), columns.max() + 1)
    cost = np.where(inside, things * 1.0, 20.0)[y, x]
    best: tuple[float, str, int, tuple[float, float]] | None = None
    for size in (scale, scale - 2, scale - 4):
        for text in _wrapped(place.arena):
            width, height = text_size(text, size)
            spot = _best_spot(cost, -(-width // scale), -(-height // scale))
            if spot is None:
                continue
            # A smaller size costs as much as hiding three objects, a line more as one.
            hidden = spot[0] + 1.5 * (scale - size) + text.count("\n")
            if best is None or hidden < best[0]:
                best = (hidden, text, size, spot[1])
    if best is None:
        best = (0.0, place.arena.replace(" ", "\n"), scale - 4, _middle(cost))
    _, text, size, (across, down) = best
    centre = ((x.start + across) * scale, (y.start + down) * scale)
    write(pen, centre, text, size, INK)


def _wrapped(name: str) -> Iterator[str]:
    """A name in one line, then broken at each of its spaces, then at all of them."""
    words = name.split()
    yield name
    for cut in range(1, len(words)):
        yield f"{' '.join(words[:cut])}\n{' '.join(words[cut:])}"
    if len(words) > 2:
        yield "\n".join(words)


def _best_spot(
    cost: NDArray[np.float64], width: int, height: int
) -> tuple[float, tuple[float, float]] | None:
    """The cheapest window of so many tiles and its centre, nearest the middle where equal.

    None where the window is larger than the matrix.
    """
    rows, columns = cost.shape
    if width > columns or height > rows:
        return None
    sums = np.zeros((rows + 1, columns + 1))
    sums[1:, 1:] = cost.cumsum(axis=0).cumsum(axis=1)
    windows = (sums[height:, width:] - sums[:-height, width:] - sums[height:, :-width]) + sums[
        :-height, :-width
    ]
    down, across = np.indices(windows.shape)
    off = (
        np.abs(down - (rows - height) / 2) / rows + np.abs(across - (columns - width) / 2) / columns
    )
    where = int((windows + off).argmin())
    top, left = divmod(where, windows.shape[1])
    return windows.item(where) + off.item(where), (left + width / 2, top + height / 2)


def _middle(cost: NDArray[np.float64]) -> tuple[float, float]:
    return cost.shape[1] / 2, cost.shape[0] / 2


def _write_sector(
    pen: ImageDraw.ImageDraw, town: TownMap, number: int, sector: str, scale: int
) -> None:
    """The name of a sector on a small plate over its northern edge."""
    tiles = [tile for place in town.sector_places(sector) for tile in town.tiles(place)]
    if not tiles:
        return
    left, right = min(x for x, _ in tiles), max(x for x, _ in tiles) + 1
    top = min(y for _, y in tiles) - 0.5
    size = max(8, scale)
    width, height = text_size(sector, size)
    x = (left + right) * scale / 2
    x = min(max(x, width / 2 + 6), town.width * scale - width / 2 - 6)
    y = max(top * scale, height / 2 + 3)
    box = (x - width / 2 - 5, y - height / 2 - 1, x + width / 2 + 5, y + height / 2 + 2)
    pen.rounded_rectangle(box, radius=4, fill=sector_colour(number, light=0.34, strength=0.30))
    write(pen, (x, y), sector, size, (255, 255, 255))
