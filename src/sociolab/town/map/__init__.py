"""The map of a town, as the rest of the package uses it."""

from __future__ import annotations

from sociolab.town.map.file import load_map, own_map
from sociolab.town.map.tiled import tiled
from sociolab.town.map.town_map import MapError, TownMap

__all__ = ["MapError", "TownMap", "load_map", "own_map", "tiled"]
