"""A model that extracts what was agreed from a transcript, with quotes that the text must hold."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal, Self

from pydantic import BaseModel, Field, model_validator

from sociolab.core.episode import Action, CastMember, Ended, Episode, Json, Moved, Task, Trial
from sociolab.core.errors import ReplyError
from sociolab.core.ports import (
    CANNOT_TELL,
    ChatModel,
    Labelled,
    LabelledPoint,
    PointAnswer,
    Prompt,
)
from sociolab.core.score import Verdict
from sociolab.core.seeding import digest
from sociolab.judging.reader import MissingValue, TranscriptReader
from sociolab.prompting.sets import prompt
from sociolab.prompting.structured import typed_prompt
from sociolab.worlds.sotopia.evaluation import GOAL_CHECKED
from sociolab.worlds.sotopia.outcome import (
    STATUSES,
    Checkable,
    Claim,
    Closing,
    Established,
    Open,
    Outcome,
    describe_claim,
    describe_matter,
    describe_terms,
    divide_shares,
    exchange_problem,
    find_exchange,
    goals_of,
    make_closing_type,
    score_outcome,
    spoken_lines,
)
from sociolab.worlds.sotopia.scenarios import (
    Character,
    DataRecord,
    DivisionGoal,
    Facts,
    Friend,
    FriendGoal,
    Goal,
    Id,
    RelationshipType,
    Scenario,
    SceneCast,
    Text,
    casting_from,
)
from sociolab.worlds.sotopia.scene import ACTIONS, PACKAGE, judge_names
from sociolab.worlds.sotopia.visibility import format_line

EXPLAINED = ("in_words", "offer", "acceptance")
"""Fields that the instruction itself explains, beside `outcome`."""


_READ_OPEN = Established(None, "read: still open")


class OutcomeReader:
    """The rubric of an outcome reader.

    An agreement counts only with its two quotes, the offer by one seat and a later acceptance by
    another; a reply without them is retried, and fails if they do not come. The prompt leaves out
    goals and secrets: what was agreed is in the text, and what somebody wanted could mislead.
    """

    instructions = None

    def __init__(self) -> None:
        self._head = prompt(PACKAGE, "reader_head").render({})
        self.hash = digest(self._head, prompt(PACKAGE, "reader_body").hash)

    def prompt(self, episode: Episode, temperature: float) -> tuple[Prompt, type[BaseModel]] | None:
        """The instruction, what was to be agreed on, and the transcript; None without a formula,
        and where a form says what was agreed."""
        casting = casting_from(episode.trial.task.content)
        goals = goals_of(casting)
        if not goals or casting.scenario.closing != "question":
            return None
        goal, names = _merge_goals(goals), judge_names(casting)
        kind = make_closing_type(
            goal,
            (*STATUSES, "cannot tell"),
            _describe_terms_field(goal, names),
            evidence_first=True,
        )
        lines = [
            f"{move.turn + 1}. {format_line(names[move.seat], action)}"
            for move in episode.moves
            for action in move.actions
        ]
        body = prompt(PACKAGE, "reader_body").render(
            {
                "context": casting.scenario.context,
                "facts": _public_facts(goals, names),
                "lines": lines,
                "matter": describe_matter(goal),
                "fields": [
                    (name, "" if name in EXPLAINED else field.description)
                    for name, field in kind.model_fields.items()
                ],
            }
        )
        return typed_prompt(self._head, body, kind, temperature, needs=600), kind

    def verdicts(self, episode: Episode, reply: BaseModel) -> tuple[Verdict, ...]:
        """The score of each seat; ReplyError where the quotes show no agreement."""
        return score_outcome(casting_from(episode.trial.task.content), self.outcome(episode, reply))

    def outcome(self, episode: Episode, reply: BaseModel) -> Outcome:
        """The outcome by the reply; ReplyError says what is wrong with its quotes."""
        assert isinstance(reply, Closing)
        casting, claim = casting_from(episode.trial.task.content), reply.claim
        match claim.status:
            case "still open":
                return _READ_OPEN
            case "nothing":
                return Established(None, "read: nothing")
            case "something else" | "cannot tell":
                return Open("cannot tell", f"read: {describe_claim(claim)}")
        lines = spoken_lines(casting, episode.moves)
        exchange = find_exchange([(claim.offer, claim.acceptance)], lines)
        if exchange is None:
            raise ReplyError(exchange_problem(claim.offer, claim.acceptance, lines))
        return Established(_read_terms(casting, claim), f"read: {exchange}")

    def failures(self, episode: Episode, missing: MissingValue) -> tuple[Verdict, ...]:
        """A failure for each seat whose goal has a formula."""
        return missing.as_verdicts(
            (GOAL_CHECKED,), goals_of(casting_from(episode.trial.task.content))
        )


def _merge_goals(goals: dict[str, Checkable]) -> Checkable:
    """One goal for all seats: an observer chooses among the friends of everybody."""
    first, *rest = goals.values()
    if first.kind != "friend":
        return first
    friends: dict[str, Friend] = {}
    for goal in (first, *rest):
        if goal.kind == "friend":
            friends |= {friend.name: friend for friend in goal.friends}
    return FriendGoal(friends=tuple(sorted(friends.values(), key=lambda friend: friend.name)))


def _describe_terms_field(goal: Checkable, names: dict[str, str]) -> str:
    unless = "null if nothing was accepted"
    match goal.kind:
        case "price":
            return f"in dollars; {unless}"
        case "division":
            first, second = names.values()
            return f"how many {first} gets, the rest being {second}'s; {unless}"
        case "option":
            return f"the one that was accepted; {unless}"
        case _:
            return f"the friend whom they have in common; {unless}"


def _public_facts(goals: dict[str, Checkable], names: dict[str, str]) -> list[str]:
    """The options, or who sells: what everybody in the scene can see."""
    goal = next(iter(goals.values()))
    match goal.kind:
        case "price":
            return [
                f"{names[seat]} is the {seat_goal.role}."
                for seat, seat_goal in goals.items()
                if seat_goal.kind == "price"
            ]
        case "option":
            return [f"The options: {'; '.join(goal.options)}."]
        case _:
            return []


def _read_terms(casting: SceneCast, claim: Claim) -> float | str | dict[str, dict[str, int]]:
    if isinstance(claim.terms, float | str):
        return claim.terms
    assert claim.terms is not None
    first = next(iter(goals_of(casting)))
    assert isinstance(goals_of(casting)[first], DivisionGoal)
    return divide_shares(casting, first, claim.terms)


NOTHING, LEFT_OPEN = "nothing agreed", "left open"
"""Two answers of no agreement, which are worth the same; labels say "nothing" for both."""
_SEATS = ("first", "second")


class OutcomeLabel(DataRecord):
    """The outcome of a conversation; in a division, `terms` are what the first person gets."""

    outcome: Literal["agreed", "nothing", "cannot tell"]
    terms: float | str | dict[str, int] | None = None


class LabelledConversation(DataRecord):
    """A labelled conversation between two people, a line of a validation set.

    `goals` as in a scenario, in the order of `people`; `lines` are name, kind of action, text.
    Several labels: a fair reader could give any of them. Agreement is broken down by `kind`, or
    else by the kind of the goals.
    """

    id: Id | None = None
    kind: str = ""
    context: Text
    people: tuple[Text, Text]
    goals: tuple[Facts, Facts]
    lines: tuple[tuple[str, str, str], ...] = Field(min_length=1)
    labels: tuple[OutcomeLabel, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.people[0] == self.people[1]:
            raise ValueError(f'people: expected two names, found "{self.people[0]}" twice')
        for who, kind, _ in self.lines:
            if who not in self.people or ACTIONS.get(kind) is None:
                raise ValueError(f'a line of "{who}" ({kind}): no such person, or kind of action')
        if not goals_of(self.casting):
            raise ValueError("goals: expected two of one kind that has a formula")
        for label in self.labels:
            if (label.terms is not None) != (label.outcome == "agreed") or not self._fits(label):
                raise ValueError(f"labels: {label.terms!r} is no outcome of these goals")
        return self

    def _fits(self, label: OutcomeLabel) -> bool:
        goal, terms = self.goals[0], label.terms
        match goal.kind:
            case "price":
                return terms is None or isinstance(terms, float)
            case "division":
                counts = terms if isinstance(terms, dict) else dict.fromkeys(goal.counts, 0)
                within = all(0 <= counts[good] <= goal.counts[good] for good in counts)
                return counts.keys() == goal.counts.keys() and within
            case "option":
                return terms is None or terms in goal.options
            case _:
                return not isinstance(terms, float | dict)

    @property
    def casting(self) -> SceneCast:
        goals = tuple(Goal(text="Not known.", facts=facts) for facts in self.goals)
        return unknown_cast("labelled", self.context, self.people, goals)


def unknown_cast(
    id: str, context: str, people: tuple[str, str], goals: tuple[Goal, ...]
) -> SceneCast:
    """A scene of two, with "not known" for everything else about them."""
    return SceneCast(
        scenario=Scenario(
            id=id,
            family="other",
            context=context,
            goals=goals,
            relationships=(RelationshipType.STRANGER,),
        ),
        characters=tuple(
            Character(
                id=seat,
                first_name=name,
                gender="not known",
                pronouns="they/them",
                age=0,
                occupation="not known",
            )
            for seat, name in zip(_SEATS, people, strict=True)
        ),
        relationships=(),
    )


def build_episode(id: str, casting: SceneCast, lines: Sequence[tuple[str, str, str]]) -> Episode:
    """An episode of a cast from its turns: seat, kind of action, text."""
    seats = tuple(character.id for character in casting.characters)
    moves = tuple(
        Moved(turn, seat, (Action(kind, text),)) for turn, (seat, kind, text) in enumerate(lines)
    )
    left = ACTIONS[moves[-1].actions[0].kind].leaves
    end = Ended("left", len(moves) - 1, moves[-1].seat) if left else Ended("turn limit", len(moves))
    task = Task(id, seats, id, casting.model_dump_json())
    cast = tuple(CastMember(seat) for seat in seats)
    return Episode(Trial(id, "sotopia", task, cast, 0, 0), (*moves, end))


def read_labelled(row: Json, id: str) -> Labelled:
    """An item of a validation set, for a reader or a user's own judge; ValueError if invalid."""
    item = LabelledConversation.model_validate(row)
    casting, id = item.casting, item.id or id
    seats = dict(zip(item.people, _SEATS, strict=True))
    episode = build_episode(
        id, casting, [(seats[who], kind, text) for who, kind, text in item.lines]
    )
    outcomes = tuple(_labelled_outcome(casting, label) for label in item.labels)
    kind = item.kind or item.goals[0].kind
    right = [_word_outcome(casting, outcome) for outcome in outcomes]
    right += [LEFT_OPEN] if NOTHING in right else []

    async def ask(model: ChatModel) -> tuple[PointAnswer, ...]:
        return (await _read_outcome(model, casting, episode),)

    return Labelled(
        id=id,
        kind=kind,
        text=tuple(format_line(who, Action(kind, text)) for who, kind, text in item.lines),
        points=(LabelledPoint(kind, "", tuple(right), (NOTHING, LEFT_OPEN)),),
        ask=ask,
        episode=episode,
        expected=tuple(score_outcome(casting, outcome) for outcome in outcomes),
    )


async def _read_outcome(model: ChatModel, casting: SceneCast, episode: Episode) -> PointAnswer:
    """A model's reading, as in a run; no answer where its quotes are not in the text."""
    rubric = OutcomeReader()
    request = rubric.prompt(episode, 0.0)
    assert request is not None
    reading = await TranscriptReader(model, episode.trial.id).read(
        f"reader:{model.label}", *request, partial(rubric.outcome, episode)
    )
    if isinstance(reading, MissingValue):
        return PointAnswer(None, reading.problem)
    outcome = reading.value
    if isinstance(outcome, Open):
        return PointAnswer(CANNOT_TELL, outcome.why)
    if outcome == _READ_OPEN:
        return PointAnswer(LEFT_OPEN)
    return PointAnswer(_word_outcome(casting, outcome), outcome.how)


def _labelled_outcome(casting: SceneCast, label: OutcomeLabel) -> Outcome:
    if label.outcome == "cannot tell":
        return Open("cannot tell", "so labelled")
    terms = label.terms
    if isinstance(terms, dict):
        return Established(divide_shares(casting, _SEATS[0], terms), "labelled")
    return Established(terms, "labelled")


def _word_outcome(casting: SceneCast, outcome: Outcome) -> str:
    """An outcome as answers and labels word it."""
    if isinstance(outcome, Open):
        return CANNOT_TELL
    if outcome.terms is None:
        return NOTHING
    goal = casting.scenario.goals[0].facts
    if isinstance(outcome.terms, dict) and isinstance(goal, DivisionGoal):
        first = outcome.terms[_SEATS[0]]
        share = describe_terms({good: first[good] for good in goal.counts})
        return f"{casting.characters[0].first_name}: {share}"
    return describe_terms(outcome.terms)
