"""Draws a town and its days, as a picture or a filmstrip."""

from __future__ import annotations

import colorsys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from sociolab.town.map import Ground, Place, Tile, TownMap

Colour: TypeAlias = tuple[int, int, int]
INK: Colour = (54, 52, 50)
WHITE: Colour = (255, 255, 255)
PAPER: Colour = (250, 248, 244)
FAINT: Colour = (120, 116, 110)
GOLDEN = 0.618034
"""A turn of the colour wheel by the golden ratio keeps neighbouring numbers well apart."""

TREE: Colour = (164, 192, 148)
BUSH: Colour = (122, 158, 104)
GROUND_COLOURS: dict[Ground, Colour] = {
    Ground.GRASS: (224, 233, 208),
    Ground.STREET: (240, 234, 221),
    Ground.WATER: (178, 209, 224),
    Ground.TREES: (224, 233, 208),
    Ground.WALL: (128, 118, 110),
    Ground.FLOOR: (238, 234, 228),
    Ground.HEDGE: (224, 233, 208),
}
MARGIN = 16
"""Pixels of paper around the map."""

HEADER = 34
"""Pixels above the map, for the name of the town."""

ROW = 31
"""Pixels of a row of the legend."""

COLUMN = 250
"""Pixels of a column of the legend."""

FINER = 4
"""Dots are drawn this many times larger and then shrunk, for smooth edges."""

ACROSS = 3
"""Moments in a row of a strip."""

GAP = 18
"""Pixels between moments."""

SMALLEST_SCALE_WITH_ROOMS = 9
"""Pixels a tile below which the names of rooms are illegible and left out."""


def draw(town: TownMap, scale: int = 12) -> Image.Image:
    """The town under its name, `scale` pixels a tile."""
    land = draw_town(town, scale)
    page = Image.new("RGB", (land.width + 2 * MARGIN, land.height + HEADER + MARGIN), PAPER)
    pen = ImageDraw.Draw(page)
    line = HEADER / 2 + 2
    pen.text((MARGIN, line), town.name, fill=INK, font=font(20), anchor="lm")
    tiles = f"{town.width} x {town.height} tiles"
    size = f"{tiles}, {len(town.sectors)} sectors, {len(town.places)} arenas"
    pen.text((MARGIN + land.width, line), size, fill=FAINT, font=font(13), anchor="rm")
    page.paste(land, (MARGIN, HEADER))
    return page


@dataclass(frozen=True, slots=True)
class Frame:
    """A moment: its label ("08:30"), and each person's tile."""

    label: str
    people: Mapping[str, Tile]


def draw_filmstrip(town: TownMap, frames: Sequence[Frame], scale: int = 5) -> Image.Image:
    """One or more moments, three in a row, each with its label, and one legend."""
    numbers = number_people(frame.people for frame in frames)
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
    draw_legend(page, (GAP, top), legend, numbers)
    return page


def draw_moment(town: TownMap, people: Mapping[str, Tile], scale: int = 12) -> Image.Image:
    picture = draw_town(town, scale)
    draw_people(picture, people, number_people([people]), scale)
    return picture


def _panel(
    town_picture: Image.Image, frame: Frame, numbers: Mapping[str, int], scale: int
) -> Image.Image:
    head = 24
    panel = Image.new("RGB", (town_picture.width, head + town_picture.height + 6), PAPER)
    pen = ImageDraw.Draw(panel)
    pen.text((2, head / 2), frame.label, fill=INK, font=font(17), anchor="lm")
    town = town_picture.copy()
    draw_people(town, frame.people, numbers, scale)
    panel.paste(town, (0, head))
    return panel


def draw_town(town: TownMap, scale: int) -> Image.Image:
    """The town with its names but without people, to be reused for many pictures."""
    picture = draw_land(town, scale)
    write_names(picture, town, scale)
    return picture


def number_people(moments: Iterable[Mapping[str, Tile]]) -> dict[str, int]:
    """Number everybody who is present at any of the moments, from 0, in order of names."""
    return {name: n for n, name in enumerate(sorted({name for who in moments for name in who}))}


# ------------------------------------------------------------------ land and rooms


def sector_colour(number: int, light: float = 0.86, strength: float = 0.42) -> Colour:
    """The muted tint of a sector."""
    red, green, blue = colorsys.hls_to_rgb(number * GOLDEN % 1, light, strength)
    return round(red * 255), round(green * 255), round(blue * 255)


def draw_land(town: TownMap, scale: int) -> Image.Image:
    """Ground, tinted floors, walls, trees and objects, `scale` pixels a tile."""
    picture = Image.fromarray(_colours(town).repeat(scale, axis=0).repeat(scale, axis=1))
    pen = ImageDraw.Draw(picture)
    rows, columns = np.nonzero(town.ground == Ground.TREES)
    for x, y in zip(columns.tolist(), rows.tolist(), strict=True):
        left, top, far = x * scale - scale // 4, y * scale - scale // 4, scale + scale // 2
        pen.ellipse((left, top, left + far, top + far), fill=TREE)
    _draw_hedges(pen, town, scale)
    _draw_objects(pen, town, scale)
    return picture


def _draw_hedges(pen: ImageDraw.ImageDraw, town: TownMap, scale: int) -> None:
    """A line through the tiles of hedges and fences, from each to the next in the east and
    south."""
    hedges = np.pad(town.ground == Ground.HEDGE, (0, 1))
    near, far = scale // 4, scale - scale // 4 - 1
    for y, x in np.argwhere(hedges).tolist():
        left, top = x * scale, y * scale
        right = left + far + scale * int(hedges[y, x + 1])
        bottom = top + far + scale * int(hedges[y + 1, x])
        pen.rectangle((left + near, top + near, right, top + far), fill=BUSH)
        pen.rectangle((left + near, top + near, left + far, bottom), fill=BUSH)


def _colours(town: TownMap) -> NDArray[np.uint8]:
    """One colour a tile, [height, width, 3]; adjacent rooms differ slightly in lightness."""
    grounds = np.array([GROUND_COLOURS[kind] for kind in Ground], dtype=np.uint8)
    colours = grounds[town.ground]
    numbers = {sector: number for number, sector in enumerate(town.sectors)}
    counts: dict[str, int] = {}
    tints: list[Colour] = []
    for place in town.places:
        nth = counts[place.sector] = counts.get(place.sector, -1) + 1
        tints.append(sector_colour(numbers[place.sector], light=(0.88, 0.84, 0.91, 0.81)[nth % 4]))
    if tints:
        inside = town.arena >= 0
        colours[inside] = np.array(tints, dtype=np.uint8)[town.arena[inside]]
    return colours


def _draw_objects(pen: ImageDraw.ImageDraw, town: TownMap, scale: int) -> None:
    """A small square on each tile with an object, darker than the floor."""
    numbers = {sector: number for number, sector in enumerate(town.sectors)}
    edge = max(1, scale // 6)
    for place in town.places:
        colour = sector_colour(numbers[place.sector], light=0.76, strength=0.28)
        for thing in town.objects(place):
            for x, y in town.standing(place, thing):
                box = (x * scale + edge, y * scale + edge, (x + 1) * scale - edge - 1)
                pen.rectangle((*box, (y + 1) * scale - edge - 1), fill=colour)


# ------------------------------------------------------------------ names


@cache
def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's built-in font, so that pictures do not depend on the machine."""
    return ImageFont.load_default(size)


def text_size(text: str, size: int) -> tuple[int, int]:
    """Width and height in pixels of one or more lines."""
    lines = text.split("\n")
    return max(round(font(size).getlength(line)) for line in lines), len(lines) * (size + 1)


def write(
    pen: ImageDraw.ImageDraw, centre: tuple[float, float], text: str, size: int, colour: Colour
) -> None:
    """Write a text of one or more lines, centred on a point."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        y = centre[1] + (number - (len(lines) - 1) / 2) * (size + 1)
        pen.text((centre[0], y), line, fill=colour, font=font(size), anchor="mm")


Box: TypeAlias = tuple[float, float, float, float]
"""Left, top, right and bottom in pixels."""


def write_names(picture: Image.Image, town: TownMap, scale: int) -> None:
    """Names of sectors, then of arenas where there is room; names that would overlap are
    left out."""
    pen = ImageDraw.Draw(picture)
    boxes: list[Box] = []
    for number, sector in enumerate(town.sectors):
        _write_sector(pen, town, number, sector, scale, boxes)
    if scale >= SMALLEST_SCALE_WITH_ROOMS:
        things = _things(town)
        for place in town.places:
            _write_arena(pen, town, place, things, scale, boxes)


def _is_free(box: Box, boxes: list[Box]) -> bool:
    left, top, right, bottom = box
    return not any(left < b[2] and b[0] < right and top < b[3] and b[1] < bottom for b in boxes)


def _around_text(centre: tuple[float, float], text: str, size: int, pad: int = 0) -> Box:
    (x, y), (width, height) = centre, text_size(text, size)
    high = (height + pad // 2) / 2
    return x - width / 2 - pad, y - high, x + width / 2 + pad, y + high


def _things(town: TownMap) -> NDArray[np.bool_]:
    """[height, width]: where objects stand."""
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
    boxes: list[Box],
) -> None:
    """The name of an arena, in one line or more, at the free spot and size that hide the least."""
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
            centre = ((x.start + spot[1][0]) * scale, (y.start + spot[1][1]) * scale)
            # A smaller size costs as much as hiding three objects, a line more as one.
            hidden = spot[0] + 1.5 * (scale - size) + text.count("\n")
            better = best is None or hidden < best[0]
            if better and _is_free(_around_text(centre, text, size), boxes):
                best = (hidden, text, size, centre)
    if best is not None:
        _, text, size, centre = best
        boxes.append(_around_text(centre, text, size))
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
    """The cheapest window of this size in tiles, and its centre, nearest the middle in a tie.

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


def _write_sector(
    pen: ImageDraw.ImageDraw, town: TownMap, number: int, sector: str, scale: int, boxes: list[Box]
) -> None:
    """The name of a sector on a small plate over its northern edge, its southern edge, or
    inside."""
    tiles = [tile for place in town.sector_places(sector) for tile in town.tiles(place)]
    if not tiles:
        return
    left, right = min(x for x, _ in tiles), max(x for x, _ in tiles) + 1
    top, bottom = min(y for _, y in tiles), max(y for _, y in tiles) + 1
    for size in (max(8, scale), max(8, scale - 3)):
        width, height = text_size(sector, size)
        x = (left + right) * scale / 2
        x = min(max(x, width / 2 + 6), town.width * scale - width / 2 - 6)
        for row in (top - 0.5, bottom + 0.5, (top + bottom) / 2, top - 2, bottom + 2):
            y = min(max(row * scale, height / 2 + 3), town.height * scale - height / 2 - 3)
            box = _around_text((x, y), sector, size, pad=5)
            if _is_free(box, boxes):
                boxes.append(box)
                fill = sector_colour(number, light=0.34, strength=0.30)
                pen.rounded_rectangle((*box[:3], box[3] + 1), radius=4, fill=fill)
                write(pen, (x, y), sector, size, WHITE)
                return


# ------------------------------------------------------------------ residents


def dot_colour(number: int) -> Colour:
    light = (0.38, 0.48)[number % 2]
    red, green, blue = colorsys.hls_to_rgb((0.02 + number * GOLDEN) % 1, light, 0.52)
    return round(red * 255), round(green * 255), round(blue * 255)


def draw_people(
    picture: Image.Image, people: Mapping[str, Tile], numbers: Mapping[str, int], scale: int
) -> None:
    """A numbered dot for each resident; those on one spot are spread around it."""
    radius = max(7, round(scale * 0.75))
    spots: list[tuple[float, float]] = []
    for name in sorted(people, key=numbers.__getitem__):
        x, y = people[name]
        spot = _free_spot(((x + 0.5) * scale, (y + 0.5) * scale), radius, spots)
        spots.append(spot)
        _put_dot(picture, spot, radius, numbers[name])


def draw_legend(
    picture: Image.Image, corner: tuple[int, int], height: int, numbers: Mapping[str, int]
) -> None:
    """Dot and name of each resident, downwards in columns of at most `height` pixels."""
    pen = ImageDraw.Draw(picture)
    rows = max(1, height // ROW)
    for name, number in numbers.items():
        column, row = divmod(number, rows)
        x, y = corner[0] + column * COLUMN, corner[1] + row * ROW
        _put_dot(picture, (x + 11, y + ROW / 2), 9, number)
        pen.text((x + 28, y + ROW / 2), name, fill=INK, font=font(13), anchor="lm")


def _free_spot(
    centre: tuple[float, float], radius: int, spots: list[tuple[float, float]]
) -> tuple[float, float]:
    """The spot nearest `centre` at which a dot hides no other by much.

    Tried on a grid of half a radius, up to four dots away; `centre` itself if all are taken.
    """
    apart = (1.7 * radius) ** 2
    steps = range(-16, 17)
    for _, down, across in sorted((a * a + b * b, b, a) for a in steps for b in steps):
        x, y = centre[0] + across * radius / 2, centre[1] + down * radius / 2
        if all((x - a) ** 2 + (y - b) ** 2 >= apart for a, b in spots):
            return x, y
    return centre


def _put_dot(picture: Image.Image, centre: tuple[float, float], radius: int, number: int) -> None:
    dot = _dot(radius, number)
    picture.paste(dot, (round(centre[0] - dot.width / 2), round(centre[1] - dot.height / 2)), dot)


@cache
def _dot(radius: int, number: int) -> Image.Image:
    """A dot with a white rim and a number counted from 1, on a transparent ground."""
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
