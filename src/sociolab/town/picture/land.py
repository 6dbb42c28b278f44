"""The land and the rooms of a town in colour, before anything is written on it."""

from __future__ import annotations

import colorsys
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from sociolab.town.map.ground import Ground
from sociolab.town.map.town_map import TownMap

Colour: TypeAlias = tuple[int, int, int]

INK: Colour = (54, 52, 50)
GROUND_COLOURS: dict[Ground, Colour] = {
    Ground.GRASS: (224, 233, 208),
    Ground.STREET: (240, 234, 221),
    Ground.WATER: (178, 209, 224),
    Ground.TREES: (224, 233, 208),
    Ground.WALL: (128, 118, 110),
    Ground.FLOOR: (238, 234, 228),
}
TREE: Colour = (164, 192, 148)
GOLDEN = 0.618034
"""A turn of the colour wheel by the golden ratio keeps neighbouring numbers well apart."""


def sector_colour(number: int, light: float = 0.86, strength: float = 0.42) -> Colour:
    """The calm tint of a sector, by its number."""
    red, green, blue = colorsys.hls_to_rgb(number * GOLDEN % 1, light, strength)
    return round(red * 255), round(green * 255), round(blue * 255)


def draw_land(town: TownMap, scale: int) -> Image.Image:
    """The ground, tinted floors, walls, trees and objects, `scale` pixels a tile."""
    picture = Image.fromarray(_colours(town).repeat(scale, axis=0).repeat(scale, axis=1))
    pen = ImageDraw.Draw(picture)
    _draw_trees(pen, town, scale)
    _draw_objects(pen, town, scale)
    return picture


def _colours(town: TownMap) -> NDArray[np.uint8]:
    """One colour a tile, [height, width, 3]; rooms side by side differ a little in lightness."""
    grounds = np.array([GROUND_COLOURS[kind] for kind in Ground], dtype=np.uint8)
    colours = grounds[town.ground]
    numbers = {sector: number for number, sector in enumerate(town.sectors)}
    seen: dict[str, int] = {}
    tints: list[Colour] = []
    for place in town.places:
        nth = seen[place.sector] = seen.get(place.sector, -1) + 1
        tints.append(sector_colour(numbers[place.sector], light=(0.88, 0.84, 0.91, 0.81)[nth % 4]))
    if tints:
        inside = town.arena >= 0
        colours[inside] = np.array(tints, dtype=np.uint8)[town.arena[inside]]
    return colours


def _draw_trees(pen: ImageDraw.ImageDraw, town: TownMap, scale: int) -> None:
    rows, columns = np.nonzero(town.ground == Ground.TREES)
    for x, y in zip(columns.tolist(), rows.tolist(), strict=True):
        left, top, far = x * scale - scale // 4, y * scale - scale // 4, scale + scale // 2
        pen.ellipse((left, top, left + far, top + far), fill=TREE)


def _draw_objects(pen: ImageDraw.ImageDraw, town: TownMap, scale: int) -> None:
    """A small square for each tile with an object on it, darker than the floor."""
    numbers = {sector: number for number, sector in enumerate(town.sectors)}
    edge = max(1, scale // 6)
    for place in town.places:
        colour = sector_colour(numbers[place.sector], light=0.76, strength=0.28)
        for thing in town.objects(place):
            for x, y in town.standing(place, thing):
                box = (x * scale + edge, y * scale + edge, (x + 1) * scale - edge - 1)
                pen.rectangle((*box, (y + 1) * scale - edge - 1), fill=colour)
