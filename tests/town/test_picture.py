"""A town and its days as pictures: drawn, as a filmstrip, and as an animation."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from sociolab.core.errors import ConfigError
from sociolab.town.map import OUTDOORS, Ground, Tile
from sociolab.town.map_file import own_map
from sociolab.town.picture import (
    ACROSS,
    COLUMN,
    GAP,
    GROUND_COLOURS,
    HEADER,
    MARGIN,
    SMALLEST_SCALE_WITH_ROOMS,
    Frame,
    animation,
    dot_colour,
    draw,
    draw_filmstrip,
    draw_land,
    draw_people,
    sector_colour,
    shortened,
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


MORNING = Frame("08:00", {"Ada": (20, 20), "Ben": (60, 60)}, {"Ada": "having breakfast"})
NOON = Frame("12:00", {"Ada": (90, 20), "Ben": (60, 60)})


def near(picture: Image.Image, number: int) -> int:
    """How many pixels have nearly the colour of a resident's dot."""
    off = np.abs(np.asarray(picture.convert("RGB")).astype(int) - np.array(dot_colour(number)))
    return int((off.max(axis=-1) <= 6).sum())


@pytest.mark.parametrize("moments", [1, 2, 3, 4])
def test_a_strip_grows_sideways_and_then_down(moments: int) -> None:
    strip = draw_filmstrip(own_map(), [NOON] * moments, scale=3)
    assert strip.width == min(moments, ACROSS) * (3 * 140 + GAP) + GAP
    one = draw_filmstrip(own_map(), [NOON], scale=3)
    assert (strip.height > one.height + 300) is (moments > ACROSS)


def test_a_strip_shows_the_notes_of_a_moment() -> None:
    noted, bare = MORNING, Frame(MORNING.label, MORNING.people)
    taller = draw_filmstrip(own_map(), [noted], scale=3).height
    assert taller > draw_filmstrip(own_map(), [bare], scale=3).height


def test_an_animation_has_a_picture_for_each_moment_and_repeats() -> None:
    film = Image.open(BytesIO(animation(own_map(), [MORNING, NOON], scale=4, milliseconds=120)))
    assert getattr(film, "n_frames", 1) == 2
    assert film.info["loop"] == 0
    assert film.info["duration"] == 120


def test_residents_move_from_one_moment_to_the_next() -> None:
    film = Image.open(BytesIO(animation(own_map(), [MORNING, NOON], scale=4)))
    seen = []
    for moment, (x, y) in enumerate((MORNING.people["Ada"], NOON.people["Ada"])):
        film.seek(moment)
        left, top = MARGIN + 4 * x - 10, HEADER + 4 * y - 10
        seen.append(near(film.crop((left, top, left + 24, top + 24)), 0))
        film.seek(1 - moment)
        assert near(film.crop((left, top, left + 24, top + 24)), 0) < seen[-1]
    assert min(seen) > 20


def test_every_resident_keeps_a_colour_of_their_own_in_an_animation() -> None:
    crowd = Frame("08:00", {f"Resident {number:02}": (4 * number, 50) for number in range(25)})
    film = Image.open(BytesIO(animation(own_map(), [crowd], scale=8)))
    assert all(near(film, number) > 60 for number in range(25))


def test_the_clock_stands_in_the_lower_left_corner() -> None:
    film = Image.open(BytesIO(animation(own_map(), [MORNING, NOON], scale=4)))
    first = np.asarray(film.convert("RGB")).astype(int)
    film.seek(1)
    changed = np.abs(np.asarray(film.convert("RGB")).astype(int) - first).max(axis=-1) > 20
    assert changed[-MARGIN - 50 : -MARGIN, MARGIN : MARGIN + 120].any()


def test_the_same_moments_give_the_same_bytes() -> None:
    assert animation(own_map(), [MORNING, NOON], 3) == animation(own_map(), [MORNING, NOON], 3)


def test_no_moment_is_refused() -> None:
    for show in (draw_filmstrip, animation):
        with pytest.raises(ConfigError, match="at least one moment"):
            show(own_map(), [])


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
