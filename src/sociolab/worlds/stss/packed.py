"""A map packed into a task's content, so that an episode can be read without its data set."""

from __future__ import annotations

import base64
import binascii
import zlib
from functools import lru_cache

from sociolab.core.errors import StoreError
from sociolab.town.map import TownMap
from sociolab.worlds.stss.map_json import map_from, map_text


@lru_cache(maxsize=8)
def packed(town: TownMap) -> str:
    """The map's JSON, compressed, as text: about 10 KB for a town of 140 x 100 tiles."""
    return base64.b85encode(zlib.compress(map_text(town).encode(), 9)).decode()


@lru_cache(maxsize=8)
def unpacked(text: str) -> TownMap:
    """The map that was packed; StoreError if this is none."""
    try:
        return map_from(zlib.decompress(base64.b85decode(text)), "the map in the store")
    except (ValueError, zlib.error, binascii.Error) as error:
        raise StoreError(f"the map of a stored task cannot be read ({error})") from error
