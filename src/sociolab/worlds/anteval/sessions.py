"""Sessions to play: drawn by seed from tables and a grammar, or read from a folder.

Sets of sessions and their settings (`--set NAME=VALUE`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Protocol

from pydantic import ConfigDict, Field, model_validator

from sociolab.core.episode import Action, Answered, CastMember, Ended, Episode, Moved, Task, Trial
from sociolab.core.errors import ConfigError
from sociolab.core.ports import DataId
from sociolab.core.reading import json_records, read_bytes
from sociolab.core.seeding import digest
from sociolab.engine.setup import WorldSetup
from sociolab.report.catalogue import Catalogue
from sociolab.report.finding import Count, Sentence
from sociolab.worlds.anteval.information.scoring import LEARNED, InformationPlan, Learned
from sociolab.worlds.anteval.intention import FEWEST_SESSIONS, UNIFORM, Assigned, read_prior
from sociolab.worlds.anteval.party.drawing import draw_party
from sociolab.worlds.anteval.prompt_sets import AntSettings
from sociolab.worlds.anteval.scenes import (
    MOST_FACTS,
    draw_knowledge,
    draw_scene,
    draw_situation,
)
from sociolab.worlds.anteval.session import MOST_TURNS, Fact, Form, Mystery, PartyMember, Session

SAY = Catalogue("gap", "sociolab.worlds.anteval.notes")

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
class DrawnSessions:
    """So many sessions drawn by seed; each has new characters, situation, knowledge or intentions.

    `facts` is how much the NPC knows, `reserve` whether it is particular about when to tell it,
    `leaving` whether players may leave (information); `assigned` is how skills are given to players
    (intention).
    """

    form: Form
    seed: int
    sessions: int
    players: int
    turns: int
    facts: int = 0
    assigned: Assigned | None = None
    reserve: bool = False
    leaving: bool = False

    @cached_property
    def id(self) -> DataId:
        """The hash covers all that was drawn, so that a change of the tables shows."""
        return DataId("drawn", "3", digest(*(task.content for task in self.tasks)))

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """The sessions as tasks; drawn once, when they are first needed."""
        return tuple(task_of(session) for session in self.all())

    def all(self) -> tuple[Session, ...]:
        """The sessions; another session's knowledge is the decoy of each."""
        known = [self._knowledge(number) for number in range(self.sessions + 1)]
        return tuple(
            self._session(number, *known[number], known[number + 1][1])
            for number in range(self.sessions)
        )

    def _knowledge(self, number: int) -> tuple[Mystery | None, tuple[Fact, ...]]:
        if not self.facts:
            return None, ()
        scene, name = draw_scene(self.seed, number), self._name(number)
        return draw_knowledge(self.seed, name, scene, self.facts, reserve=self.reserve)

    def situation(self, number: int, characters: Sequence[PartyMember]) -> str:
        """What these characters walk into in the session of this number."""
        name = self._name(number)
        return draw_situation(self.seed, name, draw_scene(self.seed, number), characters)

    def _name(self, number: int) -> str:
        return f"{self.form}-{self.seed}-{number:04d}"

    def _session(
        self,
        number: int,
        mystery: Mystery | None,
        knowledge: tuple[Fact, ...],
        decoys: tuple[Fact, ...],
    ) -> Session:
        name, scene = self._name(number), draw_scene(self.seed, number)
        characters = draw_party(self.seed, name, self.players, npc=tuple(scene.knows))
        players = tuple(character.id for character in characters[:-1])
        return Session(
            id=name,
            form=self.form,
            turns=self.turns,
            situation=self.situation(number, characters),
            characters=characters,
            knowledge=knowledge,
            mystery=mystery,
            trust=scene.trust if self.reserve else None,
            leaving=self.leaving,
            decoys=decoys,
            intentions=self.assigned.draw(self.seed, name, players) if self.assigned else (),
        )


@dataclass(frozen=True)
class StoredSessions:
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
    scored = session.players if session.form == "information" else ()
    roles = {player.id: player.class_name.lower() for player in scored}
    return Task(session.id, seats, session.id, session.model_dump_json(), roles=roles)


def session_episode(
    session: Session,
    turns: Sequence[tuple[str, tuple[Action, ...]]],
    answers: Mapping[str, Sequence[str]],
) -> Episode:
    """A played session: the actions turn by turn, then the players' answers by seat."""
    task, end = task_of(session), len(turns)
    moves = (Moved(turn, seat, actions) for turn, (seat, actions) in enumerate(turns))
    answered = (
        Answered(end, seat, LEARNED, Learned(facts=list(facts)).model_dump(mode="json"))
        for seat, facts in answers.items()
    )
    cast = tuple(CastMember(seat) for seat in task.seats)
    trial = Trial(session.id, f"anteval-{session.form}", task, cast, 0, 0)
    return Episode(trial, (*moves, *answered, Ended("turn limit", end - 1)))


def read_sessions(folder: Path, form: Form) -> StoredSessions:
    """The sessions of `sessions.jsonl` in a folder, one a line.

    ConfigError names file and line where one cannot be read, is of the other form, has an id that
    occurred before, or lacks what its form needs, and where there is none at all.
    """
    path = folder / FILE
    if not path.is_file():
        raise ConfigError(
            f"{path}: expected a folder with {FILE}, one session per line; found none"
        )
    by_id: dict[str, Session] = {}
    for where, session in json_records(path, Session):
        problem = _find_problem(session, form)
        if not problem and session.id in by_id:
            problem = f'expected a unique id, found "{session.id}" twice'
        if problem:
            raise ConfigError(f"{where}: {problem}")
        by_id[session.id] = session
    if not by_id:
        raise ConfigError(f"{path} is empty: expected at least one session, one per line")
    content = hashlib.blake2b(read_bytes(path), digest_size=8).hexdigest()
    return StoredSessions(DataId(folder.resolve().name, "1", content), tuple(by_id.values()))


def _find_problem(session: Session, form: Form) -> str:
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


_MOST_PLAYERS = 6
"""The tables of names and situations are written for at most so many."""


class DrawnSettings(AntSettings):
    """How sessions are drawn: T players, N turns in all, H sessions (paper: T = 3, H not given)."""

    model_config = ConfigDict(frozen=True)

    players: int = Field(default=3, ge=1, le=_MOST_PLAYERS)
    turns: int = Field(default=30, ge=1, le=MOST_TURNS)
    sessions: int = Field(default=50, ge=1, le=100_000)

    def drawing_options(self) -> set[str]:
        """The names of settings that the user set and that say how sessions are drawn."""
        return self.model_fields_set & set(DrawnSettings.model_fields) - {"prompts"}


PRESETS: Mapping[str, Mapping[str, object]] = {
    "standard": {},
    "reserve": {"reserve": True},
    "hard": {"facts": 30, "reserve": True, "leaving": True},
}
"""What a preset sets, unless it is given."""


class InformationSettings(DrawnSettings):
    """Information exchange.

    The NPC knows so many `facts`; the paper's k is `key_points`, the same for all sessions of a
    run (without it as many as there are facts, so that no summary has to choose). `snapshots` N
    asks the players after every N turns what they have learned (0: never); `controls` asks them
    before the first turn, too, and reports all controls. An NPC with a `reserve` tells some facts
    at any question, some when asked for their kind or by name, some only once it trusts, and some
    falsely; with `leaving` players may leave before the last turn. The `preset` "standard" has the
    paper's sizes, "reserve" such an NPC, "hard" also more facts (30) and leaving; what is given
    besides overrides it.
    """

    preset: Literal["standard", "reserve", "hard"] = "standard"
    facts: int = Field(default=10, ge=1, le=MOST_FACTS)
    reserve: bool = False
    leaving: bool = False
    key_points: int | None = Field(default=None, ge=1)
    snapshots: int = Field(default=0, ge=0)
    controls: bool = True

    @model_validator(mode="before")
    @classmethod
    def _preset(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        return {**PRESETS.get(str(values.get("preset")), {}), **values}

    def drawing_options(self) -> set[str]:
        """The names of settings that the user set and that say how sessions are drawn."""
        own = {"facts", "reserve", "leaving"} if self.preset == "standard" else {"preset"}
        return super().drawing_options() | (self.model_fields_set & own)

    def draw(self, seed: int) -> DrawnSessions:
        return DrawnSessions(
            "information",
            seed,
            self.sessions,
            self.players,
            self.turns,
            self.facts,
            reserve=self.reserve,
            leaving=self.leaving,
        )

    def plan(self, sessions: Sessions) -> InformationPlan:
        """What is measured; ConfigError where a session has fewer facts than k."""
        facts = self.facts
        if isinstance(sessions, StoredSessions):
            facts = min(len(session.knowledge) for session in sessions.sessions)
        k = self.key_points or facts
        if k > facts:
            raise ConfigError(
                f"key_points: expected at most as many as there are facts ({facts}), found {k}"
            )
        return InformationPlan(k, self.controls, self.snapshots)


class IntentionSettings(DrawnSettings):
    """Intention expression.

    `prior` is "uniform", a path to a JSON object from skill to weight, or real play (an import or a
    file) for its shares; `none` the share of players who mean to use no skill; the others mean to
    use `per_player` different ones. `marks`: they say in a private field which of their moves shows
    it.
    """

    prior: str = UNIFORM
    none: float = Field(default=0.15, ge=0, le=1)
    per_player: int = Field(default=1, ge=1, le=18)
    marks: bool = False

    def drawing_options(self) -> set[str]:
        """The names of settings that the user set and that say how sessions are drawn."""
        return set(self.model_fields_set) - {"prompts", "marks"}

    def draw(self, seed: int) -> DrawnSessions:
        """ConfigError where the prior cannot be read."""
        assigned = Assigned(read_prior(self.prior), self.none, self.per_player)
        return DrawnSessions(
            "intention", seed, self.sessions, self.players, self.turns, assigned=assigned
        )

    def cautions(self, sessions: int, *, drawn: bool) -> tuple[Sentence, ...]:
        """Why `sociolab gap` will not put agents in order that play so many sessions."""
        why = []
        if sessions < FEWEST_SESSIONS:
            why.append(SAY("plan_few", sessions=Count("session", sessions), fewest=FEWEST_SESSIONS))
        if not self.marks:
            why.append(SAY("plan_marks"))
        if drawn and self.prior == UNIFORM:
            why.append(SAY("plan_prior"))
        return (SAY("plan", why=why),) if why else ()


def load_sessions(
    form: Form, setup: WorldSetup, settings: InformationSettings | IntentionSettings
) -> Sessions:
    """The sessions of the setup's folder or, without one, drawn by the settings and the seed.

    ConfigError where sessions come from a folder and settings say how to draw some.
    """
    if setup.folder is None:
        return settings.draw(setup.seed)
    options = settings.drawing_options()
    if options:
        names = ", ".join(sorted(options))
        raise ConfigError(
            f"the sessions of {setup.folder} are fixed, found settings for drawing others "
            f"({names}); drop these, or --data"
        )
    return read_sessions(setup.folder, form)
