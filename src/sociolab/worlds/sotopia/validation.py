"""Labelled conversations that test a reader of outcomes: what was agreed in each, if anything."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, Field, model_validator

from sociolab.core.episode import Action, CastMember, Ended, Episode, Json, Moved, Task, Trial
from sociolab.core.ports import CANNOT_TELL, CallKey, ChatModel, Labelled, Point, PointAnswer
from sociolab.judging.llm_judge import ATTEMPTS
from sociolab.prompting.ask import ask_model
from sociolab.worlds.sotopia.outcome import (
    Closing,
    Established,
    Open,
    Outcome,
    goals_of,
    shares_of,
    terms_told,
    verdicts,
)
from sociolab.worlds.sotopia.outcome_reader import OutcomeReader
from sociolab.worlds.sotopia.profiles import Character, Id, Record, RelationshipType, Text
from sociolab.worlds.sotopia.scenarios import DivisionGoal, Facts, Goal, Scenario
from sociolab.worlds.sotopia.scene import ACTIONS, Casting
from sociolab.worlds.sotopia.telling import line_text

NOTHING, LEFT_OPEN = "nothing agreed", "left open"
"""Answers that are worth the same: there is no agreement. A label says "nothing" for both."""
_SEATS = ("first", "second")


class Label(Record):
    """What a conversation came to; of a division, `terms` are what the first person gets."""

    outcome: Literal["agreed", "nothing", "cannot tell"]
    terms: float | str | dict[str, int] | None = None


class Row(Record):
    """A labelled conversation between two people, as a line of a set.

    `goals` as in a scenario, in the order of `people`; `lines` are name, kind of action, text.
    Several labels: a fair reader could give any of them. `kind` is what agreement is broken down
    by, if not by the kind of the goals.
    """

    id: Id | None = None
    kind: str = ""
    context: Text
    people: tuple[Text, Text]
    goals: tuple[Facts, Facts]
    lines: tuple[tuple[str, str, str], ...] = Field(min_length=1)
    labels: tuple[Label, ...] = Field(min_length=1)

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

    def _fits(self, label: Label) -> bool:
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
    def casting(self) -> Casting:
        """The scene; what is not known of the people is told as such."""
        return Casting(
            scenario=Scenario(
                id="labelled",
                family="other",
                context=self.context,
                goals=tuple(Goal(text="Not known.", facts=facts) for facts in self.goals),
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
                for seat, name in zip(_SEATS, self.people, strict=True)
            ),
            relationships=(),
        )


def labelled(row: Json, id: str) -> Labelled:
    """A row of a set as an item that a reader, or a judge of one's own, can be tested with."""
    read = Row.model_validate(row)
    casting, id = read.casting, read.id or id
    moves = tuple(
        Moved(turn, _SEATS[read.people.index(who)], (Action(kind, text),))
        for turn, (who, kind, text) in enumerate(read.lines)
    )
    left = ACTIONS[moves[-1].actions[0].kind].leaves
    end = Ended("left", len(moves) - 1, moves[-1].seat) if left else Ended("turn limit", len(moves))
    task = Task(id, _SEATS, id, casting.model_dump_json())
    cast = tuple(CastMember(seat, "labelled") for seat in _SEATS)
    episode = Episode(Trial(id, "sotopia", task, cast, 0, 0), (*moves, end))
    outcomes = tuple(_outcome(casting, label) for label in read.labels)
    kind = read.kind or read.goals[0].kind
    right = [_in_words(casting, outcome) for outcome in outcomes]
    right += [LEFT_OPEN] if NOTHING in right else []

    async def ask(model: ChatModel) -> tuple[PointAnswer, ...]:
        return (await _read(model, casting, episode),)

    return Labelled(
        id=id,
        kind=kind,
        text=tuple(line_text(who, Action(kind, text)) for who, kind, text in read.lines),
        points=(Point(kind, "", tuple(right), (NOTHING, LEFT_OPEN)),),
        ask=ask,
        episode=episode,
        expected=tuple(verdicts(casting, outcome) for outcome in outcomes),
    )


async def _read(model: ChatModel, casting: Casting, episode: Episode) -> PointAnswer:
    """What a model reads off, asked as in a run; no answer where its quotes are not in the text."""
    reader = OutcomeReader()
    shown = reader.prompt(episode, 0.0)
    assert shown is not None
    prompt, kind = shown

    def complaint(reply: BaseModel) -> str:
        found = reader.outcome(episode, reply)
        return found if isinstance(found, str) else ""

    key = CallKey(episode.trial.id, "judge", "", 0, f"reader:{model.label}", 1)
    asked = await ask_model(model, prompt, kind, key, attempts=ATTEMPTS, complaint=complaint)
    if asked.value is None or asked.problem:
        return PointAnswer(None, asked.problem)
    outcome = reader.outcome(episode, asked.value)
    assert not isinstance(outcome, str)
    assert isinstance(asked.value, Closing)
    if asked.value.claim.status == "still open":
        return PointAnswer(LEFT_OPEN)
    why = outcome.why if isinstance(outcome, Open) else outcome.how
    return PointAnswer(_in_words(casting, outcome), why)


def _outcome(casting: Casting, label: Label) -> Outcome:
    if label.outcome == "cannot tell":
        return Open("cannot tell", "so labelled")
    terms = label.terms
    if isinstance(terms, dict):
        return Established(shares_of(casting, _SEATS[0], terms), "labelled")
    return Established(terms, "labelled")


def _in_words(casting: Casting, outcome: Outcome) -> str:
    """An outcome as answers and labels write it."""
    if isinstance(outcome, Open):
        return CANNOT_TELL
    if outcome.terms is None:
        return NOTHING
    goal = casting.scenario.goals[0].facts
    if isinstance(outcome.terms, dict) and isinstance(goal, DivisionGoal):
        first = outcome.terms[_SEATS[0]]
        share = terms_told({good: first[good] for good in goal.counts})
        return f"{casting.characters[0].first_name}: {share}"
    return terms_told(outcome.terms)
