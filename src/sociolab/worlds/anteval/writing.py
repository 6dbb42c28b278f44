"""Write sessions with a model: it invents people and knowledge; the folder can be played."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

from sociolab.core.errors import ConfigError
from sociolab.core.ports import CallKey
from sociolab.core.seeding import stream
from sociolab.judging.quoting import flat
from sociolab.plugin.writing import Author, write_all
from sociolab.prompting.sets import PromptSet
from sociolab.worlds.anteval.party.tables import PRONOUNS
from sociolab.worlds.anteval.scenes import draw_reserves
from sociolab.worlds.anteval.session import Fact, FactKind, PartyMember, Reserve, Session
from sociolab.worlds.anteval.sessions import FILE, DrawnSessions


@dataclass(frozen=True, slots=True)
class WrittenSessions:
    """The sessions that were written, and a sentence for each one that could not be."""

    sessions: tuple[Session, ...]
    failures: tuple[str, ...]


async def write_sessions(
    author: Author,
    texts: PromptSet,
    folder: Path,
    drawn: DrawnSessions,
    tell: Callable[[str], None],
) -> WrittenSessions:
    """Draw sessions, have a model write their characters and knowledge, and store them.

    Traits, situation and intentions stay as drawn. A session's decoys are the knowledge of the next
    one; the last one takes the first one's. There is one call per character and, in sessions about
    information, one for the knowledge. A session for which the model gives no usable reply is left
    out. The folder is written when all are done; `tell` reports progress. ConfigError where it
    holds sessions already; a fatal ModelError passes through.
    """
    path = folder / FILE
    if path.exists():
        raise ConfigError(f"{path} exists already: name another folder, or remove the file first")
    jobs = {
        session.id: partial(_write_session, author, texts, session, number, drawn)
        for number, session in enumerate(drawn.all())
    }
    written, failures = await write_all("sessions", jobs, tell)
    sessions = _with_decoys(written) if drawn.facts else written
    if sessions:
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = (f"{session.model_dump_json()}\n" for session in sessions)
        path.write_text("".join(lines), encoding="utf-8")
    return WrittenSessions(sessions, failures)


async def _write_session(
    author: Author, texts: PromptSet, session: Session, number: int, drawn: DrawnSessions
) -> Session:
    characters: list[PartyMember] = []
    for character in session.characters:
        used_names = [member.name for member in characters]
        key = CallKey(session.id, "writer", character.id, 0, "character", 1)
        characters.append(await write_character(author, texts, character, key, used_names))
    situation = drawn.situation(number, characters)
    knowledge: tuple[Fact, ...] = ()
    if drawn.facts:
        key = CallKey(session.id, "writer", "", 0, "knowledge", 1)
        npc = characters[-1].name
        reserves = draw_reserves(drawn.facts, stream(drawn.seed, "reserve", session.id))
        knowledge = await write_knowledge(
            author, texts, situation, npc, drawn.facts, key, reserves if drawn.reserve else ()
        )
    changed = {
        "characters": tuple(characters),
        "situation": situation,
        "knowledge": knowledge,
        "mystery": None,  # the question stays, but the facts are no longer those that answer it
    }
    return Session.model_validate({**dict(session), **changed})


def _with_decoys(sessions: Sequence[Session]) -> tuple[Session, ...]:
    """Each session with the knowledge of the next; a single one keeps what was drawn."""
    if len(sessions) < 2:
        return tuple(sessions)
    following = (*sessions[1:], sessions[0])
    return tuple(
        session.model_copy(update={"decoys": following_session.knowledge})
        for session, following_session in zip(sessions, following, strict=True)
    )


SHORTEST, LONGEST = 40, 250
"""Words that a description may have."""

_REQUESTED = (90, 180)
"""Words requested of the model: as many as a description by the grammar has."""

_LONGEST_NAME = 60
_LONGEST_LOOK = 60
"""Characters of a name, words of a look: it enters the prompts of all the others."""


class Writing(BaseModel):
    """A character as the model writes it."""

    model_config = ConfigDict(frozen=True)

    name: str
    look: str
    description: str


async def write_character(
    author: Author, texts: PromptSet, drawn: PartyMember, key: CallKey, used_names: Sequence[str]
) -> PartyMember:
    """The character with a name, look and description by the model; its traits stay as drawn.

    `used_names` are names, or first names, that others at the table have. An unusable reply
    is sent back with the problem, twice at most; then ReplyError says what the last one lacks.
    ModelError passes through: a call failed for good.
    """
    head = texts["write_character"].render({"shortest": _REQUESTED[0], "longest": _REQUESTED[1]})
    check = _Check(drawn, frozenset(_first(name) for name in used_names if name.strip()))
    writing, _ = await author.write(Writing, head, _sheet(drawn, used_names), key, check.problems)
    if author.rehearsal:  # made-up names may coincide
        return drawn
    written = {
        "name": flat(writing.name),
        "look": flat(writing.look),
        "description": writing.description.strip(),
    }
    return drawn.model_copy(update=written)


def _sheet(drawn: PartyMember, used_names: Sequence[str]) -> str:
    """The traits as the model reads them, a line each; the drawn name is not among them."""
    abilities = ", ".join(f"{ability} {score}" for ability, score in drawn.abilities.items())
    lines = (
        ("race", drawn.race),
        ("class", drawn.class_name),
        ("background", drawn.background),
        ("alignment", drawn.alignment),
        ("pronouns", drawn.pronouns),
        ("level", f"{drawn.level}, with {drawn.hit_points} hit points"),
        ("spells", ", ".join(drawn.spells) or "none"),
        ("abilities, of which 10 is a common person's", abilities),
        ("personality", " ".join(drawn.personality)),
        ("ideal", drawn.ideal),
        ("bond", drawn.bond),
        ("flaw", drawn.flaw),
        ("goal", drawn.goal),
        ("first names that are taken", ", ".join(map(_first_word, used_names)) or "none"),
    )
    return "\n".join(f"{what}: {value}" for what, value in lines)


@dataclass(frozen=True, slots=True)
class _Check:
    """Checks the text about a character: one clause a problem, empty where there is none."""

    drawn: PartyMember
    used_names: frozenset[str]

    def problems(self, writing: Writing) -> tuple[str, ...]:
        return (
            self._name(flat(writing.name)),
            self._look(writing.look),
            self._length(writing.description),
            self._missing(writing.description),
        )

    def _name(self, name: str) -> str:
        if not name:
            return "name: expected a name, found none"
        if len(name) > _LONGEST_NAME:
            return f"name: expected at most {_LONGEST_NAME} characters, found {len(name)}"
        if _first(name) in self.used_names:
            return f'name: expected a first name that is not taken, found "{_first_word(name)}"'
        return ""

    def _look(self, look: str) -> str:
        words = len(look.split())
        if not 0 < words <= _LONGEST_LOOK:
            return f"look: expected one sentence of at most {_LONGEST_LOOK} words, found {words}"
        return ""

    def _length(self, description: str) -> str:
        words = len(description.split())
        if SHORTEST <= words <= LONGEST:
            return ""
        return f"description: expected {SHORTEST} to {LONGEST} words, found {words}"

    def _missing(self, description: str) -> str:
        words = set(_split_words(description))
        text = " ".join(_split_words(description))
        required = [self.drawn.race, self.drawn.class_name]
        missing = [f'"{word}"' for word in required if " ".join(_split_words(word)) not in text]
        if words.isdisjoint(_pronouns(self.drawn.pronouns)):
            missing.append(f"the pronouns {self.drawn.pronouns}")
        return f"description: expected it to have {' and '.join(missing)}" if missing else ""


def _pronouns(label: str) -> set[str]:
    """All forms of these pronouns; of unknown ones the words of the label."""
    for pronouns in PRONOUNS:
        if pronouns.label == label:
            return set(pronouns.forms.values())
    return set(_split_words(label))


def _split_words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _first_word(name: str) -> str:
    return (name.split() or [""])[0]


def _first(name: str) -> str:
    return _first_word(name).casefold()


Line = Annotated[str, StringConstraints(strip_whitespace=True)]


class WrittenFact(BaseModel):
    """A fact as a model writes it; its id is ours, and `subject` shows that its text names it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: FactKind
    subject: Line
    text: Line


class WrittenKnowledge(BaseModel):
    """The model's reply; the facts may come in any order."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    facts: tuple[WrittenFact, ...]


class FactAndFalsehood(WrittenFact):
    """The same of an NPC with a reserve, and what it could say instead."""

    falsehood: Line


class WrittenReserve(BaseModel):
    """The model's reply where the NPC has a reserve."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    facts: tuple[FactAndFalsehood, ...]


async def write_knowledge(
    author: Author,
    texts: PromptSet,
    situation: str,
    npc: str,
    count: int,
    key: CallKey,
    reserves: Sequence[Reserve] = (),
) -> tuple[Fact, ...]:
    """`count` facts that suit a situation and that `npc` knows, ids "F1", "F2", ...

    With `reserves`, one for each, the model makes up falsehoods, too. An unusable reply is sent
    back with the problem. ReplyError if the last one is still unusable; ModelError passes through.
    """
    words = {"situation": situation, "npc": npc, "count": count, "reserve": bool(reserves)}
    body = texts["write_knowledge"].render(words)
    head = "You write the hidden knowledge of a role-playing session."
    kind: type[WrittenKnowledge | WrittenReserve] = WrittenReserve if reserves else WrittenKnowledge
    written, _ = await author.write(
        kind, head, body, key, lambda reply: _find_problems(reply.facts, count)
    )
    told = zip(written.facts, chain(reserves, repeat("any question")), strict=False)
    return tuple(
        Fact(
            id=f"F{number}",
            kind=fact.kind,
            text=fact.text,
            names=(fact.subject,),
            reserve=reserve,
            falsehood=getattr(fact, "falsehood", "") if reserve == "falsely" else "",
        )
        for number, (fact, reserve) in enumerate(told, start=1)
    )


def _find_problems(facts: Sequence[WrittenFact], count: int) -> Iterator[str]:
    if len(facts) != count:
        yield f"expected {count} facts, found {len(facts)}"
    subjects: set[str] = set()
    for number, fact in enumerate(facts, start=1):
        if not fact.subject or not fact.text:
            yield f"fact {number}: expected a subject and a text, found an empty one"
        if fact.subject.casefold() not in fact.text.casefold():
            yield f'fact {number}: expected a text that names its subject, "{fact.subject}"'
        if fact.subject.casefold() in subjects:
            yield f'fact {number}: expected a subject of its own, found "{fact.subject}" again'
        subjects.add(fact.subject.casefold())
        if isinstance(fact, FactAndFalsehood) and fact.falsehood in ("", fact.text):
            yield f"fact {number}: expected a falsehood beside the text, found none"
