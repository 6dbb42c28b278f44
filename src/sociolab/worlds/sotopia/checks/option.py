"""The option (a time, a place, a film) that all agreed on, and what it is worth to each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeAlias

from sociolab.core.episode import Moved
from sociolab.worlds.sotopia.checks.acts import Assent, Found, Reading, Take
from sociolab.worlds.sotopia.checks.agreement import Talk
from sociolab.worlds.sotopia.checks.language import plain_language
from sociolab.worlds.sotopia.checks.outcome import Agreed, Outcome
from sociolab.worlds.sotopia.checks.phrases import Phrases
from sociolab.worlds.sotopia.checks.reading import read
from sociolab.worlds.sotopia.checks.scales import (
    Point,
    Spot,
    agrees,
    clock_times,
    days,
    sums,
)
from sociolab.worlds.sotopia.checks.words import BREAKS, word_set, words
from sociolab.worlds.sotopia.scenarios import OptionGoal
from sociolab.worlds.sotopia.scene import Casting

OTHER = "(something else)"
"""Stands for an agreement on what is none of the options; it is worth 0."""

Names: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]
Scale: TypeAlias = Callable[[list[str]], list[Spot]]


def option_formula(goal: OptionGoal, option: str) -> tuple[float, str]:
    """What an option is worth to a seat, 0 to 10, and why."""
    if option not in goal.options:
        return 0.0, f"{option} is none of the options: 0"
    value = goal.options[option]
    return value, f"worth of {option} to this seat = {value:g}"


def agreed_option(casting: Casting, moves: Sequence[Moved]) -> Outcome[str]:
    """The option that all seats agreed on; OTHER if it is none of those given."""
    facts = [goal.facts for goal in casting.scenario.goals]
    goals = [fact for fact in facts if fact is not None and fact.kind == "option"]
    cues, reader = plain_language(), _reader(_names(goals))
    talk: Talk[str] = Talk(character.id for character in casting.characters)
    for move in moves:
        text = " ".join(action.text for action in move.actions)
        if text and move.seat in talk.state.seats:
            agreed = talk.state.meeting("") if reader.by_clock and talk.state.agreed else None
            said, found = reader.mark(words(text), agreed[0] if agreed else None)
            talk.hear(move, text, _with_unknown(read(cues, said, found), said))
        talk.see_off(move)
    outcome = talk.outcome()
    if isinstance(outcome, Agreed):
        option = outcome.value[""]
        return Agreed(OTHER if option.startswith(OTHER) else option, outcome.evidence)
    return outcome


def _names(goals: Sequence[OptionGoal]) -> Names:
    """All options with all their wordings, over all goals."""
    first = goals[0]
    names = {option: (option, *first.aliases.get(option, ())) for option in first.options}
    for goal in goals[1:]:
        if goal.options.keys() != first.options.keys() or goal.aliases != first.aliases:
            for option in goal.options:
                known = names.get(option, (option,))
                names[option] = (*known, *goal.aliases.get(option, ()))
    return tuple(names.items())


@lru_cache(maxsize=256)
def _reader(names: Names) -> _Options:
    return _Options(names)


class _Options:
    """Finds the options in a turn: by name, by another wording, or by their place on a scale."""

    def __init__(self, names: Names) -> None:
        self._named = Phrases(
            {
                option: "\n".join(" ".join(words(wording)) for wording in wordings)
                for option, wordings in names
            }
        )
        self._scale, self._points = _scale_of(names)
        self.by_clock = self._scale is clock_times

    def mark(
        self, said: list[str], agreed: str | None = None
    ) -> tuple[list[str], list[Found[str]]]:
        """The words with every option replaced by "#", and the options.

        Where an hour is agreed on, one before it at which somebody prepares is no option.
        """
        spots: list[tuple[int, int, str | None]] = [*self._named.marks(said)]
        if self._scale is not None:
            named = {at for start, end, _ in spots for at in range(start, end)}
            for spot in self._scale(said):
                if named.isdisjoint(range(spot.start, spot.end)):
                    placed = self._placed(spot)
                    if agreed is None or not self._prepares(placed, spot, said, agreed):
                        spots += placed
            spots.sort(key=lambda spot: spot[0])
        marked: list[str] = []
        found: list[Found[str]] = []
        at = 0
        for start, end, option in spots:
            marked += said[at:start]
            marked.append("#")
            found.append(Found(option, telling=False))
            at = end
        return marked + said[at:], found

    def _placed(self, spot: Spot) -> list[tuple[int, int, str | None]]:
        """The option that lies where the spot does; OTHER with the spot where there is none."""
        fitting = [o for o, point in self._points.items() if agrees(spot.point, point)]
        exact = [o for o in fitting if self._points[o] == spot.point] or fitting
        if len(exact) == 1:
            return [(spot.start, spot.end, exact[0])]
        if exact:
            return [(spot.start, spot.end, None)]
        return [(spot.start, spot.end, f"{OTHER} {spot.point}")] if spot.sure else []

    def _prepares(
        self, placed: list[tuple[int, int, str | None]], spot: Spot, said: list[str], agreed: str
    ) -> bool:
        """Whether an hour that is none of the options is that of a deed before the agreed one."""
        if agreed not in self._points or any(option in self._points for _, _, option in placed):
            return False
        ahead = (float(self._points[agreed][0]) - float(spot.point[0])) % _DIAL
        return 0 < ahead <= _PREPARING and _another_deed(said, spot.start)


_DIAL = 720  # minutes
_PREPARING = 180  # minutes
_WILL = word_set("will shall must can to you")
_COMING = word_set(
    "be go come leave start begin meet see say make do take have set sail drive move settle agree "
    "change shift prefer expect rather"
)


def _another_deed(said: list[str], at: int) -> bool:
    """I will rig the boat at #: somebody does something to something, and does not just come."""
    start = at
    while start and said[start - 1] not in BREAKS:
        start -= 1
    clause = said[start:at]
    for index, word in enumerate(clause[:-2]):
        if word in _WILL:
            deed = "ready" in clause or _COMING.isdisjoint(clause[index + 1 :])
            return deed and clause[-1] in ("at", "by", "from", "around") and len(clause) - index > 3
    return False


def _scale_of(names: Names) -> tuple[Scale | None, dict[str, Point]]:
    """The scale on which all options lie, and where; None if there is no such scale."""
    for scale in (clock_times, days, sums):
        points = {option: _point(scale, option) for option, _ in names}
        if None not in points.values():
            return scale, {option: point for option, point in points.items() if point is not None}
    return None, {}


def _point(scale: Scale, option: str) -> Point | None:
    said = words(option)
    spots = scale(said)
    whole = len(spots) == 1 and (spots[0].start, spots[0].end) == (0, len(said))
    return spots[0].point if whole else None


_PROPOSALS = Phrases(
    {
        "proposal": """
        (how|what) about (we|going|having|taking|doing|getting|staying) / what if we / shall we
        why do not we / let us (have|get|watch|eat|meet|visit|take|try|stay|go to|go for|cook|order)
        """
    }
)


def _with_unknown(reading: Reading[str], said: list[str]) -> Reading[str]:
    """A proposal of something else is a stand too, though one that cannot be read."""
    if any(isinstance(act, Take | Assent) for act in reading.acts) or not _PROPOSALS.marks(said):
        return reading
    take: Take[str] = Take((), asked=True)
    return Reading((*reading.acts, take), asks_else=False)
