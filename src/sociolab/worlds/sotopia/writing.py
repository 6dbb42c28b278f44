"""Have a model write characters and relationships (SOTOPIA, appendix B.2.1).

`scenario_writing` does the same for scenarios.
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
"""The paper's numbers: the characters of its tasks, and the pairs that it sampled."""

NEAR = 0.6
"""Texts are near-duplicates from this Jaccard similarity of their content words on."""


# ------------------------------------------------------------------ what all writers share

R = TypeVar("R", bound=DataRecord)
Typed = TypeVar("Typed", bound=BaseModel)


class GrowingFile(Generic[R]):
    """A file of a data set to append to; `records` are all that it holds."""

    def __init__(self, path: Path, records: Iterable[R]) -> None:
        self.path = path
        self.records = list(records)
        self._cut = path.exists() and path.read_bytes()[-1:] not in (b"\n", b"")

    def add(self, *records: R) -> None:
        """Append records; the first also creates the data set. ConfigError on failure to write."""
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
    """The job of writing, its prompt set, and what the folder holds so far.

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
        """The model's reply to a template of the set, and how many attempts it took.

        `piece` is the name of what is written, and the number of the call for it. `lacks` yields
        what is wrong with a reply. ReplyError where no reply is acceptable.
        """
        name, number = piece
        key = CallKey(name, "writer", "", 0, template, 1, number)
        head = self.texts[template].render(values)
        return await self.job.author.write(kind, head, body, key, lacks)

    def provenance(self, attempts: int, inspiration: str = "") -> tuple[Provenance, ...]:
        """The provenance of a record that the job's model wrote today."""
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
    """The base of all typed replies of the writer."""

    model_config = ConfigDict(frozen=True, extra="forbid")


Short = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=40)]
Phrase = Annotated[str, StringConstraints(strip_whitespace=True, max_length=1000)]


def content_words(text: str) -> frozenset[str]:
    """The words of more than three letters, in lower case."""
    return frozenset(word for word in re.findall(r"\w+", text.casefold()) if len(word) > 3)


def find_near_duplicate(text: str, texts: Iterable[str]) -> str:
    """The first of the texts that is nearly the same (see `NEAR`); "" if there is none."""
    words = content_words(text)
    for other in texts:
        other_words = content_words(other)
        if words and len(words & other_words) / len(words | other_words) >= NEAR:
            return other
    return ""


def leaked_share(hidden: str, text: str) -> float:
    """The share of the hidden text's content words that occur in `text`, 0 to 1."""
    words = content_words(hidden)
    return len(words & content_words(text)) / len(words) if words else 0.0


def length_problem(what: str, text: str, bounds: tuple[int, int]) -> str:
    """What is wrong with the number of words of a text; "" if it is within the bounds."""
    words = len(text.split())
    if bounds[0] <= words <= bounds[1]:
        return ""
    return f"{what}: expected {bounds[0]} to {bounds[1]} words, found {words}"


def free_id(text: str, ids: Collection[str]) -> str:
    """An id made from a text, with a number appended if it is taken."""
    base = _slug(text)[:40].strip("-")
    numbers = (base if number == 1 else f"{base}-{number}" for number in range(1, len(ids) + 2))
    return next(candidate for candidate in numbers if candidate not in ids)


def _slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-") or "unnamed"


# ------------------------------------------------------------------ characters

_LIST = 10
"""Characters whose attributes one call asks for, so that the model can vary them."""

_GENDERS = (("man", "he/him", 20), ("woman", "she/her", 18), ("nonbinary", "they/them", 2))
"""Genders with their pronouns, and their counts among the paper's 40 characters."""

_AGES = (21, 63)
"""The ages of the paper's youngest and oldest character."""

_PUBLIC, _SECRET = (8, 60), (5, 40)
"""Bounds on the words of public information and of a secret."""

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


def _unique(values: tuple[T, ...]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(values))


Few = Annotated[tuple[T, ...], Field(min_length=1, max_length=3), AfterValidator(_unique)]


class Attributes(WriterReply):
    """Step one: a character's attributes, except for age and gender, which are drawn."""

    first_name: Short
    last_name: Short
    occupation: Short
    big_five: BigFive
    moral_values: Few[Moral]
    schwartz_values: Few[Personal]
    decision_style: Style


class Biography(WriterReply):
    """Step two: what others know of a character, and what nobody does."""

    public_info: Phrase
    secret: Phrase


async def write_characters(job: WriteJob) -> WrittenTasks:
    """Write characters up to the job's count, in two steps (appendix B.2.1).

    Age and gender are drawn, since a model by itself writes few old people and few men. A character
    without a usable reply is left out. A list is stored once it is complete: after an interruption
    it is requested again word for word, so that its replies are found in the store.
    """
    session = WritingSession(job, job.setup.read("sotopia", WritingSettings))
    records = session.people.records
    before, target = len(records), job.count or CHARACTERS
    failures, requested, fruitless = list[str](), 0, 0
    while (count := len(records)) < target and requested < 2 * target:
        drawn = _draw_people(job.setup.seed, target, records, fruitless)[:_LIST]
        step = partial(_write_attributes, session, drawn, (f"characters-{count}", fruitless))
        lists, failed = await write_all("lists", {plural(len(drawn), "character"): step}, job.tell)
        backgrounds = [text for person in records for text in (person.public_info, person.secret)]
        jobs = {
            person.id: partial(_write_background, session, person, attempts, backgrounds)
            for people in lists
            for person, attempts in people
        }
        written, left_out = await write_all(
            "characters", jobs, job.tell, before=count, total=target
        )
        if written:
            session.people.add(*written)
        failures += (*failed, *left_out)
        requested, fruitless = requested + len(drawn), 0 if written else fruitless + 1
    note = f"how they know each other: sociolab write sotopia relationships --to {job.folder} ..."
    return WrittenTasks(len(records) - before, "character", tuple(failures), (note,))


def _draw_people(
    seed: int, target: int, people: Sequence[Character], fruitless: int
) -> tuple[tuple[str, str, int], ...]:
    """Gender, pronouns and age of the missing characters, in the paper's proportions.

    Ages are drawn anew after a fruitless list, since the same request would get the same replies.
    """
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
def _list_type(count: int) -> type[Any]:
    size = Field(min_length=count, max_length=count)
    return create_model(
        "Characters", __base__=WriterReply, characters=(tuple[Attributes, ...], size)
    )


async def _write_attributes(
    session: WritingSession, drawn: Sequence[tuple[str, str, int]], piece: tuple[str, int]
) -> list[tuple[Character, int]]:
    """Characters for those drawn, each with the attempts that the list took; without those whose
    first name or occupation is taken."""
    people = session.people.records
    names = {person.first_name for person in people}
    jobs = {person.occupation for person in people}
    requests = (f"{i}. {gender}, {age} years" for i, (gender, _, age) in enumerate(drawn, start=1))
    body = (
        f"{plural(len(drawn), 'character')}:\n" + "\n".join(requests) + "\n\n"
        f"First names that are taken: {', '.join(sorted(names)) or 'none'}\n"
        f"Occupations that are taken: {', '.join(sorted(jobs)) or 'none'}"
    )

    reply, attempts = await session.ask(_list_type(len(drawn)), "write_characters", body, piece)
    characters, ids = [], {person.id for person in people}
    used = {value.casefold() for value in (*names, *jobs)}
    for draft, (gender, pronouns, age) in zip(reply.characters, drawn, strict=True):
        own = {draft.first_name.casefold(), draft.occupation.casefold()}
        if used & own and not session.job.author.rehearsal:
            continue
        used |= own
        id_ = free_id(f"{draft.first_name} {draft.last_name}", ids)
        ids.add(id_)
        fields = draft.model_dump()
        character = Character(id=id_, gender=gender, pronouns=pronouns, age=age, **fields)
        characters.append((character, attempts))
    return characters


async def _write_background(
    session: WritingSession, person: Character, attempts: int, texts: list[str]
) -> Character:
    """The character with a background unlike any of `texts`, to which its own is added."""

    def lacks(reply: Biography) -> Iterator[str]:
        yield length_problem("public_info", reply.public_info, _PUBLIC)
        yield length_problem("secret", reply.secret, _SECRET)
        if leaked_share(reply.secret, reply.public_info) >= NEAR:
            yield "public_info: expected no hint at the secret, found most of its words"
        if find_near_duplicate(reply.public_info, texts) or find_near_duplicate(
            reply.secret, texts
        ):
            yield "expected what no other character has, found nearly the same as another's"

    reply, more = await session.ask(
        Biography, "write_background", describe_self(person), (person.id, 0), lacks
    )
    texts += (reply.public_info, reply.secret)
    provenance = session.provenance(attempts + more)
    return person.model_copy(update={**reply.model_dump(), "provenance": provenance})


# ------------------------------------------------------------------ relationships

Tie = Literal["family", "friend", "romantic", "acquaintance"]
_TIES: tuple[Tie, ...] = ("family", "friend", "romantic", "acquaintance")


class WrittenRelationship(WriterReply):
    """How two characters know each other."""

    type: Tie
    tie: Short
    story: Phrase


async def write_relationships(job: WriteJob) -> WrittenTasks:
    """Write relationships of sampled pairs up to the job's count, then sample strangers.

    The types are proposed in turn, so that there are about as many of each, as in the paper. Nobody
    is in two pairs that are written at the same time, so that each prompt holds all ties so far.
    """
    settings = job.setup.read("sotopia", RelationshipSettings)
    session = WritingSession(job, settings)
    people, pairs = {person.id: person for person in session.people.records}, session.pairs.records
    if len(people) < 2:
        raise ConfigError(
            f"{job.folder}: expected two characters or more, found {len(people)}; write "
            f"some first: sociolab write sotopia characters --to {job.folder} ..."
        )
    free = list(combinations(sorted(people), 2))
    stream(job.setup.seed, "pairs").shuffle(free)
    for row in pairs:
        free.remove((min(row.a, row.b), max(row.a, row.b)))
    before, target = _count_related(pairs), job.count or RELATIONSHIPS

    def next_batch(missing: int) -> dict[str, Piece[None]]:
        batch = _disjoint_pairs(free, missing)
        for pair in batch:
            free.remove(pair)
        count = _count_related(pairs)
        return {
            f"{a} and {b}": partial(
                _write_relationship,
                session,
                people[a],
                people[b],
                _TIES[(count + number) % len(_TIES)],
            )
            for number, (a, b) in enumerate(batch)
        }

    failures = await write_until(
        "relationships", target, lambda: _count_related(pairs), next_batch, job.tell
    )
    related, all_ = _count_related(pairs), len(pairs)
    strangers = round(target / 3) if settings.strangers is None else settings.strangers
    provenance = (Provenance(step="sampled", by=("sociolab",), on=job.today.isoformat()),)
    kind = RelationshipType.STRANGER
    missing = max(0, strangers - (all_ - related))
    sampled = [Relationship(a=a, b=b, type=kind, provenance=provenance) for a, b in free[:missing]]
    notes = list[str]()
    if sampled:
        session.pairs.add(*sampled)
        notes += [f"{plural(len(sampled), 'pair')} of strangers sampled"]
    if len(sampled) < missing or (related < target and not free):
        notes += [
            f"expected {target} relationships and {plural(strangers, 'pair')} of strangers, there "
            f"are {related} and {len(pairs) - related}; more characters make more pairs"
        ]
    notes += [f"scenarios for them: sociolab write sotopia scenarios --to {job.folder} ..."]
    return WrittenTasks(related - before, "relationship", failures, tuple(notes))


def _count_related(pairs: Sequence[Relationship]) -> int:
    """The number of pairs that are not strangers."""
    return sum(pair.type is not RelationshipType.STRANGER for pair in pairs)


def _disjoint_pairs(pairs: Iterable[tuple[str, str]], most: int) -> list[tuple[str, str]]:
    """The first pairs, at most `most`, of which nobody is in two."""
    chosen, people = list[tuple[str, str]](), set[str]()
    for pair in pairs:
        if len(chosen) < most and people.isdisjoint(pair):
            chosen.append(pair)
            people.update(pair)
    return chosen


async def _write_relationship(
    session: WritingSession, a: Character, b: Character, proposed: Tie
) -> None:
    """Write a relationship. The prompt holds no secrets, since other characters learn of ties."""
    names = {person.id: person.name for person in session.people.records}
    ties = [
        f"{names[pair.a]} and {names[pair.b]}: {pair.type}, {pair.tie}"
        for pair in session.pairs.records
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
    reply, attempts = await session.ask(
        WrittenRelationship, "write_relationship", body, piece, lacks
    )
    provenance = session.provenance(attempts)
    session.pairs.add(Relationship(a=a.id, b=b.id, **reply.model_dump(), provenance=provenance))
