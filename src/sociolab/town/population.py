"""The people of a town, read from a file and checked against its map."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sociolab.core.errors import ConfigError
from sociolab.town.map import TownMap, own_map
from sociolab.town.residents import Resident

OWN = Path(__file__).parent / "data" / "residents.toml"


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    resident: tuple[Resident, ...] = Field(min_length=1)


@cache
def own_residents() -> tuple[Resident, ...]:
    """The 25 residents of Alderbrook, in the order of their file."""
    return load_residents(OWN, own_map())


def load_residents(path: Path, town: TownMap) -> tuple[Resident, ...]:
    """The residents of a TOML file with one table [[resident]] each, in file order.

    ConfigError if the file cannot be read, an id or a name occurs twice, a place is not on the
    map, a tie leads to nobody, or a tie is not mutual.
    """
    found = _read(path)
    check_residents(found, town, str(path))
    _refuse_one_sided_ties(found, str(path))
    return found


def check_residents(residents: Sequence[Resident], town: TownMap, source: str) -> None:
    """Refuse (ConfigError) residents who occur twice, or name a place or person that is not."""
    _refuse_doubles([resident.id for resident in residents], "id", source)
    _refuse_doubles([resident.name for resident in residents], "name", source)
    names = {resident.name for resident in residents}
    for resident in residents:
        for field, place in _places(resident):
            if not is_known_place(place, town):
                raise ConfigError(
                    f'{source}: {resident.name}: expected a place of {town.name} in "{field}", '
                    f'found "{place}"; write a sector or "Sector: arena" as on the map'
                )
        for other in resident.ties:
            if other == resident.name or other not in names:
                raise ConfigError(
                    f'{source}: {resident.name}: expected the names of other residents in "ties", '
                    f'found "{other}"; correct the name or add that resident'
                )


def is_known_place(name: str, town: TownMap) -> bool:
    """Whether this is a sector of the town or, written "Sector: arena", one of its arenas."""
    return bool(town.sector_places(name)) or town.place(name) is not None


def _read(path: Path) -> tuple[Resident, ...]:
    try:
        with path.open("rb") as file:
            return _File.model_validate(tomllib.load(file)).resident
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from error
    except ValidationError as error:
        item = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in item["loc"])
        raise ConfigError(
            f"{path}: {where}: {item['msg'][:1].lower()}{item['msg'][1:]}, found {item['input']!r}"
        ) from error


def _places(resident: Resident) -> Iterator[tuple[str, str]]:
    """Every place that a resident's fields name, with the field's name."""
    yield "living_area", resident.living_area
    for name in resident.knows:
        yield "knows", name
    for habit in resident.habits:
        yield "habits", habit.place


def _refuse_doubles(values: list[str], what: str, source: str) -> None:
    for place, value in enumerate(values):
        if value in values[:place]:
            raise ConfigError(
                f'{source}: expected every {what} once, found "{value}" twice; rename one of them'
            )


def _refuse_one_sided_ties(residents: Sequence[Resident], source: str) -> None:
    by_name = {resident.name: resident for resident in residents}
    for resident in residents:
        for other in resident.ties:
            if resident.name not in by_name[other].ties:
                raise ConfigError(
                    f"{source}: {resident.name}: expected a tie to {other} on both sides, found it "
                    f"on one; say under {other} what {resident.name} is to them"
                )
