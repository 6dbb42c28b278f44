"""The turns of an episode of CRD3's cleaned data, as the rules read them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from sociolab.core.errors import ConfigError
from sociolab.worlds.anteval.importing.reading import RawRecord, file_text, json_value, record

_EPISODE = re.compile(r"C(?P<campaign>\d+)E(?P<number>\d+)\w*\.json(\.gz)?")
_QUOTED = re.compile(r'"[^"]*"')
_SENTENCE = re.compile(r"[^.?!]+[.?!]*(?:--)?\s*")


class _RawTurn(RawRecord):
    names: Annotated[tuple[str, ...], Field(alias="NAMES", min_length=1)]
    utterances: Annotated[tuple[str, ...], Field(alias="UTTERANCES")]


class _RawEpisode(RawRecord):
    turns: Annotated[tuple[_RawTurn, ...], Field(alias="TURNS", min_length=1)]


@dataclass(frozen=True, slots=True)
class Spoken:
    """One turn: who spoke, all names where several did, and the words in one line."""

    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Episode:
    """An episode, such as "C1E037": campaign 1, number 37."""

    id: str
    campaign: int
    number: int
    turns: tuple[Spoken, ...]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence in lower case, and where it begins in the turn's text."""

    start: int
    words: str


def episode_files(source: Path) -> tuple[Path, ...]:
    """The episodes' files in `source`, in `cleaned data` or in `data/cleaned data` below it."""
    for folder in (source, source / "cleaned data", source / "data" / "cleaned data"):
        if folder.is_dir():
            found = [path for path in folder.iterdir() if _EPISODE.fullmatch(path.name)]
            if found:
                return tuple(sorted(found, key=lambda path: path.name))
    raise ConfigError(
        f"{source}: expected a clone of the CRD3 repository, or the folder of its cleaned data "
        "with files such as C1E001.json, and found none"
    )


def read_episode(path: Path) -> Episode:
    """An episode; ConfigError, with the file, where it is not one."""
    name = _EPISODE.fullmatch(path.name)
    if name is None:
        raise ConfigError(f'{path}: expected a name such as C1E001.json, found "{path.name}"')
    raw = record(str(path), _RawEpisode, json_value(str(path), file_text(path)))
    turns = (Spoken(" & ".join(turn.names), " ".join(turn.utterances)) for turn in raw.turns)
    return Episode(
        path.name.split(".")[0], int(name["campaign"]), int(name["number"]), tuple(turns)
    )


def sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of a turn."""
    return tuple(
        Sentence(found.start(), found[0].strip().casefold())
        for found in _SENTENCE.finditer(text)
        if found[0].strip()
    )


def own_voice(text: str) -> str:
    """The text with what stands in quotation marks blanked: there, the DM plays somebody."""
    return _QUOTED.sub(lambda found: " " * len(found[0]), text)
