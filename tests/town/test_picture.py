from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from sociolab.town.map import OUTDOORS, Ground, Tile
from sociolab.town.map_file import own_map
from sociolab.town.picture import (
    COLUMN,
    GROUND_COLOURS,
    HEADER,
    MARGIN,
    SMALLEST_SCALE_WITH_ROOMS,
    dot_colour,
    draw,
    draw_land,
    draw_people,
    sector_colour,
    shortened,
)


def blank() -> Image.Image:
    return Image.new("RGB", (400, 400), (255, 255, 255))


def pixels_of(picture: Image.Image, number: int) -> int:
    """How many have nearly the colour of a resident's dot."""
    off = np.abs(np.asarray(picture).astype(int) - np.array(dot_colour(number)))
    return int((off.max(axis=-1) <= 20).sum())


def test_the_land_has_the_colours_of_its_ground() -> None:
    town = own_map()
    land = draw_land(town, 3)
    assert land.size == (420, 300)
    for kind in (Ground.STREET, Ground.WATER, Ground.WALL):
        y, x = np.argwhere(town.ground == kind)[0].tolist()
        assert land.getpixel((3 * x + 1, 3 * y + 1)) == GROUND_COLOURS[kind]


def test_rooms_have_the_tint_of_their_sector() -> None:
    town = own_map()
    hall = town.sectors.index("Alder Hall")
    stage = next(p for p in town.places if str(p) == "Alder Hall: main hall")
    x, y = town.tiles(stage)[0]
    assert draw_land(town, 3).getpixel((3 * x + 1, 3 * y + 1)) == sector_colour(hall, 0.88)


def test_a_picture_without_residents_has_no_legend() -> None:
    alone = draw(own_map(), scale=4)
    assert alone.size == (560 + 2 * MARGIN, 400 + HEADER + MARGIN)
    assert draw(own_map(), {"Ada": (5, 5)}, scale=4).width == alone.width + COLUMN + MARGIN


def test_names_of_rooms_are_written_where_they_can_be_read() -> None:
    town = own_map()
    for scale, written in ((SMALLEST_SCALE_WITH_ROOMS, True), (8, False)):
        drawn = np.asarray(draw(town, scale=scale))
        bare = np.asarray(draw_land(town, scale))
        meadow = np.zeros(town.arena.shape, dtype=bool)
        for x, y in town.tiles(next(p for p in town.places if p.arena == "meadow")):
            # The sector's plate lies over the northern rows.
            meadow[y, x] = y > 30
        mask = meadow.repeat(scale, axis=0).repeat(scale, axis=1)
        inside = drawn[HEADER : HEADER + bare.shape[0], MARGIN : MARGIN + bare.shape[1]]
        assert bool((inside[mask] != bare[mask]).any()) is written


def test_residents_on_one_tile_are_all_seen() -> None:
    crowd: dict[str, Tile] = {f"Resident {number}": (20, 20) for number in range(9)}
    picture = blank()
    draw_people(picture, crowd, {name: n for n, name in enumerate(crowd)}, scale=10)
    alone = blank()
    draw_people(alone, {"Resident 0": (20, 20)}, {"Resident 0": 0}, scale=10)
    whole = pixels_of(alone, 0)
    assert all(pixels_of(picture, number) > whole / 3 for number in range(9))


def test_numbers_go_by_name_not_by_the_order_of_the_mapping() -> None:
    people: dict[str, Tile] = {"Ada": (5, 5), "Ben": (90, 90)}
    backwards = dict(reversed(people.items()))
    one, other = (draw(own_map(), who, scale=3) for who in (people, backwards))
    assert one.tobytes() == other.tobytes()


def test_residents_out_of_doors_are_drawn_too() -> None:
    town = own_map()
    picture = draw(town, {"Ada": town.tiles(OUTDOORS)[400]}, scale=4)
    map_alone = picture.crop((MARGIN, HEADER, MARGIN + 560, HEADER + 400))
    assert pixels_of(map_alone, 0) > 20


@pytest.mark.parametrize("width", [0, 30, 90])
def test_long_notes_are_cut_to_their_width(width: int) -> None:
    text = shortened("talking with Ben about the harvest supper", 11, width)
    assert text.endswith("…")
    assert len(text) < width / 3 + 2
    assert shortened("short", 11, 400) == "short"
