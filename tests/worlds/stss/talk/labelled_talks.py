"""Talks with labels by people: each condition met or not, of the talk and of a note of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from sociolab.town.map import own_map
from sociolab.town.population import own_residents
from sociolab.town.thoughts import Line
from sociolab.worlds.stss.talk.findings import Occasion, Person, person
from sociolab.worlds.stss.task import SocialTask

TALKS = Path(__file__).parent / "talks"


@dataclass(frozen=True)
class LabelledTalk:
    """One talk and one note; the labels are by the ids of the conditions."""

    id: str
    occasion: Occasion
    lines: tuple[Line, ...]
    labels: Mapping[str, bool]
    note: str
    note_labels: Mapping[str, bool]


def labelled_talks(path: Path) -> tuple[LabelledTalk, ...]:
    """The talks of a file with one JSON object a line."""
    return tuple(_case(json.loads(row)) for row in path.read_text(encoding="utf-8").splitlines())


@cache
def town_places() -> tuple[str, ...]:
    """All places of the town that the talks are held in."""
    return tuple(sorted(str(place) for place in own_map().places))


@cache
def town_people() -> tuple[Person, ...]:
    """All residents of that town."""
    return tuple(person(one) for one in own_residents())


def _case(row: Mapping[str, Any]) -> LabelledTalk:
    people = {one.id: one for one in own_residents()}
    performer, other = people[row["performer"]["id"]], people[row["other"]["id"]]
    return LabelledTalk(
        row["id"],
        Occasion(
            SocialTask.model_validate(row["task"]),
            performer,
            other,
            datetime.fromisoformat(row["now"]),
            row["here"],
            town_places(),
            town_people(),
        ),
        tuple(_line(seat, text, performer, other) for seat, text in row["lines"]),
        row["labels"],
        row["note"],
        row["note_labels"],
    )


def _line(seat: str, text: str, performer: Any, other: Any) -> Line:
    who = performer if seat == "P" else other
    return Line(who.id, who.name, text)
