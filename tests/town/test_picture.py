"""A town and its days as pictures: drawn, and as a filmstrip."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from sociolab.town import OUTDOORS, Tile, TownMap, own_map
from sociolab.town.map import Ground
from sociolab.town.picture import (
    ACROSS,
    BUSH,
    GAP,
    GROUND_COLOURS,
    HEADER,
    MARGIN,
    SMALLEST_SCALE_WITH_ROOMS,
    Frame,
    dot_colour,
    draw,
    draw_filmstrip,
    draw_land,
    draw_people,
    sector_colour,
    text_size,
    write_names,
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


def test_hedges_join_their_neighbours_and_nothing_else() -> None:
    plan = np.array([[1, 6, 6], [1, 1, 1]])
    town = TownMap("Lane", (), (), plan == 1, np.full((2, 3), -1), {}, plan)
    land = draw_land(town, 8)
    along, below, between = land.getpixel((16, 4)), land.getpixel((12, 8)), land.getpixel((8, 4))
    assert (along, below, between) == (
        BUSH,
        GROUND_COLOURS[Ground.STREET],
        GROUND_COLOURS[Ground.HEDGE],
    )


def test_rooms_have_the_tint_of_their_sector() -> None:
    town = own_map()
    hall = town.sectors.index("Alder Hall")
    stage = next(p for p in town.places if str(p) == "Alder Hall: main hall")
    x, y = town.tiles(stage)[0]
    assert draw_land(town, 3).getpixel((3 * x + 1, 3 * y + 1)) == sector_colour(hall, 0.88)


def test_a_picture_is_the_map_under_its_name() -> None:
    assert draw(own_map(), scale=4).size == (560 + 2 * MARGIN, 400 + HEADER + MARGIN)


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


MORNING = Frame("08:00", {"Ada": (20, 20), "Ben": (60, 60)})
NOON = Frame("12:00", {"Ada": (90, 20), "Ben": (60, 60)})


def test_numbers_go_by_name_not_by_the_order_of_the_mapping() -> None:
    backwards = Frame(NOON.label, dict(reversed(list(NOON.people.items()))))
    one, other = (draw_filmstrip(own_map(), [frame], scale=3) for frame in (NOON, backwards))
    assert one.tobytes() == other.tobytes()


def test_residents_out_of_doors_are_drawn_too() -> None:
    town = own_map()
    alone = Frame("08:00", {"Ada": town.tiles(OUTDOORS)[400]})
    strip = draw_filmstrip(town, [alone], scale=4)
    assert pixels_of(strip.crop((GAP, GAP, GAP + 560, GAP + 400)), 0) > 20


def test_residents_move_from_one_moment_to_the_next() -> None:
    strip = draw_filmstrip(own_map(), [MORNING, NOON], scale=4)
    panels = [strip.crop((GAP + n * (560 + GAP), GAP, (n + 1) * (560 + GAP), 430)) for n in (0, 1)]
    for (x, y), here, there in zip(
        (MORNING.people["Ada"], NOON.people["Ada"]), panels, reversed(panels), strict=True
    ):
        box = (4 * x - 10, 4 * y + 14, 4 * x + 14, 4 * y + 38)
        assert pixels_of(here.crop(box), 0) > pixels_of(there.crop(box), 0) + 20


@pytest.mark.parametrize("moments", [1, 2, 3, 4])
def test_a_strip_grows_sideways_and_then_down(moments: int) -> None:
    strip = draw_filmstrip(own_map(), [NOON] * moments, scale=3)
    assert strip.width == min(moments, ACROSS) * (3 * 140 + GAP) + GAP
    one = draw_filmstrip(own_map(), [NOON], scale=3)
    assert (strip.height > one.height + 300) is (moments > ACROSS)


def test_every_resident_has_a_colour_of_their_own() -> None:
    crowd = Frame("08:00", {f"Resident {number:02}": (4 * number, 50) for number in range(25)})
    strip = draw_filmstrip(own_map(), [crowd], scale=8)
    assert all(pixels_of(strip, number) > 60 for number in range(25))


def test_no_name_hides_another() -> None:
    """In the town of ours, at a size at which plates would lie over each other."""
    town, size = own_map(), 7
    plates = Image.new("RGB", (town.width * size, town.height * size), (255, 255, 255))
    write_names(plates, town, size)
    pixels = np.asarray(plates).astype(int)
    found = 0
    for number, name in enumerate(town.sectors):
        colour = np.array(sector_colour(number, light=0.34, strength=0.30))
        rows, columns = np.nonzero((pixels == colour).all(axis=2))
        if not len(rows):
            continue
        found += 1
        width, height = columns.max() - columns.min() + 1, rows.max() - rows.min() + 1
        inside = pixels[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
        assert width >= text_size(name, 8)[0], f"{name} is whole"
        assert height <= 2 * text_size(name, 8)[1]
        others = [np.array(sector_colour(n, 0.34, 0.30)) for n in range(len(town.sectors))]
        strangers = [o for n, o in enumerate(others) if n != number and (o != colour).any()]
        assert not any((inside == other).all(axis=2).any() for other in strangers), name
    assert found >= 20
