"""Descriptive measures, read off the episodes and the calls by rules: no judge is asked.

They tell of the trials that were played to their end; a failed trial is no failure of theirs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Literal

from sociolab.core.episode import ACT, Answered, Asked, Episode, Moved, Unusable
from sociolab.core.score import JudgeId, Measure
from sociolab.report.columns import Column, NotScored, Outcome
from sociolab.report.plays import Play, PlayKey
from sociolab.store.totals import SeatCost
from sociolab.store.turns import Turns

TRANSCRIPT = JudgeId("transcript", "rules")
LEDGER = JudgeId("ledger", "rules")

WORDS = Measure("words_per_turn", 0, math.inf, title="words per turn")
"""Words that a seat spoke, over its turns with spoken words; unscored where it never spoke."""
TURNS = Measure("turns", 0, math.inf, title="turns")
"""Turns that were taken in an episode, by all its seats."""
FAILED_TURNS = Measure("failed_turns", 0, math.inf, title="failed turns")
"""Turns of a seat that failed for good."""
FAILED_QUESTIONS = Measure("failed_questions", 0, math.inf, title="failed questions")
"""Questions that a seat gave no usable answer to; where nothing but questions is asked."""
COST = Measure("cost_usd", 0, math.inf, title="cost in USD")
"""What the calls of a seat in an episode cost, those of a judge not included; "~" behind its title
says that some are estimated."""

_NONE = NotScored("cannot tell", 0, math.inf)

SPOKEN = "speak"
"""The kind of action that every world calls spoken words."""


@dataclass(slots=True)
class Observed:
    """Takes in episodes one at a time, and keeps only numbers; of what failed, by cause, the first
    case in words: cause, problem, episode. `asked` is `Episode.asked`, failed trials included."""

    ends: Counter[str] = field(default_factory=Counter)
    failed_turns: Counter[str] = field(default_factory=Counter)
    failed_questions: Counter[str] = field(default_factory=Counter)
    went_without: Counter[str] = field(default_factory=Counter)
    asked_again: int = 0
    first_turns: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    first_questions: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    asked: dict[PlayKey, Asked] = field(default_factory=dict)
    _words: dict[PlayKey, Outcome] = field(default_factory=dict)
    _turns: dict[PlayKey, Outcome] = field(default_factory=dict)
    _failed: dict[PlayKey, Outcome] = field(default_factory=dict)
    _given_up: Counter[PlayKey] = field(default_factory=Counter)

    @property
    def played(self) -> Set[PlayKey]:
        """The seats of the episodes that were played to their end."""
        return self._turns.keys()

    @property
    def unit(self) -> Literal["turns", "questions"]:
        """What `asked` counts: questions where no turn was ever asked for."""
        return "turns" if any(self._turns.values()) or self.failed_turns else "questions"

    def count_failures(self, episode: Episode) -> None:
        """Take in what failed in an episode, whether it was played to its end or not."""
        for seat, asked in episode.asked.items():
            self.asked[episode.trial.id, seat] = asked
        for event in episode.events:
            if isinstance(event, Unusable) and not event.final:
                self.asked_again += 1
        for turn in episode.failed_turns:
            self.failed_turns[turn.cause] += 1
            self.first_turns.setdefault(turn.cause, _case(turn, episode))
        for question in episode.failed_questions:
            self.failed_questions[question.cause] += 1
            self.first_questions.setdefault(question.cause, _case(question, episode))

    def take(self, seats: Iterable[str], turns: Turns) -> None:
        """Take in the turns of an episode that was played to its end; of one with replies that
        could not be used, `take_trouble` takes these."""
        self.ends["not recorded" if turns.ended is None else turns.ended] += 1
        spoken: dict[str, list[int]] = {seat: [] for seat in seats}
        for seat, count in Counter(turns.answers or (seat for seat, _ in turns.words)).items():
            self.asked[turns.trial, seat] = Asked(0, count)
        for seat, words in turns.words:
            if words:
                spoken[seat].append(words)
        for seat, counts in spoken.items():
            key = (turns.trial, seat)
            self._words[key] = sum(counts) / len(counts) if counts else _NONE
            self._turns[key] = float(len(turns.words))
            self._failed[key] = 0.0

    def take_trouble(self, episode: Episode) -> None:
        """Take in what went wrong in an episode that was taken already."""
        self.count_failures(episode)
        self.went_without.update(_went_without(episode))
        for event in (*episode.failed_turns, *episode.failed_questions):
            self._given_up[episode.trial.id, event.seat] += 1
        for seat, failed in Counter(event.seat for event in episode.failed_turns).items():
            self._failed[episode.trial.id, seat] = float(failed)

    def columns(self) -> tuple[Column, ...]:
        """The measures as columns; none before an episode was taken in."""
        if not self._turns:
            return ()
        return tuple(
            Column(TRANSCRIPT.name, TRANSCRIPT, measure, False, False, outcomes)
            for measure, outcomes in self._counted()
        )

    def _counted(self) -> Iterable[tuple[Measure, dict[PlayKey, Outcome]]]:
        if any(self._turns.values()):
            yield WORDS, self._words
            yield TURNS, self._turns
            yield FAILED_TURNS, self._failed
        else:  # a town: nobody takes turns there, and questions are all that can fail
            yield FAILED_QUESTIONS, {key: float(self._given_up[key]) for key in self._turns}


def cost_column(
    costs: Mapping[tuple[str, str], SeatCost], plays: Iterable[Play], played: Set[PlayKey]
) -> tuple[Column, ...]:
    """The cost of each agent that is known to pay; no column where no price is known.

    `costs` holds the seats that made calls. An agent that made calls elsewhere cost nothing where
    it was never asked; one that made none has no entry.
    """
    mine = [play for play in plays if play.key in played]
    known: dict[PlayKey, SeatCost] = {(trial, seat): c for (trial, seat), c in costs.items()}
    paying = {play.agent for play in mine if play.key in known and known[play.key].usd is not None}
    outcomes: dict[PlayKey, Outcome] = {}
    for play in mine:
        if play.agent in paying:
            cost = known[play.key].usd if play.key in known else 0.0
            outcomes[play.key] = _NONE if cost is None else cost
    if not outcomes:
        return ()
    estimated = any(known[key].estimated for key in known.keys() & outcomes.keys())
    measure = replace(COST, title=f"{COST.title} (~)") if estimated else COST
    return (Column(LEDGER.name, LEDGER, measure, False, False, outcomes),)


def _case(event: Unusable, episode: Episode) -> tuple[str, str, str]:
    """Why a turn or a question failed for good, who was to reply, and where."""
    when = f"turn {event.turn + 1}" if event.name == ACT else f'asked "{event.name}"'
    return event.cause, f"{event.seat}, {when}: {event.problem}", episode.trial.id


def _went_without(episode: Episode) -> set[str]:
    """The names of the questions that failed for good and after which somebody still said more."""
    waiting: set[str] = set()
    found: set[str] = set()
    for event in episode.events:
        if isinstance(event, Unusable):
            if event.final and event.name != ACT and not event.optional:
                waiting.add(event.name)
        elif isinstance(event, Answered | Moved):
            found |= waiting
    return found
