"""How does a model write characters and relationships, and what is true of all that it writes?

SOTOPIA, appendix B.2.1. Scenarios are written in `scenario_writing`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, create_model

from sociolab.core.errors import ConfigError
from sociolab.core.ports import CallKey
from sociolab.core.seeding import stream
from sociolab.core.user_files import writing
from sociolab.plugin.writing import Piece, WriteJob, WrittenTasks, write_all, write_until
from sociolab.report.words import plural
from sociolab.worlds.sotopia.dataset import (
    FILES,
    META,
    read_characters,
    read_relationships,
    read_scenarios,
)
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
Typed = TypeVar("Typed", bound=BaseModel)


class GrowingFile(Generic[R]):
    """A file of a data set that grows by lines; `records` are all that it holds."""

    def __init__(self, path: Path, records: Iterable[R]) -> None:
        self.path = path
        self.records = list(records)
        self._cut = path.exists() and path.read_bytes()[-1:] not in (b"\n", b"")

    def add(self, *records: R) -> None:
        """Keep more, in a data set that is made with the first; ConfigError where nothing can be
        written."""
        folder, text = self.path.parent, "".join(record.line() for record in records)
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            if not (folder / META).exists():
                meta = f'{{"name": "{_slug(folder.resolve().name)}", "version": "1"}}\n'
                (folder / META).write_text(meta, "utf-8")
            with self.path.open("a", encoding="utf-8", newline="\n") as file:
                file.write("\n" * self._cut + text)
        self.records += records
        self._cut = False


class WritingSession:
    """What is written at: the job, its set of prompts, and what the folder holds so far.

    ConfigError where a file of the folder cannot be read.
    """

    def __init__(self, job: WriteJob, settings: WritingSettings) -> None:
        folder = job.folder
        people = _read(folder / FILES[0], lambda: read_characters(folder))
        pairs = _read(folder / FILES[1], lambda: read_relationships(folder, people))
        scenarios = _read(folder / FILES[2], lambda: read_scenarios(folder))
        self.job, self.texts = job, settings.texts
        self.people = GrowingFile(folder / FILES[0], people.values())
        self.pairs = GrowingFile(folder / FILES[1], pairs.values())
        self.scenarios = GrowingFile(folder / FILES[2], scenarios.values())

    async def ask(
        self,
        kind: type[Typed],
        template: str,
        body: str,
        piece: tuple[str, int],
        lacks: Callable[[Typed], Iterable[str]] = lambda _: (),
        **values: object,
    ) -> tuple[Typed, int]:
        """What the model writes by a template of the set, and how many attempts it took.

        `piece` is which one of what is written, and the number of the call for it. ReplyError
        where no reply will do.
        """
        name, number = piece
        key = CallKey(name, "writer", "", 0, template, 1, number)
        head = self.texts[template].render(values)
        return await self.job.author.write(kind, head, body, key, lacks)

    def written(self, attempts: int, inspiration: str = "") -> tuple[Provenance, ...]:
        """That the job's model wrote a record."""
        return (
            Provenance(
                step="written",
                by=(self.job.writer,),
                on=self.job.today.isoformat(),
                prompts=f"{self.texts.name} {self.texts.hash}",
                inspiration=inspiration,
                attempts=attempts,
            ),
        )


Key = TypeVar("Key")


def _read(path: Path, read: Callable[[], dict[Key, R]]) -> dict[Key, R]:
    return read() if path.exists() else {}


class WriterReply(BaseModel):
    """What a model is asked for."""

    model_config = ConfigDict(frozen=True, extra="forbid")


Short = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=40)]
Phrase = Annotated[str, StringConstraints(strip_whitespace=True, max_length=1000)]


def content_words(text: str) -> frozenset[str]:
    """Words that carry content: of more than three letters."""
    return frozenset(word for word in re.findall(r"\w+", text.casefold()) if len(word) > 3)


def find_near_duplicate(text: str, texts: Iterable[str]) -> str:
    """The first other text that is nearly this one; "" if there is none."""
    words = content_words(text)
    for other in texts:
        other_words = content_words(other)
        if words and len(words & other_words) / len(words | other_words) >= NEAR:
            return other
    return ""


def leaked_share(hidden: str, text: str) -> float:
    """The share of the hidden text's content words that stand in another text; 0 for none."""
    words = content_words(hidden)
    return len(words & content_words(text)) / len(words) if words else 0.0


def length_problem(what: str, text: str, bounds: tuple[int, int]) -> str:
    """What is wrong with the number of words; "" if nothing is."""
    words = len(text.split())
    if bounds[0] <= words <= bounds[1]:
        return ""
    return f"{what}: expected {bounds[0]} to {bounds[1]} words, found {words}"


def free_id(text: str, ids: Collection[str]) -> str:
    """An id made of a text, with a number behind it where need be."""
    base = _slug(text)[:40].strip("-")
    numbers = (base if number == 1 else f"{base}-{number}" for number in range(1, len(ids) + 2))
    return next(candidate for candidate in numbers if candidate not in ids)


def _slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-") or "unnamed"


# ------------------------------------------------------------------ characters

_LIST = 10
"""Characters whose attributes are asked for in one call, so that a list can be varied."""

_GENDERS = (("man", "he/him", 20), ("woman", "she/her", 18), ("nonbinary", "they/them", 2))
"""With their pronouns, and how many of the paper's 40 characters are so."""

_AGES = (21, 63)
"""The youngest and the oldest of the paper's."""

_PUBLIC, _SECRET = (8, 60), (5, 40)
"""Words that these may have."""

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
T = TypeVar("T")


def _once(values: tuple[T, ...]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(values))


Few = Annotated[tuple[T, ...], Field(min_length=1, max_length=3), AfterValidator(_once)]


class Attributes(WriterReply):
    """Step one: what a character is, but for the age and gender that were drawn."""

    first_name: Short
    last_name: Short
    occupation: Short
    big_five: BigFive
    moral_values: Few[Moral]
    schwartz_values: Few[Personal]
    decision_style: Style


class Biography(WriterReply):
    """Step two: what others know, and what nobody does."""

    public_info: Phrase
    secret: Phrase


async def write_characters(job: WriteJob) -> WrittenTasks:
    """Characters until the folder has as many as wanted, in two steps (appendix B.2.1).

    Age and gender are drawn, since a model left alone writes few old and few men. A character for
    which the model gives no usable reply is left out. A list is kept once it is done: broken off,
    it is asked for again word for word, so that its replies are found in the store.
    """
    desk = WritingSession(job, job.setup.read("sotopia", WritingSettings))
    records = desk.people.records
    before, target = len(records), job.count or CHARACTERS
    failures, requested, fruitless = list[str](), 0, 0
    while (count := len(records)) < target and requested < 2 * target:
        drawn = _drawn(job.setup.seed, target, records, fruitless)[:_LIST]
        step = partial(_attributes, desk, drawn, (f"characters-{count}", fruitless))
        lists, failed = await write_all("lists", {plural(len(drawn), "character"): step}, job.tell)
        backgrounds = [text for person in records for text in (person.public_info, person.secret)]
        jobs = {
            person.id: partial(_background, desk, person, attempts, backgrounds)
            for people in lists
            for person, attempts in people
        }
        written, left_out = await write_all(
            "characters", jobs, job.tell, before=count, total=target
        )
        if written:
            desk.people.add(*written)
        failures += (*failed, *left_out)
        requested, fruitless = requested + len(drawn), 0 if written else fruitless + 1
    note = f"how they know each other: sociolab write sotopia relationships --to {job.folder} ..."
    return WrittenTasks(len(records) - before, "character", tuple(failures), (note,))


def _drawn(
    seed: int, target: int, people: Sequence[Character], fruitless: int
) -> tuple[tuple[str, str, int], ...]:
    """Gender, pronouns and age of those who are missing: of any 40 as many as of the paper's. Ages
    are others after a list that came to nothing, lest it is asked for again word for word."""
    counts, missing = Counter(person.gender for person in people), []
    for number in range(target):
        deck = [(gender, pronouns) for gender, pronouns, count in _GENDERS for _ in range(count)]
        cycle, place = divmod(number, len(deck))
        stream(seed, "genders", cycle).shuffle(deck)
        gender, pronouns = deck[place]
        if counts[gender]:
            counts[gender] -= 1
        else:
            age = stream(seed, "age", number, fruitless).randint(*_AGES)
            missing.append((gender, pronouns, age))
    return tuple(missing[: target - len(people)])


@cache
def _list_of(count: int) -> type[Any]:
    size = Field(min_length=count, max_length=count)
    return create_model(
        "Characters", __base__=WriterReply, characters=(tuple[Attributes, ...], size)
    )


async def _attributes(
    desk: WritingSession, drawn: Sequence[tuple[str, str, int]], piece: tuple[str, int]
) -> list[tuple[Character, int]]:
    """The list of those drawn, each with the attempts that the list took, less those whose first
    name or occupation somebody has."""
    people = desk.people.records
    names = {person.first_name for person in people}
    jobs = {person.occupation for person in people}
    requests = (f"{i}. {gender}, {age} years" for i, (gender, _, age) in enumerate(drawn, start=1))
    body = (
        f"{plural(len(drawn), 'character')}:\n" + "\n".join(requests) + "\n\n"
        f"First names that are taken: {', '.join(sorted(names)) or 'none'}\n"
        f"Occupations that are taken: {', '.join(sorted(jobs)) or 'none'}"
    )

    reply, attempts = await desk.ask(_list_of(len(drawn)), "write_characters", body, piece)
    characters, ids = [], {person.id for person in people}
    used = {value.casefold() for value in (*names, *jobs)}
    for draft, (gender, pronouns, age) in zip(reply.characters, drawn, strict=True):
        own = {draft.first_name.casefold(), draft.occupation.casefold()}
        if used & own and not desk.job.author.rehearsal:
            continue
        used |= own
        id_ = free_id(f"{draft.first_name} {draft.last_name}", ids)
        ids.add(id_)
        fields = draft.model_dump()
        character = Character(id=id_, gender=gender, pronouns=pronouns, age=age, **fields)
        characters.append((character, attempts))
    return characters


async def _background(
    desk: WritingSession, person: Character, attempts: int, texts: list[str]
) -> Character:
    """The character with what `texts`, to which its own are added, do not tell already."""

    def lacks(reply: Biography) -> Iterator[str]:
        yield length_problem("public_info", reply.public_info, _PUBLIC)
        yield length_problem("secret", reply.secret, _SECRET)
        if leaked_share(reply.secret, reply.public_info) >= NEAR:
            yield "public_info: expected no hint at the secret, found most of its words"
        if find_near_duplicate(reply.public_info, texts) or find_near_duplicate(
            reply.secret, texts
        ):
            yield "expected what no other character has, found nearly the same as another's"

    reply, more = await desk.ask(
        Biography, "write_background", describe_self(person), (person.id, 0), lacks
    )
    texts += (reply.public_info, reply.secret)
    provenance = desk.written(attempts + more)
    return person.model_copy(update={**reply.model_dump(), "provenance": provenance})


# ------------------------------------------------------------------ relationships

Known = Literal["family", "friend", "romantic", "acquaintance"]
_KNOWN: tuple[Known, ...] = ("family", "friend", "romantic", "acquaintance")


class WrittenRelationship(WriterReply):
    """How two characters know each other."""

    type: Known
    tie: Short
    story: Phrase


async def write_relationships(job: WriteJob) -> WrittenTasks:
    """Relationships of sampled pairs, until the folder has as many as wanted, then strangers.

    The types are proposed in turn, so that there are about as many of each, as in the paper. Nobody
    is in two pairs that are asked for at once: whoever is asked about is told all ties so far.
    """
    settings = job.setup.read("sotopia", RelationshipSettings)
    desk = WritingSession(job, settings)
    people, pairs = {person.id: person for person in desk.people.records}, desk.pairs.records
    if len(people) < 2:
        raise ConfigError(
            f"{job.folder}: expected two characters or more, found {len(people)}; write "
            f"some first: sociolab write sotopia characters --to {job.folder} ..."
        )
    free = list(combinations(sorted(people), 2))
    stream(job.setup.seed, "pairs").shuffle(free)
    for row in pairs:
        free.remove((min(row.a, row.b), max(row.a, row.b)))
    before, target = _count(pairs), job.count or RELATIONSHIPS

    def chosen(missing: int) -> dict[str, Piece[None]]:
        batch = _disjoint(free, missing)
        for pair in batch:
            free.remove(pair)
        count = _count(pairs)
        return {
            f"{a} and {b}": partial(
                _relationship, desk, people[a], people[b], _KNOWN[(count + number) % len(_KNOWN)]
            )
            for number, (a, b) in enumerate(batch)
        }

    failures = await write_until("relationships", target, lambda: _count(pairs), chosen, job.tell)
    related, all_ = _count(pairs), len(pairs)
    strangers = round(target / 3) if settings.strangers is None else settings.strangers
    provenance = (Provenance(step="sampled", by=("sociolab",), on=job.today.isoformat()),)
    kind = RelationshipType.STRANGER
    missing = max(0, strangers - (all_ - related))
    sampled = [Relationship(a=a, b=b, type=kind, provenance=provenance) for a, b in free[:missing]]
    notes = list[str]()
    if sampled:
        desk.pairs.add(*sampled)
        notes += [f"{plural(len(sampled), 'pair')} of strangers sampled"]
    if len(sampled) < missing or (related < target and not free):
        notes += [
            f"expected {target} relationships and {plural(strangers, 'pair')} of strangers, there "
            f"are {related} and {len(pairs) - related}; more characters make more pairs"
        ]
    notes += [f"scenarios for them: sociolab write sotopia scenarios --to {job.folder} ..."]
    return WrittenTasks(related - before, "relationship", failures, tuple(notes))


def _count(pairs: Sequence[Relationship]) -> int:
    """Those who are no strangers."""
    return sum(pair.type is not RelationshipType.STRANGER for pair in pairs)


def _disjoint(pairs: Iterable[tuple[str, str]], most: int) -> list[tuple[str, str]]:
    """The first pairs of whom nobody is in two."""
    chosen, people = list[tuple[str, str]](), set[str]()
    for pair in pairs:
        if len(chosen) < most and people.isdisjoint(pair):
            chosen.append(pair)
            people.update(pair)
    return chosen


async def _relationship(desk: WritingSession, a: Character, b: Character, proposed: Known) -> None:
    """Have one written. Secrets are not shown: others are told ties."""
    names = {person.id: person.name for person in desk.people.records}
    ties = [
        f"{names[pair.a]} and {names[pair.b]}: {pair.type}, {pair.tie}"
        for pair in desk.pairs.records
        if {pair.a, pair.b} & {a.id, b.id} and pair.type is not RelationshipType.STRANGER
    ]
    first, second = (describe_self(person.model_copy(update={"secret": ""})) for person in (a, b))
    body = (
        f"The first character:\n{first}\n\nThe second character:\n{second}\n\n"
        "Their ties to others:\n" + ("\n".join(ties) or "none") + f"\n\nProposed type: {proposed}"
    )

    def lacks(reply: WrittenRelationship) -> Iterator[str]:
        if reply.type == "romantic" and min(a.age, b.age) < 18:
            yield f"type: expected no romance, since {a.name} or {b.name} is under age"

    piece = (f"{a.id}.{b.id}", 0)
    reply, attempts = await desk.ask(WrittenRelationship, "write_relationship", body, piece, lacks)
    pair = Relationship(a=a.id, b=b.id, **reply.model_dump(), provenance=desk.written(attempts))
    desk.pairs.add(pair)
