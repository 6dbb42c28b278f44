"""The matrices of the public map, one number a tile, and the blocks that say what numbers mean."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from sociolab.core.errors import ConfigError
from sociolab.worlds.stss.importing.reading import RawRecord, file_text, json_file, record

EMPTY = 0
"""Nothing of this kind is on the tile."""


class Shape(RawRecord):
    """The size of the map in tiles."""

    maze_width: int = Field(ge=1, le=10_000)
    maze_height: int = Field(ge=1, le=10_000)


@dataclass(frozen=True, slots=True)
class Block:
    """A number of a matrix, and the names it stands for: world, sector, arena, object."""

    number: int
    names: tuple[str, ...]
    place: str
    """File and line."""


def read_shape(path: Path) -> Shape:
    """The size that `maze_meta_info.json` gives; ConfigError where it gives none."""
    return record(str(path), Shape, json_file(path))


def read_blocks(path: Path, names: int) -> dict[int, Block]:
    """Blocks by number, each with this many names; spaces around names are stripped.

    ConfigError with file and line for a line of another form, or a number that comes twice.
    """
    found: dict[int, Block] = {}
    for line, text in enumerate(file_text(path).splitlines(), start=1):
        if not text.strip():
            continue
        number, *rest = (part.strip() for part in text.split(","))
        place = f"{path}, line {line}"
        if not number.isdecimal() or len(rest) != names or not all(rest):
            raise ConfigError(
                f"{place}: expected a number and {names} names, found {text.strip()[:60]!r}; "
                "mend it"
            )
        if int(number) in found:
            raise ConfigError(
                f"{place}: the block {number} comes a second time; remove one of them"
            )
        found[int(number)] = Block(int(number), tuple(rest), place)
    return found


def read_matrix(path: Path, shape: Shape, known: Collection[int] | None) -> NDArray[np.int32]:
    """A matrix as [height, width], from one row of numbers or from many; EMPTY where nothing is.

    `known`: the numbers that mean something; None where every number does. ConfigError with file
    and tile for something that is no number, an unknown number, or too many or few of them.
    """
    words = file_text(path).replace("\n", ",").split(",")
    cells = [word.strip() for word in words if word.strip()]
    size = shape.maze_width * shape.maze_height
    if len(cells) != size:
        raise ConfigError(
            f"{path}: expected {shape.maze_width} x {shape.maze_height} = {size} numbers, found "
            f"{len(cells)}; fetch the file again"
        )
    for index, cell in enumerate(cells):
        where = f"{path}, number {index + 1} (column {index % shape.maze_width}, row "
        where += f"{index // shape.maze_width})"
        if not cell.isdecimal():
            raise ConfigError(f"{where}: expected a block's number, found {cell[:20]!r}; mend it")
        if known is not None and int(cell) != EMPTY and int(cell) not in known:
            raise ConfigError(
                f"{where}: the number {int(cell)} is none of the known blocks; mend it, or add it "
                "to the list of blocks"
            )
    return np.array(cells, dtype=np.int32).reshape(shape.maze_height, shape.maze_width)
