"""Have a model write scenarios, from inspirational prompts or from templates (SOTOPIA, appendix
B.2). Each draft of the first kind is checked by the guideline of appendix D.2, as in a study of
reviews.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, create_model

from sociolab.core.errors import ConfigError, ReplyError
from sociolab.core.reading import read_text
from sociolab.core.seeding import digest, interleave, stream
from sociolab.plugin.writing import Piece, WriteJob, WrittenTasks, write_until
from sociolab.prompting.structured import ATTEMPTS
from sociolab.worlds.sotopia.build import TemplateSpec, bargains, castable_pairs, friend_searches
from sociolab.worlds.sotopia.dataset import DataSet, load
from sociolab.worlds.sotopia.kit import ScenarioSettings
from sociolab.worlds.sotopia.scenarios import (
    Family,
    Goal,
    RelationshipType,
    Scenario,
    Stance,
)
from sociolab.worlds.sotopia.scene import PACKAGE
from sociolab.worlds.sotopia.writing import (
    NEAR,
    Phrase,
    WriterReply,
    WritingSession,
    find_near_duplicate,
    free_id,
    leaked_share,
    length_problem,
)

SCENARIOS = {"vignettes": 60, "templates": 30}
"""The paper's numbers of scenarios, by method."""

CONTEXT, GOAL = (15, 90), (5, 80)
"""Bounds on the words of a context and a goal; goals from templates are as long as their facts."""

SOURCES: dict[str, tuple[int, Family]] = {
    "social_chem": (2, "norms"),
    "social_iqa": (2, "feelings"),
    "deal-or-no-deal": (1, "division"),
    "normbank": (1, "place"),
}
"""The relative share of each data set (20, 20, 10 and 10 of 60 in the paper), and the family of its
scenarios."""


async def write_scenarios(job: WriteJob) -> WrittenTasks:
    """Write scenarios by one method up to the job's count.

    A folder without characters and relationships gets those of the package. ConfigError where there
    are too few pairs to cast.
    """
    settings = job.setup.read("sotopia", ScenarioSettings)
    session = ScenarioSession(job, settings)
    by_template = settings.method == "templates"
    prompts = () if by_template else _load_inspirations(settings, job.setup.seed)
    notes = session.copy_cast_from_package()
    if len(session.pairs.records) < settings.pairs:
        raise ConfigError(
            f"{session.pairs.path}: expected at least {settings.pairs} pairs of characters to cast,"
            f" found {len(session.pairs.records)}; write them first: sociolab write sotopia "
            f"relationships --to {job.folder} ..., or set pairs=N"
        )
    pieces = (
        _from_templates(session)
        if by_template
        else {f"{p.source}:{p.id}": partial(_write_vignette, session, p) for p in prompts}
    )
    target = job.count or SCENARIOS[settings.method]

    def used() -> set[str]:
        names = (step.inspiration for row in session.scenarios.records for step in row.provenance)
        return pieces.keys() & names

    before = used()
    unused = [name for name in pieces if name not in before]

    def next_batch(missing: int) -> dict[str, Piece[None]]:
        return {name: pieces[name] for name in (unused.pop(0) for _ in unused[:missing])}

    failures = await write_until("scenarios", target, lambda: len(used()), next_batch, job.tell)
    if (have := len(used())) < target and not unused:
        what = "templates" if by_template else "inspirational prompts"
        notes += [f"all {len(pieces)} {what} are used: {have} of {target} scenarios are there"]
    notes += [f"cast them: sociolab data cast {job.folder}"]
    return WrittenTasks(have - len(before), "scenario", failures, tuple(notes))


class ScenarioSession(WritingSession):
    """A `WritingSession` for scenarios, with checks of drafts against what the folder holds."""

    def __init__(self, job: WriteJob, settings: ScenarioSettings) -> None:
        super().__init__(job, settings)
        self.settings = settings

    def copy_cast_from_package(self) -> list[str]:
        """Copy the package's characters to a folder that has none; a note if that was done."""
        if self.people.records or self.pairs.records:
            return []
        self.pairs.add(*_own_data().relationships.values())
        self.people.add(*_own_data().characters.values())
        return [
            f"{self.job.folder} had no characters: those that come with sociolab were copied there"
        ]

    def duplicate_problem(self, context: str, examples: Iterable[str] = ()) -> str:
        """What is wrong if a context is nearly that of a scenario or an example, else ""."""
        existing = [*(row.context for row in self.scenarios.records), *examples]
        near = find_near_duplicate(context, existing)
        problem = f'context: expected a new one, found nearly that of "{near[:60]}..."'
        return problem if near else ""

    def casting_problem(self, scenario: Scenario) -> str:
        """What is wrong if too few pairs can be cast, else ""."""
        people = {person.id: person for person in self.people.records}
        pairs = castable_pairs(scenario, people, self.pairs.records)
        count = len({frozenset(pair) for pair in pairs})
        if count >= self.settings.pairs:
            return ""
        return (
            f"relationships and limits: expected at least {self.settings.pairs} pairs of "
            f"characters that fit, found {count}; widen them"
        )

    def name_problem(self, *texts: str) -> str:
        """What is wrong if the texts name somebody who may be cast, else ""."""
        names = {name for c in self.people.records for name in (c.first_name, c.last_name)}
        words = {word for text in texts for word in re.findall(r"[^\W\d_]+", text)}
        matches = sorted(names & words)
        return f'expected no names, found "{matches[0]}"' if matches else ""

    def add(self, scenario: Scenario, attempts: int, inspiration: str) -> None:
        """Add a scenario; ReplyError if a near-duplicate has been added in the meantime."""
        problem = self.duplicate_problem(scenario.context)
        if problem and not self.job.author.rehearsal:
            raise ReplyError(problem, raw="")
        key = free_id(scenario.id, {row.id for row in self.scenarios.records})
        provenance = self.provenance(attempts, inspiration)
        self.scenarios.add(scenario.model_copy(update={"id": key, "provenance": provenance}))


@cache
def _own_data() -> DataSet:
    with as_file(files(PACKAGE) / "data") as folder:
        return load(folder)


# ------------------------------------------------------------------ the first method: vignettes


@dataclass(frozen=True, slots=True)
class Inspiration:
    """An inspirational prompt from a data set."""

    id: str
    source: str
    text: str


def read_inspirations(text: str, place: str) -> tuple[Inspiration, ...]:
    """Parse a table with a header, a column `prompt` and, optionally, `source` and an id `pk`.

    Columns are separated by "|", as in SOTOPIA's public file, or by commas. A repeated prompt
    counts once. ConfigError where there is no such column, or nothing in it.
    """
    header = text.partition("\n")[0]
    rows = csv.DictReader(io.StringIO(text), delimiter="|" if "|" in header else ",")
    if "prompt" not in (rows.fieldnames or ()):
        raise ConfigError(
            f'{place}: expected a table with a column "prompt" (and source, pk), found the header '
            f'"{header[:80]}"'
        )
    prompts: dict[str, Inspiration] = {}
    for row in rows:
        prompt, source = (row["prompt"] or "").strip(), (row.get("source") or "").strip()
        source = "" if source == "nan" else source
        if prompt:
            key = row.get("pk") or digest(prompt)
            prompts.setdefault(prompt.casefold(), Inspiration(key, source or "other", prompt))
    if not prompts:
        raise ConfigError(f"{place}: expected inspirational prompts, found none")
    return tuple(prompts.values())


def mix_sources(prompts: Sequence[Inspiration], seed: int) -> tuple[Inspiration, ...]:
    """The prompts in an order of which every prefix has the shares of `SOURCES`.

    Within a source the order is random; one that is not in `SOURCES` has a share of 1.
    """
    order = list(prompts)
    stream(seed, "inspirations").shuffle(order)
    return interleave(order, lambda p: p.source, lambda source: SOURCES.get(source, (1, ""))[0])


def _load_inspirations(settings: ScenarioSettings, seed: int) -> tuple[Inspiration, ...]:
    path = settings.inspire
    if path:
        text = read_text(Path(path).expanduser())
    else:
        path = "seeds.csv"
        text = files(PACKAGE).joinpath("data", path).read_text("utf-8")
    return mix_sources(read_inspirations(text, path), seed)


class SeatDraft(WriterReply):
    """The goal of one seat, and which part of it is private."""

    goal: Phrase
    private: Phrase


class GuidelineCheck(WriterReply):
    """The result of a check by the guideline of D.2."""

    reason: Phrase
    holds: bool


@cache
def _draft_type(jobs: tuple[str, ...], ties: tuple[str, ...]) -> Any:
    """The type of a draft; its limits can name only existing occupations and ties."""
    # Any: Literal types whose values are known only at run time.
    job: Any = Literal[jobs] if jobs else str
    tie: Any = Literal[ties] if ties else str
    kind: Any = Literal[tuple(t.value for t in RelationshipType if t != "known-by-name")]
    age = (int, Field(ge=0, le=130))
    seat: Any = create_model(
        "SeatLimits",
        __base__=WriterReply,
        youngest=age,
        oldest=age,
        only_occupations=(tuple[job, ...], ...),
        excluded_occupations=(tuple[job, ...], ...),
    )
    limits: Any = create_model(
        "Limits",
        __base__=WriterReply,
        ties=(tuple[tie, ...], ...),
        one=(seat, ...),
        other=(seat, ...),
    )
    return create_model(
        "WrittenScenario",
        __base__=WriterReply,
        context=(Phrase, ...),
        one=(SeatDraft, ...),
        other=(SeatDraft, ...),
        relationships=(tuple[kind, ...], Field(min_length=1)),
        stance=(Stance, ...),
        limits=(limits | None, ...),
    )


async def _write_vignette(session: ScenarioSession, prompt: Inspiration) -> None:
    """Draft, check by D.2, and draft again with the reason, until the check passes."""
    name, family = f"{prompt.source}:{prompt.id}", SOURCES.get(prompt.source, (1, "other"))[1]
    counts = Counter(pair.tie for pair in session.pairs.records if pair.tie)
    jobs = {person.occupation for person in session.people.records}
    kind = _draft_type(tuple(sorted(jobs)), tuple(sorted(counts)))
    ties = ", ".join(f"{tie} {count}" for tie, count in sorted(counts.items())) or "none"
    examples = _choose_examples(session, family, name)
    example_texts = (
        f"Example {number}\ncontext: {example.context}\n"
        + "\n".join(f"goal: {goal.text}" for goal in example.goals)
        for number, example in enumerate(examples, start=1)
    )
    request = "\n\n".join((*example_texts, f"Inspirational prompt: {prompt.text}"))

    def lacks(draft: Any) -> Iterator[str]:
        seats = (draft.one, draft.other)
        yield length_problem("context", draft.context, CONTEXT)
        yield from (length_problem("goal", seat.goal, GOAL) for seat in seats)
        yield session.name_problem(draft.context, *(seat.goal for seat in seats))
        yield from (_leak_problem(seat, draft.context) for seat in seats)
        yield session.duplicate_problem(draft.context, [example.context for example in examples])
        yield session.casting_problem(_build_scenario(draft, family))

    body, attempts, settings = request, 0, {"pairs": session.settings.pairs, "ties": ties}
    for round_ in range(ATTEMPTS):
        draft, more = await session.ask(
            kind, "write_scenario", body, (name, round_), lacks, **settings
        )
        attempts, scenario = attempts + more, _build_scenario(draft, family)
        text = _format_for_review(scenario)
        review, _ = await session.ask(GuidelineCheck, "review_scenario", text, (name, round_))
        if review.holds or session.job.author.rehearsal:
            session.add(scenario, attempts, name)
            return
        body = (
            f"{request}\n\nA draft of yours was returned:\n{text}\n\n"
            f"The reason: {review.reason}\nWrite the scenario anew."
        )
    raise ReplyError(f"no draft passed the check of appendix D.2 ({review.reason})", raw="")


def _choose_examples(session: ScenarioSession, family: str, name: str) -> Sequence[Scenario]:
    """Two of the package's scenarios, of this family if it has any; the same for the same name."""
    authored = [s for s in _own_data().scenarios.values() if s.family not in _TEMPLATED]
    alike = [s for s in authored if s.family == family] or authored
    return stream(session.job.setup.seed, "examples", name).sample(alike, 2)


_TEMPLATED = ("bargain", "mutual-friend")


def _numbers(text: str) -> set[str]:
    return {number.replace(",", "") for number in re.findall(r"\d+(?:[.,]\d+)*", text)}


def _leak_problem(seat: SeatDraft, context: str) -> str:
    """What is wrong if the context reveals what a goal keeps private, else ""."""
    numbers = sorted(_numbers(seat.private) & _numbers(context))
    if numbers:
        return f"context: expected nothing private, found {numbers[0]}, which a goal keeps private"
    if leaked_share(seat.private, context) >= NEAR or leaked_share(seat.goal, context) >= NEAR:
        return "context: expected nothing private, found most of the words of a goal"
    return ""


def _build_scenario(draft: Any, family: Family) -> Scenario:
    """The draft as a record; constraints that it does not set are declared not to matter."""
    limits = draft.limits
    seats = () if limits is None else (limits.one, limits.other)
    ages = tuple((seat.youngest, seat.oldest) for seat in seats)
    only = tuple(seat.only_occupations for seat in seats)
    excluded = tuple(seat.excluded_occupations for seat in seats)
    scenario = Scenario(
        id=free_id(f"{family} {' '.join(draft.context.split()[:4])}", ()),
        family=family,
        stance=draft.stance,
        context=draft.context or "-",
        goals=tuple(Goal(text=seat.goal or "-") for seat in (draft.one, draft.other)),
        relationships=tuple(dict.fromkeys(RelationshipType(r) for r in draft.relationships)),
        ties=tuple(dict.fromkeys(limits.ties)) if limits else (),
        ages=ages if any(pair != (0, 130) for pair in ages) else (),
        occupations=only if any(only) else (),
        excluded_occupations=excluded if any(excluded) else (),
        tags=("written",),
    )
    return scenario.model_copy(update={"unconstrained": scenario.undeclared})


def _format_for_review(scenario: Scenario) -> str:
    """A scenario with its constraints, for a reviewer."""
    limits = {
        "relationships": ", ".join(scenario.relationships),
        "ties": ", ".join(scenario.ties) or "open",
        "ages": _by_seat(f"{low} to {high}" for low, high in scenario.ages),
        "occupations": _by_seat(", ".join(jobs) or "any" for jobs in scenario.occupations),
        "excluded": _by_seat(", ".join(jobs) or "none" for jobs in scenario.excluded_occupations),
    }
    goals = zip((f"goal of {who}" for who in _SEATS), (g.text for g in scenario.goals), strict=True)
    lines = (("context", scenario.context), *goals, *limits.items())
    return "\n".join(f"{name}: {text}" for name, text in lines)


_SEATS = ("the one", "the other")


def _by_seat(texts: Iterable[str]) -> str:
    return "; ".join(f"{who}: {text}" for who, text in zip(_SEATS, texts, strict=False)) or "open"


# ------------------------------------------------------------------ the second method: templates


class Rewritten(WriterReply):
    """The three texts of a template, reworded."""

    context: Phrase
    goal_1: Annotated[str, StringConstraints(strip_whitespace=True, max_length=4000)]
    goal_2: Annotated[str, StringConstraints(strip_whitespace=True, max_length=4000)]


def _from_templates(session: ScenarioSession) -> dict[str, Piece[None]]:
    """The templates for which there are enough pairs; ConfigError without any."""
    source = files(PACKAGE).joinpath("data", "templates.json").read_text("utf-8")
    spec = TemplateSpec.model_validate_json(source)
    seed = session.job.setup.seed
    drawn = (*bargains(spec.bargains, seed), *friend_searches(spec.friend_searches, seed))
    usable = [scenario for scenario in drawn if not (problem := session.casting_problem(scenario))]
    if not usable:
        raise ConfigError(f"{session.pairs.path}: no template can be cast ({problem})")
    return {
        f"template:{scenario.id}": partial(_template, session, scenario)
        for scenario in interleave(usable, lambda s: s.family)
    }


async def _template(session: ScenarioSession, base: Scenario) -> None:
    """Have the model reword a template's texts, with all numbers, names and facts in place."""
    before = Rewritten(context=base.context, goal_1=base.goals[0].text, goal_2=base.goals[1].text)
    body = f"As it stands:\n```json\n{before.model_dump_json(indent=1)}\n```"

    def lacks(after: Rewritten) -> Iterator[str]:
        for name in Rewritten.model_fields:
            yield _number_problem(name, getattr(before, name), getattr(after, name))
        for name, goal in zip(("goal_1", "goal_2"), base.goals, strict=True):
            yield _fact_problem(name, goal, getattr(after, name))
        yield session.name_problem(after.context)
        yield session.duplicate_problem(after.context)

    after, attempts = await session.ask(Rewritten, "write_template", body, (base.id, 0), lacks)
    goals = tuple(
        goal.model_copy(update={"text": text})
        for goal, text in zip(base.goals, (after.goal_1, after.goal_2), strict=True)
    )
    scenario = base.model_copy(update={"context": after.context, "goals": goals})
    session.add(scenario, attempts, f"template:{base.id}")


def _number_problem(name: str, before: str, after: str) -> str:
    """What is wrong if numbers were lost or added (in a context, they could reveal a goal)."""
    old, new = _numbers(before), _numbers(after)
    if old == new:
        return ""
    changed = sorted(old ^ new)[0]
    what = "lost" if changed in old else "added"
    return f"{name}: expected the same numbers, found {changed} {what}"


def _fact_problem(name: str, goal: Goal, text: str) -> str:
    """What is wrong if a friend, or a fact about one, is missing from the text, else ""."""
    facts = goal.facts
    if facts is None or facts.kind != "friend":
        return ""
    terms = (term for friend in facts.friends for term in (friend.name, *friend.about.values()))
    lost = next((term for term in terms if term.casefold() not in text.casefold()), "")
    return f'{name}: expected every friend and fact, found "{lost}" lost' if lost else ""
