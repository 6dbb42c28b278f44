"""A model that reads off a transcript what was agreed, with quotes that the text must hold."""

from __future__ import annotations

from pydantic import BaseModel

from sociolab.core.episode import Episode
from sociolab.core.errors import Cause
from sociolab.core.ports import Message, Prompt
from sociolab.core.score import ScoreFailure, Verdict
from sociolab.core.seeding import digest
from sociolab.judging.quoting import WANTED
from sociolab.prompting.structured import schema_of
from sociolab.prompting.templates import prompt
from sociolab.worlds.sotopia.dimensions import GOAL_CHECKED
from sociolab.worlds.sotopia.outcome import (
    STATUSES,
    Checkable,
    Claim,
    Closing,
    Established,
    Open,
    Outcome,
    closing_type,
    goals_of,
    locate,
    matter_of,
    shares_of,
    told,
    verdicts,
)
from sociolab.worlds.sotopia.scenarios import DivisionGoal, Friend, FriendGoal
from sociolab.worlds.sotopia.scene import PACKAGE, Casting, casting_from
from sociolab.worlds.sotopia.telling import line_text
from sociolab.worlds.sotopia.ties import judge_names

EXPLAINED = ("in_words", "offer", "acceptance")
"""Fields that the instruction explains, with `outcome`."""


class OutcomeReader:
    """The rubric of a reader: what it is shown, and how its reply becomes values.

    An agreement counts with both of its quotes only; a reply without them is asked for again, and
    fails if they do not come. Without the seats' goals and secrets: what was agreed stands in the
    text, and what somebody wanted would be in the way.
    """

    def __init__(self) -> None:
        self._head = prompt(PACKAGE, "reader_head").render({})
        self.hash = digest(self._head, prompt(PACKAGE, "reader_body").hash)

    def prompt(self, episode: Episode, temperature: float) -> tuple[Prompt, type[BaseModel]] | None:
        """The instruction, then what was to be agreed on, then what happened; None: no formula."""
        casting = casting_from(episode.trial.task.content)
        goals = goals_of(casting)
        if not goals:
            return None
        goal, names = _seen_from_outside(goals), judge_names(casting)
        kind = closing_type(goal, (*STATUSES, "cannot tell"), _terms(goal, names))
        lines = [
            f"{move.turn + 1}. {line_text(names[move.seat], action)}"
            for move in episode.moves
            for action in move.actions
        ]
        body = prompt(PACKAGE, "reader_body").render(
            {
                "context": casting.scenario.context,
                "facts": _facts(goals, names),
                "lines": lines,
                "matter": matter_of(goal, "they both know"),
                "fields": [
                    (name, "" if name in EXPLAINED else field.description)
                    for name, field in kind.model_fields.items()
                ],
            }
        )
        messages = (Message("system", self._head), Message("user", body))
        return Prompt(messages, schema_of(kind), temperature), kind

    def verdicts(self, episode: Episode, reply: BaseModel, attempts: int) -> tuple[Verdict, ...]:
        """What was agreed is worth to each seat; failures where a quote is nowhere in the text."""
        outcome = self.outcome(episode, reply)
        if isinstance(outcome, str):
            return self.failures(episode, "unreadable", outcome, str(reply), attempts)
        return verdicts(casting_from(episode.trial.task.content), outcome)

    def outcome(self, episode: Episode, reply: BaseModel) -> Outcome | str:
        """What it came to as the reply says; or what is wrong with its quotes, as text."""
        assert isinstance(reply, Closing)
        casting, claim = casting_from(episode.trial.task.content), reply.claim
        if claim.status != "agreed":
            return _none(claim)
        quotes = [locate(quote, episode.moves) for quote in claim.quotes]
        if len(quotes) < 2 or None in quotes:
            problem = f"offer, acceptance: expected {WANTED} of one line, word for word"
            return f'{problem}, found "{" / ".join(claim.quotes)}"'
        where = "; ".join(f'turn {turn + 1}: "{words}"' for turn, words in filter(None, quotes))
        return Established(_terms_of(casting, claim), f"read: {where}")

    def failures(
        self, episode: Episode, cause: Cause, problem: str, raw: str, attempts: int
    ) -> tuple[Verdict, ...]:
        """A failure for each seat whose goal has a formula."""
        goals = goals_of(casting_from(episode.trial.task.content))
        return tuple(
            ScoreFailure(GOAL_CHECKED, seat, cause, problem, raw, attempts) for seat in goals
        )


def _seen_from_outside(goals: dict[str, Checkable]) -> Checkable:
    """One goal for all seats: whoever looks on chooses among the friends of everybody."""
    first, *others = goals.values()
    if first.kind != "friend":
        return first
    named: dict[str, Friend] = {}
    for goal in (first, *others):
        if goal.kind == "friend":
            named |= {friend.name: friend for friend in goal.friends}
    return FriendGoal(friends=tuple(sorted(named.values(), key=lambda friend: friend.name)))


def _terms(goal: Checkable, names: dict[str, str]) -> str:
    unless = 'null unless the outcome is "agreed"'
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


def _facts(goals: dict[str, Checkable], names: dict[str, str]) -> list[str]:
    """What there is to choose from, and who sells: what everybody in the scene can see."""
    goal = next(iter(goals.values()))
    match goal.kind:
        case "price":
            return [
                f"{names[seat]} is the {one.role}."
                for seat, one in goals.items()
                if one.kind == "price"
            ]
        case "option":
            return [f"The options: {'; '.join(goal.options)}."]
        case _:
            return []


def _terms_of(casting: Casting, claim: Claim) -> float | str | dict[str, dict[str, int]]:
    if isinstance(claim.terms, float | str):
        return claim.terms
    assert claim.terms is not None
    first = next(iter(goals_of(casting)))
    assert isinstance(goals_of(casting)[first], DivisionGoal)
    return shares_of(casting, first, claim.terms)


def _none(claim: Claim) -> Outcome:
    if claim.status in ("still open", "nothing"):
        return Established(None, f"read: {claim.status}")
    return Open("cannot tell", f"read: {told(claim)}")
