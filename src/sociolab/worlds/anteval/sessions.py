"""Sessions to play: drawn by seed from the tables, or read from a folder."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

from pydantic import ValidationError

from sociolab.core.episode import Task
from sociolab.core.errors import ConfigError
from sociolab.core.ports import DataId
from sociolab.core.seeding import digest
from sociolab.worlds.anteval.information.knowledge import draw_knowledge
from sociolab.worlds.anteval.intention.assign import Assigned
from sociolab.worlds.anteval.party.drawing import draw_party
from sociolab.worlds.anteval.session import Fact, Form, Session
from sociolab.worlds.anteval.situation import draw_situation

FILE = "sessions.jsonl"


class Sessions(Protocol):
    """A set of sessions of one form."""

    @property
    def id(self) -> DataId:
        """Name, version and a hash of the content."""
        ...

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The sessions as tasks, in a fixed order."""
        ...


@dataclass(frozen=True)
class Drawn:
    """So many sessions drawn by seed; each has new characters, situation, knowledge or intentions.

    `facts` is how much the NPC knows (information), `assigned` how skills are given to players
    (intention).
    """

    form: Form
    seed: int
    sessions: int
    players: int
    turns: int
    facts: int = 0
    assigned: Assigned | None = None

    @cached_property
    def id(self) -> DataId:
        """The hash covers all that was drawn, so that a change of the tables shows."""
        return DataId("drawn", "1", digest(*(task.content for task in self.tasks)))

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """The sessions as tasks; drawn once, when they are first needed."""
        return tuple(task_of(session) for session in self.all())

    def all(self) -> tuple[Session, ...]:
        """The sessions; another session's knowledge is the decoy of each."""
        names = [f"{self.form}-{self.seed}-{index:04d}" for index in range(self.sessions + 1)]
        known = [
            draw_knowledge(self.seed, name, self.facts) if self.facts else () for name in names
        ]
        return tuple(self._session(names[i], known[i], known[i + 1]) for i in range(self.sessions))

    def _session(self, name: str, known: tuple[Fact, ...], decoys: tuple[Fact, ...]) -> Session:
        characters = draw_party(self.seed, name, self.players)
        players = tuple(one.id for one in characters[:-1])
        return Session(
            id=name,
            form=self.form,
            turns=self.turns,
            situation=draw_situation(self.seed, name, characters).text,
            characters=characters,
            knowledge=known,
            decoys=decoys,
            intentions=self.assigned.draw(self.seed, name, players) if self.assigned else (),
        )


@dataclass(frozen=True)
class Stored:
    """The sessions of a folder, read and checked."""

    id: DataId
    sessions: tuple[Session, ...]

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """The sessions as tasks, in file order."""
        return tuple(task_of(session) for session in self.sessions)


def task_of(session: Session) -> Task:
    """A session as a task; its intervals cluster by the session."""
    seats = tuple(character.id for character in session.characters)
    return Task(session.id, seats, session.id, session.model_dump_json())


def read_sessions(folder: Path, form: Form) -> Stored:
    """The sessions of `sessions.jsonl` in a folder, one a line.

    ConfigError names file and line where one cannot be read, is of the other form, has an id that
    occurred before, or lacks what its form needs, and where there is none at all.
    """
    path = folder / FILE
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be read ({error.strerror}); a data set of anteval is a folder with "
            f"{FILE}, a session a line"
        ) from error
    found: dict[str, Session] = {}
    for number, line in enumerate(data.splitlines(), start=1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        session = _read(line, where)
        problem = _problem(session, form)
        if not problem and session.id in found:
            problem = f'expected an id of its own, found "{session.id}" a second time'
        if problem:
            raise ConfigError(f"{where}: {problem}")
        found[session.id] = session
    if not found:
        raise ConfigError(f"{path} is empty: expected at least one session, a session a line")
    content = hashlib.blake2b(data, digest_size=8).hexdigest()
    return Stored(DataId(folder.resolve().name, "1", content), tuple(found.values()))


def _read(line: bytes, where: str) -> Session:
    try:
        return Session.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the session"
        said = first["msg"].removeprefix("Value error, ")
        shown = ""
        if first["type"] != "value_error":
            shown = f", found {json.dumps(first['input'], default=str, ensure_ascii=False)[:60]}"
        raise ConfigError(f"{where}: {place}: {said[:1].lower()}{said[1:]}{shown}") from error


def _problem(session: Session, form: Form) -> str:
    """Why a session cannot be played in this world; empty where it can."""
    if session.form != form:
        return f'expected a session of the form "{form}", found "{session.form}"'
    if form == "information" and not session.knowledge:
        return "expected knowledge of the NPC, found none"
    for facts in (session.knowledge, session.decoys):
        ids = [fact.id for fact in facts]
        if len(set(ids)) < len(ids):
            return f"expected facts with different ids, found {ids}"
    return ""
