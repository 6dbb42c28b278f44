"""A set of conversation tasks: the one that we ship, or one in a folder."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from pydantic import Field, ValidationError

from sociolab import __version__
from sociolab.core.errors import ConfigError
from sociolab.core.ports import DataId
from sociolab.core.seeding import digest
from sociolab.worlds.stss.dataset import Meta
from sociolab.worlds.stss.talk.scenario import TalkScenario
from sociolab.worlds.stss.talk.tally import tally

OWN = Path(__file__).parent / "data"
META, SCENARIOS, REPORT = "meta.json", "scenarios.jsonl", "report.md"


class TalkMeta(Meta):
    """`meta.json` of a set: `hash` and `scenarios`, their number, must be true where given."""

    hash: str | None = Field(default=None, min_length=1)
    scenarios: int | None = Field(default=None, ge=0)


@dataclass(frozen=True)
class TalkData:
    """Conversation tasks under a name; `version` is that of the town that they are frozen from."""

    name: str
    version: str
    scenarios: tuple[TalkScenario, ...]

    @cached_property
    def hash(self) -> str:
        """A digest of the scenarios, in their order."""
        return digest(_lines(self.scenarios))

    @property
    def id(self) -> DataId:
        """Which data this is."""
        return DataId(self.name, self.version, self.hash)


@cache
def own_talks() -> TalkData:
    """The 325 conversation tasks of this package; `data/meta.json` says how they were made."""
    return read_talks(OWN)


def read_talks(folder: Path) -> TalkData:
    """The conversation tasks of a folder.

    ConfigError names the file and the line that is wrong, or says what is not as `meta.json` says
    it is; a `meta.json` without hash and number takes any scenarios.
    """
    try:
        meta = TalkMeta.model_validate_json(_bytes(folder / META))
    except ValidationError as error:
        raise ConfigError(f"{folder / META}: {_fault(error)}") from error
    seen: set[str] = set()
    scenarios = []
    path = folder / SCENARIOS
    for number, line in enumerate(_bytes(path).splitlines(), 1):
        if line.strip():
            scenarios.append(_scenario(line, f"{path}, line {number}", seen))
    if not scenarios:
        raise ConfigError(
            f"{path}: expected at least one conversation task, found none; build some"
        )
    data = TalkData(meta.name, meta.version, tuple(scenarios))
    _check_meta(meta, data, folder)
    return data


def _check_meta(meta: TalkMeta, data: TalkData, folder: Path) -> None:
    """The set is the one that was written: a shortened file is no set of that name."""
    count = len(data.scenarios)
    number = count if meta.scenarios is None else meta.scenarios
    wanted = data.hash if meta.hash is None else meta.hash
    if (number, wanted) != (count, data.hash):
        raise ConfigError(
            f"{folder / SCENARIOS}: expected {number} conversation tasks of hash {wanted}, as "
            f"{META} says, found {count} of hash {data.hash}; build the set again or, if you "
            f'changed it on purpose, give it another "name" in {META} and there set "scenarios" '
            f'to {count} and "hash" to "{data.hash}" (or leave both out)'
        )


def write_talks(folder: Path, data: TalkData, made_by: str) -> None:
    """Write a set for `read_talks`, with a report of how many there are of what.

    `made_by` is the command that made it. What the folder holds of another set is written over.
    """
    folder.mkdir(parents=True, exist_ok=True)
    meta = {
        "name": data.name,
        "version": data.version,
        "hash": data.hash,
        "scenarios": len(data.scenarios),
        "command": made_by,
        "sociolab": __version__,
    }
    _write(folder / META, json.dumps(meta, ensure_ascii=False, indent=2) + "\n")
    _write(folder / SCENARIOS, _lines(data.scenarios))
    _write(folder / REPORT, tally(data.scenarios).as_markdown(f"{data.name} {data.version}"))


def _scenario(line: bytes, where: str, seen: set[str]) -> TalkScenario:
    try:
        found = TalkScenario.model_validate_json(line)
    except ValidationError as error:
        raise ConfigError(f"{where}: {_fault(error)}") from error
    if found.id in seen:
        raise ConfigError(f'{where}: the id "{found.id}" occurs twice; rename one of the two')
    seen.add(found.id)
    _check_people(found, where)
    _check_places(found, where)
    return found


def _check_people(found: TalkScenario, where: str) -> None:
    """The two are who the task says, and are among the people."""
    performer, other = found.performer.resident.id, found.other.resident.id
    if performer != found.task.performer:
        raise ConfigError(
            f"{where}: expected the task's performer, {found.task.performer}, as performer, found "
            f"{performer}; correct the one or the other"
        )
    if other not in found.task.background or (found.task.partner or other) != other:
        wanted = found.task.partner or ", ".join(found.task.background)
        raise ConfigError(f"{where}: expected as the other one of: {wanted}; found {other}")
    strange = [who for who in (performer, other) if who not in found.people]
    if strange:
        raise ConfigError(f'{where}: expected both among "people", {strange[0]} is not; add them')


def _check_places(found: TalkScenario, where: str) -> None:
    """The two stand in one place, and that is one of the town's."""
    here, there = found.performer.place, found.other.place
    if here != there:
        raise ConfigError(
            f'{where}: expected both in one place, found the performer at "{here}" and the other '
            f'at "{there}"; correct the one or the other ("" is outdoors)'
        )
    if here and here not in found.place_names:
        raise ConfigError(
            f'{where}: expected them at one of "places", or at "" (outdoors), found "{here}"; '
            "add it to the places or correct it"
        )


def _fault(error: ValidationError) -> str:
    item = error.errors(include_url=False)[0]
    field = ".".join(str(part) for part in item["loc"]) or "the record"
    wrong = item["input"]
    # The line itself, where it is no JSON at all.
    text = wrong.decode("utf-8", "replace") if isinstance(wrong, bytes) else _as_json(wrong)
    return f"{field}: {item['msg'][:1].lower()}{item['msg'][1:]}, found {text[:80]}"


def _as_json(wrong: object) -> str:
    return json.dumps(wrong, default=str, ensure_ascii=False)


def _lines(scenarios: Iterable[TalkScenario]) -> str:
    return "".join(one.model_dump_json(exclude_defaults=True) + "\n" for one in scenarios)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
