from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from sociolab.core.errors import ConfigError
from sociolab.town.map_file import own_map
from sociolab.town.picture import (
    ACROSS,
    GAP,
    HEADER,
    MARGIN,
    Frame,
    animation,
    dot_colour,
    draw_filmstrip,
)

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
