"""Where the public files lie: in a folder like the shared one, or anywhere in a plain clone."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sociolab.core.errors import ConfigError

BASES = ("clipped_the_ville_n25", "base_the_ville_n25")
"""Folders of personas, the preferred first: STSS starts from the clipped one."""

MATRICES = ("collision", "sector", "arena", "game_object")
BLOCKS = ("sector", "arena", "game_object")


@dataclass(frozen=True, slots=True)
class SourceFiles:
    """The files that an import reads.

    `matrices` and `blocks` by what they are of. `personas`: a folder for each resident, in which
    (or in whose `bootstrap_memory`) the two files of a persona lie. `starts`: zipped start
    environments, which may be absent.
    """

    shape: Path
    world: Path
    matrices: Mapping[str, Path]
    blocks: Mapping[str, Path]
    people: Path
    personas: Path
    tasks: tuple[Path, ...]
    starts: tuple[Path, ...]

    @property
    def read(self) -> tuple[Path, ...]:
        """Every file that the data set is made of, in a fixed order; start environments not."""
        of_people = sorted(self.personas.rglob("*.json"))
        of_map = (self.shape, self.world, *self.matrices.values(), *self.blocks.values())
        return (*of_map, self.people, *of_people, *self.tasks)


def find_files(source: Path) -> SourceFiles:
    """Look for the public files below a folder; the shallowest of a name wins.

    ConfigError where the folder or one of the files is missing.
    """
    if not source.is_dir():
        raise ConfigError(f"expected a folder with the public files of STSS, found no {source}")
    index = _index(source)
    people = _people(source, index)
    return SourceFiles(
        shape=_one(source, index, "maze_meta_info.json"),
        world=_one(source, index, "world_blocks.csv"),
        matrices={what: _one(source, index, f"{what}_maze.csv") for what in MATRICES},
        blocks={what: _one(source, index, f"{what}_blocks.csv") for what in BLOCKS},
        people=people,
        personas=_personas(people),
        tasks=(_one(source, index, "tasks.json"), _one(source, index, "tasks_dlc.json")),
        starts=tuple(sorted(path for name in index for path in index[name] if _is_start(name))),
    )


def _index(source: Path) -> dict[str, list[Path]]:
    """Files below the folder by name, the shallowest first; hidden folders are passed over."""
    found: dict[str, list[Path]] = {}
    for folder, inside, names in os.walk(source):
        inside[:] = sorted(name for name in inside if not name.startswith("."))
        for name in sorted(names):
            found.setdefault(name, []).append(Path(folder) / name)
    for paths in found.values():
        paths.sort(key=lambda path: (len(path.parts), str(path)))
    return found


def _one(source: Path, index: Mapping[str, list[Path]], name: str) -> Path:
    paths = index.get(name)
    if not paths:
        raise ConfigError(
            f"expected a file {name} somewhere in {source}, and there is none; name the folder of "
            "a whole clone of the public repository"
        )
    return paths[0]


def _people(source: Path, index: Mapping[str, list[Path]]) -> Path:
    """The meta.json of the personas' folder, which lists who lives in the town."""
    for base in BASES:
        for path in index.get("meta.json", []):
            if base in path.relative_to(source).parts:
                return path
    raise ConfigError(
        f"expected {BASES[0]}/meta.json (or reverie/meta.json there) somewhere in {source}, and "
        "there is none; name the folder of a whole clone of the public repository"
    )


def _personas(people: Path) -> Path:
    """Beside the list of people, or in a clone in a folder of their own beside `reverie`."""
    return people.parents[1] / "personas" if people.parent.name == "reverie" else people.parent


def _is_start(name: str) -> bool:
    return name.startswith("base_") and name.endswith(".zip")
