"""How does a model write characters and relationships, and what is true of all that it writes?

SOTOPIA, appendix B.2.1. Scenarios are written in `scenario_writing`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, partial
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, create_model

from sociolab.core.errors import ConfigError
from sociolab.core.ports import CallKey
from sociolab.core.reading import json_records
from sociolab.core.seeding import stream
from sociolab.core.user_files import writing
from sociolab.plugin.writing import Author, WriteJob, WrittenTasks, write_all
from sociolab.prompting.sets import PromptSet
from sociolab.report.words import plural
from sociolab.worlds.sotopia.dataset import FILES, META
from sociolab.worlds.sotopia.kit import RelationshipSettings, WritingSettings
from sociolab.worlds.sotopia.scenarios import (
    BigFive,
    Character,
    DataRecord,
    Provenance,
    Relationship,
    RelationshipType,
)
from sociolab.worlds.sotopia.visibility import describe_self

CHARACTERS, RELATIONSHIPS = 40, 90
"""As many as the paper's: the characters of its tasks, and the pairs that it sampled."""

NEAR = 0.6
"""Share of all words longer than three letters that two texts may have in common (Jaccard)."""


# ------------------------------------------------------------------ what holds for all

R = TypeVar("R", bound=DataRecord)


class Grown(Generic[R]):
    """A file of records that grows by a line with each; `records` are all that it holds."""

    def __init__(self, folder: Path, name: str, kind: type[R]) -> None:
        """ConfigError where a line is no such record."""
        self._path = folder / name
        there = self._path.exists()
        self.records = [one for _, one in json_records(self._path, kind)] if there else []
        self._cut = there and self._path.read_bytes()[-1:] not in (b"\n", b"")

    def add(self, record: R) -> None:
        """Keep one more, of a data set that is made with the first; ConfigError where nothing can
        be written."""
        self.records.append(record)
        folder, text = self._path.parent, "\n" * self._cut + record.line()
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            if not (folder / META).exists():
                meta = f'{{"name": "{_slug(folder.resolve().name)}", "version": "1"}}\n'
                (folder / META).write_text(meta, "utf-8")
            with self._path.open("a", encoding="utf-8", newline="\n") as file:
                file.write(text)
        self._cut = False


def written_by(job: WriteJob, texts: PromptSet, attempts: int, inspiration: str = "") -> Provenance:
    """That the job's model wrote a record."""
    return Provenance(
        step="written",
        by=(job.writer,),
        on=job.today.isoformat(),
        prompts=f"{texts.name} {texts.hash}",
        inspiration=inspiration,
        attempts=attempts,
    )


def call(piece: str, name: str, index: int = 0) -> CallKey:
    """The key of a first call for a piece."""
    return CallKey(piece, "writer", "", 0, name, 1, index)


def content_words(text: str) -> frozenset[str]:
    """Words that carry content: of more than three letters."""
    return frozenset(word for word in re.findall(r"\w+", text.casefold()) if len(word) > 3)


def near_double(text: str, others: Iterable[str]) -> str:
    """The first other text that is nearly this one; "" if there is none."""
    words = content_words(text)
    for other in others:
        theirs = content_words(other)
        if words and len(words & theirs) / len(words | theirs) >= NEAR:
            return other
    return ""


def told_of(hidden: str, text: str) -> float:
    """The share of the hidden text's content words that stand in another text; 0 for none."""
    words = content_words(hidden)
    return len(words & content_words(text)) / len(words) if words else 0.0


def length_problem(what: str, text: str, bounds: tuple[int, int]) -> str:
    """What is wrong with the number of words; "" if nothing is."""
    words = len(text.split())
    if bounds[0] <= words <= bounds[1]:
        return ""
    return f"{what}: expected {bounds[0]} to {bounds[1]} words, found {words}"


def free_id(text: str, taken: Collection[str]) -> str:
    """An id made of a text, with a number behind it where need be."""
    base = _slug(text)[:60].strip("-")
    numbers = (base if number == 1 else f"{base}-{number}" for number in range(1, len(taken) + 2))
    return next(one for one in numbers if one not in taken)


def _slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-") or "unnamed"


# ------------------------------------------------------------------ characters

_BATCH = 10
"""Characters whose attributes are asked for in one call, so that a list can be varied."""

_GENDERS = (("man", "he/him", 20), ("woman", "she/her", 18), ("nonbinary", "they/them", 2))
"""With their pronouns, and how many of the paper's 40 characters are so."""

_AGES = (21, 63)
"""The youngest and the oldest of the paper's."""

_PUBLIC, _SECRET = (8, 60), (5, 40)
"""Words that these may have."""

Short = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=40)]
Moral = Literal["care", "fairness", "loyalty", "authority", "purity"]
Personal = Literal[
    "self-direction",
    "stimulation",
    "hedonism",
    "achievement",
    "power",
    "security",
    "conformity",
    "tradition",
    "benevolence",
    "universalism",
]
Style = Literal["directive", "analytical", "conceptual", "behavioral"]


class WriterReply(BaseModel):
    """What a model is asked for."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Attributes(WriterReply):
    """Step one: what a character is, but for the age and gender that were drawn."""

    first_name: Short
    last_name: Short
    occupation: Short
    big_five: BigFive
    moral_values: tuple[Moral, ...] = Field(min_length=1, max_length=3)
    schwartz_values: tuple[Personal, ...] = Field(min_length=1, max_length=3)
    decision_style: Style


class Biography(WriterReply):
    """Step two: what others know, and what nobody does."""

    public_info: str
    secret: str


async def write_characters(job: WriteJob) -> WrittenTasks:
    """Characters until the folder has as many as wanted, in two steps (appendix B.2.1).

    Age and gender are drawn, since a model left alone writes few old and few men. A character for
    which the model gives no usable reply is left out.
    """
    texts = job.setup.read("sotopia", WritingSettings).texts
    people = Grown(job.folder, FILES[0], Character)
    before, wanted = len(people.records), job.count or CHARACTERS
    failures, asked = list[str](), 0
    while len(people.records) < wanted and asked < 2 * wanted:
        drawn = _drawn(job.setup.seed, wanted, people.records, asked)[:_BATCH]
        key = call(f"characters-{before}", "attributes", asked)
        step = partial(_attributes, job.author, texts, people.records, drawn, key)
        lists, failed = await write_all("lists", {f"{len(drawn)} characters": step}, job.tell)
        failures += failed
        asked += len(drawn)
        for found, attempts in lists:
            jobs = {
                one.name: partial(_background, job, texts, people, one, attempts) for one in found
            }
            failures += (await write_all("characters", jobs, job.tell))[1]
    then = f"how they know each other: sociolab write sotopia relationships --to {job.folder} ..."
    return WrittenTasks(len(people.records) - before, "characters", tuple(failures), (then,))


def _drawn(
    seed: int, wanted: int, people: Sequence[Character], asked: int
) -> tuple[tuple[str, str, int], ...]:
    """Gender, pronouns and age of those who are missing: of any 40 as many as of the paper's. Ages
    are others after so many were asked for, lest what failed is asked again word for word."""
    there, missing = Counter(one.gender for one in people), []
    for number in range(wanted):
        deck = [(gender, pronouns) for gender, pronouns, count in _GENDERS for _ in range(count)]
        cycle, place = divmod(number, len(deck))
        stream(seed, "genders", cycle).shuffle(deck)
        gender, pronouns = deck[place]
        if there[gender]:
            there[gender] -= 1
        else:
            age = stream(seed, "age", number, asked).randint(*_AGES)
            missing.append((gender, pronouns, age))
    return tuple(missing[: wanted - len(people)])


@cache
def _list_of(count: int) -> type[BaseModel]:
    return create_model(
        "Characters",
        __base__=WriterReply,
        characters=(tuple[Attributes, ...], Field(min_length=count, max_length=count)),
    )


async def _attributes(
    author: Author,
    texts: PromptSet,
    people: Sequence[Character],
    drawn: Sequence[tuple[str, str, int]],
    key: CallKey,
) -> tuple[list[Character], int]:
    names = {one.first_name for one in people}
    jobs = {one.occupation for one in people}
    wanted = (f"{i}. {gender}, {age} years" for i, (gender, _, age) in enumerate(drawn, start=1))
    body = (
        f"{plural(len(drawn), 'character')}:\n" + "\n".join(wanted) + "\n\n"
        f"First names that are taken: {', '.join(sorted(names)) or 'none'}\n"
        f"Occupations that are taken: {', '.join(sorted(jobs)) or 'none'}"
    )

    def complaint(reply: Any) -> str:
        firsts, works = [n.casefold() for n in names], [n.casefold() for n in jobs]
        for one in reply.characters:
            for what, value, taken in (
                ("first_name", one.first_name, firsts),
                ("occupation", one.occupation, works),
            ):
                if value.casefold() in taken:
                    return f'{what}: expected one that is not taken, found "{value}"'
                taken.append(value.casefold())
        return ""

    reply: Any
    reply, attempts = await author.write(
        _list_of(len(drawn)), texts["write_characters"].render({}), body,
        key, complaint,
    )  # fmt: skip
    found, ids = list[Character](), {one.id for one in people}
    for one, (gender, pronouns, age) in zip(reply.characters, drawn, strict=True):
        id_ = free_id(f"{one.first_name} {one.last_name}", ids)
        ids.add(id_)
        values = one.model_dump()
        for name in ("moral_values", "schwartz_values"):
            values[name] = tuple(dict.fromkeys(values[name]))
        found.append(Character(id=id_, gender=gender, pronouns=pronouns, age=age, **values))
    return found, attempts


async def _background(
    job: WriteJob, texts: PromptSet, people: Grown[Character], one: Character, attempts: int
) -> None:
    def complaint(reply: Biography) -> str:
        others = [value for c in people.records for value in (c.public_info, c.secret)]
        problems = (
            length_problem("public_info", reply.public_info, _PUBLIC),
            length_problem("secret", reply.secret, _SECRET),
            "public_info: expected no hint at the secret, found most of its words"
            if told_of(reply.secret, reply.public_info) >= NEAR
            else "",
            "expected what no other character has, found nearly the same as another's"
            if near_double(reply.public_info, others) or near_double(reply.secret, others)
            else "",
        )
        return "; ".join(problem for problem in problems if problem)

    reply, more = await job.author.write(
        Biography, texts["write_background"].render({}), describe_self(one),
        call(one.id, "background"), complaint,
    )  # fmt: skip
    made = written_by(job, texts, attempts + more)
    people.add(one.model_copy(update={**reply.model_dump(), "provenance": (made,)}))


# ------------------------------------------------------------------ relationships

Known = Literal["family", "friend", "romantic", "acquaintance"]
_KNOWN: tuple[Known, ...] = ("family", "friend", "romantic", "acquaintance")


class WrittenRelationship(WriterReply):
    """How two characters know each other."""

    type: Known
    tie: Short
    story: Annotated[str, StringConstraints(strip_whitespace=True, max_length=1000)]


async def write_relationships(job: WriteJob) -> WrittenTasks:
    """Relationships of sampled pairs, until the folder has as many as wanted, then strangers.

    The types are proposed in turn, so that there are about as many of each, as in the paper. Nobody
    is in two pairs that are asked for at once: whoever is asked about is told all ties so far.
    """
    settings = job.setup.read("sotopia", RelationshipSettings)
    people = {one.id: one for one in Grown(job.folder, FILES[0], Character).records}
    if len(people) < 2:
        raise ConfigError(
            f"{job.folder}: expected two characters or more, found {len(people)}; write "
            f"some first: sociolab write sotopia characters --to {job.folder} ..."
        )
    pairs = Grown(job.folder, FILES[1], Relationship)
    before, wanted = len(pairs.records), job.count or RELATIONSHIPS
    rows = {frozenset((one.a, one.b)) for one in pairs.records}
    free = [pair for pair in combinations(sorted(people), 2) if frozenset(pair) not in rows]
    stream(job.setup.seed, "pairs").shuffle(free)
    failures, asked = list[str](), 0
    while (known := _count(pairs.records)) < wanted and free and asked < 2 * wanted:
        chosen = _disjoint(free, wanted - known)
        free = [pair for pair in free if pair not in chosen]
        jobs = {
            f"{a} and {b}": partial(
                _relationship, job, settings.texts, pairs, people[a], people[b],
                _KNOWN[(known + index) % len(_KNOWN)], people,
            )
            for index, (a, b) in enumerate(chosen)
        }  # fmt: skip
        failures += (await write_all("relationships", jobs, job.tell))[1]
        asked += len(chosen)
    strangers = round(wanted / 3) if settings.strangers is None else settings.strangers
    missing = max(0, strangers - len(pairs.records) + _count(pairs.records))
    made = Provenance(step="sampled", by=("sociolab",), on=job.today.isoformat())
    for a, b in free[:missing]:
        kind = RelationshipType.STRANGER
        pairs.add(Relationship(a=a, b=b, type=kind, provenance=(made,)))
    then = f"scenarios for them: sociolab write sotopia scenarios --to {job.folder} ..."
    count = len(pairs.records) - before
    return WrittenTasks(count, "relationships", tuple(failures), (then,))


def _count(pairs: Sequence[Relationship]) -> int:
    """Those who are no strangers."""
    return sum(one.type is not RelationshipType.STRANGER for one in pairs)


def _disjoint(pairs: Iterable[tuple[str, str]], most: int) -> list[tuple[str, str]]:
    """The first pairs of whom nobody is in two."""
    found, seen = list[tuple[str, str]](), set[str]()
    for pair in pairs:
        if len(found) < most and seen.isdisjoint(pair):
            found.append(pair)
            seen.update(pair)
    return found


async def _relationship(
    job: WriteJob,
    texts: PromptSet,
    pairs: Grown[Relationship],
    a: Character,
    b: Character,
    proposed: str,
    people: Mapping[str, Character],
) -> None:
    ties = [
        f"{people[one.a].name} and {people[one.b].name}: {one.type}, {one.tie}"
        for one in pairs.records
        if {one.a, one.b} & {a.id, b.id} and one.type is not RelationshipType.STRANGER
    ]
    body = (
        f"The first character:\n{describe_self(a)}\n\nThe second character:\n{describe_self(b)}\n\n"
        "Their ties to others:\n" + ("\n".join(ties) or "none") + f"\n\nProposed type: {proposed}"
    )

    def complaint(reply: WrittenRelationship) -> str:
        if reply.type == "romantic" and min(a.age, b.age) < 18:
            return f"type: expected no romance, since {a.name} or {b.name} is under age"
        return ""

    reply, attempts = await job.author.write(
        WrittenRelationship, texts["write_relationship"].render({}), body,
        call(f"{a.id}.{b.id}", "relationship"), complaint,
    )  # fmt: skip
    made = written_by(job, texts, attempts)
    pairs.add(
        Relationship(
            a=a.id,
            b=b.id,
            type=RelationshipType(reply.type),
            tie=reply.tie,
            story=reply.story,
            provenance=(made,),
        )
    )
