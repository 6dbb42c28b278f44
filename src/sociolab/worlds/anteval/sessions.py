"""Sessions to play: drawn by seed from tables and a grammar, or read from a folder.

Sets of sessions, their settings (`--set NAME=VALUE`), and how the opening situation and the NPC's
knowledge are drawn: atomic facts about what is at stake, with invented names.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any, Literal, Protocol, get_args

from pydantic import ConfigDict, Field, model_validator

from sociolab.core.episode import Action, Answered, CastMember, Ended, Episode, Moved, Task, Trial
from sociolab.core.errors import ConfigError
from sociolab.core.ports import DataId
from sociolab.core.reading import json_records, read_bytes
from sociolab.core.seeding import digest, stream
from sociolab.engine.setup import WorldSetup
from sociolab.worlds.anteval.information.scoring import LEARNED, InformationPlan, Learned
from sociolab.worlds.anteval.intention import UNIFORM, Assigned, read_prior
from sociolab.worlds.anteval.party.drawing import draw_party
from sociolab.worlds.anteval.prompt_sets import AntSettings
from sociolab.worlds.anteval.session import (
    MOST_TURNS,
    PACKAGE,
    Fact,
    FactKind,
    Form,
    PartyMember,
    Session,
)

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

    `facts` is how much the NPC knows, `reticent` whether it keeps some of that back until it gets
    what it wants, `leaving` whether players may leave (information); `assigned` is how skills are
    given to players (intention).
    """

    form: Form
    seed: int
    sessions: int
    players: int
    turns: int
    facts: int = 0
    assigned: Assigned | None = None
    reticent: bool = False
    leaving: bool = False

    @cached_property
    def id(self) -> DataId:
        """The hash covers all that was drawn, so that a change of the tables shows."""
        return DataId("drawn", "2", digest(*(task.content for task in self.tasks)))

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """The sessions as tasks; drawn once, when they are first needed."""
        return tuple(task_of(session) for session in self.all())

    def all(self) -> tuple[Session, ...]:
        """The sessions; another session's knowledge is the decoy of each."""
        facts = [
            draw_knowledge(self.seed, self._name(n), draw_scene(self.seed, n), self.facts)
            for n in range(self.sessions + 1)
        ]
        return tuple(self._session(i, facts[i], facts[i + 1]) for i in range(self.sessions))

    def situation(self, number: int, characters: Sequence[PartyMember]) -> str:
        """What these characters walk into in the session of this number."""
        name = self._name(number)
        return draw_situation(self.seed, name, draw_scene(self.seed, number), characters)

    def _name(self, number: int) -> str:
        return f"{self.form}-{self.seed}-{number:04d}"

    def _session(
        self, number: int, knowledge: tuple[Fact, ...], decoys: tuple[Fact, ...]
    ) -> Session:
        name = self._name(number)
        characters = draw_party(self.seed, name, self.players)
        players = tuple(character.id for character in characters[:-1])
        return Session(
            id=name,
            form=self.form,
            turns=self.turns,
            situation=self.situation(number, characters),
            characters=characters,
            knowledge=knowledge,
            wants=draw_scene(self.seed, number).wants if self.reticent else "",
            kept=kept_back(knowledge) if self.reticent else (),
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
    if unknown := set(session.kept) - {fact.id for fact in session.knowledge}:
        return f"kept: expected ids of facts of the knowledge, found {sorted(unknown)}"
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


MOST_FACTS = 50
"""A scene offers 55 facts: 5 things, each with its part in the scene and 10 attributes."""

HARD: Mapping[str, object] = {"facts": 30, "reticent": True, "leaving": True}
"""What the preset "hard" sets, unless it is given. An NPC that answers each of three players one
question in each of its 7 turns gives away 21 facts at most."""


class InformationSettings(DrawnSettings):
    """Information exchange.

    The NPC knows so many `facts`; the paper's k is `key_points`, the same for all sessions of a
    run (without it as many as there are facts, so that no summary has to choose). `snapshots` N
    asks the players after every N turns what they have learned (0: never); `controls` asks them
    before the first turn, too, and reports all controls. A `reticent` NPC tells nothing unasked,
    and keeps a third back until it gets what it wants; with `leaving` players may leave before the
    last turn. The `preset` "standard" has the paper's sizes, "hard" more facts (30), a reticent NPC
    and leaving; what is given besides overrides it.
    """

    preset: Literal["standard", "hard"] = "standard"
    facts: int = Field(default=10, ge=1, le=MOST_FACTS)
    reticent: bool = False
    leaving: bool = False
    key_points: int | None = Field(default=None, ge=1)
    snapshots: int = Field(default=0, ge=0)
    controls: bool = True

    @model_validator(mode="before")
    @classmethod
    def _preset(cls, values: Any) -> Any:
        hard = isinstance(values, dict) and values.get("preset") == "hard"
        return {**HARD, **values} if hard else values

    def drawing_options(self) -> set[str]:
        """The names of settings that the user set and that say how sessions are drawn."""
        own = {"preset"} if self.preset == "hard" else {"facts", "reticent", "leaving"}
        return super().drawing_options() | (self.model_fields_set & own)

    def draw(self, seed: int) -> DrawnSessions:
        return DrawnSessions(
            "information",
            seed,
            self.sessions,
            self.players,
            self.turns,
            self.facts,
            reticent=self.reticent,
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

    `prior` is "uniform" or a path to a JSON object from skill to weight; `none` the share of
    players who mean to use no skill; the others mean to use `per_player` different ones. `marks`:
    they say in a private field which of their moves shows it.
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


_STANDING = (
    "Their eyes fall on {a}, then on {b}.",
    "First they see {a}, then {b}.",
    "Before them are {a} and {b}.",
    "They make out {a} and, half hidden, {b}.",
    "Close by they find {a} and, a few steps on, {b}.",
    "{A}: that is all they see, until somebody points out {b}.",
)
_ALL = "all"


@dataclass(frozen=True, slots=True)
class _Place:
    group: str
    enter: str
    stands: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SceneAtStake:
    """What is at stake in the places of a group, and what the NPC wants there.

    `things` are by kind of fact: a template of the thing's name, and its part in the matter.
    """

    group: str
    stakes: str
    wants: str
    things: Mapping[str, tuple[str, str]]


def draw_scene(seed: int, number: int) -> SceneAtStake:
    """The scene of the session of this number; none comes again before all have come."""
    rows = _scenes()
    order = stream(seed, "scenes").sample(range(len(rows)), len(rows))
    return rows[order[number % len(rows)]]


def draw_situation(
    seed: int, session: str, scene: SceneAtStake, characters: Sequence[PartyMember]
) -> str:
    """The opening that all players read: 50 to 110 words that name the NPC and no fact."""
    chance = stream(seed, "situation", session)
    place = chance.choice([p for p in _places() if scene.group in (_ALL, p.group)])
    npc = characters[-1]

    def draw_line(table: str) -> str:
        lines = _lines(table)
        return chance.choice((*lines.get(_ALL, ()), *lines[place.group]))

    a, b = chance.sample(place.stands, 2)
    standing = chance.choice(_STANDING).format(a=a, b=b, A=a[:1].upper() + a[1:])
    present = draw_line("presence").format(npc=npc.name, first=npc.first_name)
    sentences = (f"The party {place.enter}.", draw_line("lights"), standing, scene.stakes, present)
    return " ".join(sentences)


@cache
def _scenes() -> tuple[SceneAtStake, ...]:
    return tuple(
        SceneAtStake(
            row["group"],
            row["stakes"],
            row["wants"],
            {kind: (row[kind][0], row[kind][1]) for kind in KINDS},
        )
        for row in _table("situations", "scenes")["scene"]
    )


@cache
def _places() -> tuple[_Place, ...]:
    return tuple(
        _Place(row["group"], row["enter"], tuple(row["stands"]))
        for row in _table("situations", "places")["place"]
    )


@cache
def _lines(table: str) -> dict[str, tuple[str, ...]]:
    return {group: tuple(lines) for group, lines in _table("situations", table).items()}


KINDS: tuple[FactKind, ...] = get_args(FactKind)
NEGATIVE = 1 / 8
"""The share of particulars that say that something is NOT so."""

_PARTS = ("onsets", "first_vowels", "middles", "second_vowels", "endings")
"""What an invented name is put together from: some two million names, in no dictionary."""


@dataclass(frozen=True, slots=True)
class _Attribute:
    values: str
    says: tuple[str, ...]
    denies: tuple[str, ...]


def draw_knowledge(seed: int, session: str, scene: SceneAtStake, count: int) -> tuple[Fact, ...]:
    """So many facts about a scene, ids "F1", "F2", ..., at most `MOST_FACTS`.

    They are about five things, one of each kind, whose names are invented, so that nothing can be
    known beforehand or guessed. First comes what part each has in the matter, which a question
    about the scene leads to; then what else there is to know of it, which has to be asked for. With
    five or more every kind occurs.
    """
    chance = stream(seed, "knowledge", session)
    names = _Names(chance)
    subjects = {
        kind: scene.things[kind][0].format(name=names.new(), other=names.new()) for kind in KINDS
    }
    rounds = [chance.sample(KINDS, len(KINDS)) for _ in range(0, count, len(KINDS))]
    kinds = [kind for kinds_once in rounds for kind in kinds_once][:count]
    unused = {kind: chance.sample(_attributes()[kind], len(_attributes()[kind])) for kind in KINDS}
    facts = []
    for number, kind in enumerate(kinds):
        if number < len(KINDS):
            slots = {"s": subjects[kind], "S": _capital(subjects[kind])}
            facts.append((kind, scene.things[kind][1].format_map(slots)))
        else:
            facts.append((kind, _text(subjects[kind], unused[kind].pop(), chance, names)))
    return tuple(
        Fact(id=f"F{number}", kind=kind, text=text)
        for number, (kind, text) in enumerate(facts, start=1)
    )


def kept_back(knowledge: Sequence[Fact]) -> tuple[str, ...]:
    """The third of the facts that a reticent NPC keeps back: the last, which are particulars."""
    return tuple(fact.id for fact in knowledge[len(knowledge) - len(knowledge) // 3 :])


class _Names:
    """Invented names, each once."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._used: set[str] = set()

    def new(self) -> str:
        tables = _table("knowledge", "names")
        name = ""
        while not name or name in self._used:
            name = "".join(self._chance.choice(tables[part]) for part in _PARTS).capitalize()
        self._used.add(name)
        return name


def _text(subject: str, attribute: _Attribute, chance: Random, names: _Names) -> str:
    value = _value(attribute.values, chance, names)
    wording = chance.choice(attribute.denies if chance.random() < NEGATIVE else attribute.says)
    return wording.format_map(
        {"s": subject, "S": _capital(subject), "v": value, "V": _capital(value)}
    )


def _value(table: str, chance: Random, names: _Names) -> str:
    generators: dict[str, Callable[[], str]] = {
        "name": names.new,
        "place name": lambda: f"{names.new()} {chance.choice(('Bridge', 'Ford', 'Hill', 'Moor'))}",
        "word": lambda: f'"{names.new().casefold()}"',
        "number": lambda: str(chance.randrange(2, 20)),
        "count": lambda: str(chance.randrange(5, 100)),
        "crowns": lambda: (
            f"{chance.randrange(3, 98) * 10} {chance.choice(('silver', 'gold'))} crowns"
        ),
    }
    if table in generators:
        return generators[table]()
    values: Sequence[str] = _table("knowledge", "values")[table]
    return chance.choice(values)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


@cache
def _attributes() -> dict[str, tuple[_Attribute, ...]]:
    kinds = _table("knowledge", "kinds")
    return {
        kind: tuple(
            _Attribute(row["values"], tuple(row["says"]), tuple(row["denies"]))
            for row in kinds[kind]
        )
        for kind in KINDS
    }


@cache
def _table(folder: str, name: str) -> dict[str, Any]:
    file = files(PACKAGE).joinpath("data", folder, f"{name}.toml")
    return tomllib.loads(file.read_text("utf-8"))
