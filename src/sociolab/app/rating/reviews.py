"""A review of a scenario: the points to look at, the decision, what makes it complete.

The points are those of SOTOPIA's guideline (appendix D.2) in our words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sociolab.app.rating.scene import casting_of
from sociolab.app.rating.words import one_line, reason_problem
from sociolab.core.episode import Task
from sociolab.worlds.sotopia.scene import judge_names, ties
from sociolab.worlds.sotopia.visibility import describe_self

LONGEST_TEXT = 4000
"""Characters of a scene or goal, as of the data's own."""

Decision: TypeAlias = Literal["keep", "edit", "reject"]

POINTS: Mapping[str, tuple[str, str]] = {
    "clear": (
        "Understandable",
        "You know at once where they are, what is going on and what each of them wants.",
    ),
    "tie": (
        "A natural relationship",
        "Two people who know each other like this could well meet in this situation.",
    ),
    "possible": (
        "Goals that can be reached",
        "Each goal can be reached in a talk, by words and small acts, by this person.",
    ),
    "tension": (
        "Not settled from the start",
        "The goals do not simply agree: it takes some give and take, tact or persuasion.",
    ),
    "private": (
        "Nothing given away",
        "The scene tells neither goal, and a goal tells what is wanted, not how to go about it.",
    ),
    "fit": (
        "The people fit",
        "Age, work and life of both agree with the scene and with their goals.",
    ),
    "harmless": (
        "Fit to be played",
        "No hatred, no cruelty, no real person, nothing that should not be acted out.",
    ),
}
"""By key: a point's name and what it asks."""


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A task as reviewers see it. `texts` are those that may be edited: the scene, then a goal for
    each person, whose name and description `people` hold."""

    texts: tuple[str, ...]
    people: tuple[tuple[str, str], ...]
    ties: tuple[str, ...]

    @property
    def titles(self) -> tuple[str, ...]:
        """What each text is."""
        return ("The scene", *(f"The goal of {name}" for name, _ in self.people))


@dataclass(frozen=True, slots=True)
class Review:
    """What a reviewer decided: `points` that hold, why, and the texts as they should be."""

    decision: Decision
    points: Mapping[str, bool]
    reason: str = ""
    texts: tuple[str, ...] = ()


def reviewed(task: Task) -> Reviewed:
    """The task as reviewers see it."""
    casting = casting_of(task.content)
    names = judge_names(casting)
    return Reviewed(
        (casting.scenario.context, *(goal.text for goal in casting.scenario.goals)),
        tuple((names[one.id], describe_self(one)) for one in casting.characters),
        ties(casting),
    )


def review_problems(review: Review, shown: Reviewed, least_words: int = 3) -> tuple[str, ...]:
    """What stands in the way of handing a review in."""
    found = []
    unsaid = [name for key, (name, _) in POINTS.items() if key not in review.points]
    if unsaid:
        found.append(f"Say of each point whether it holds: {', '.join(unsaid)}.")
    failed = [name for key, (name, _) in POINTS.items() if review.points.get(key) is False]
    if review.decision == "keep":
        if failed:
            found.append(
                f"You said that this does not hold: {', '.join(failed)}. Then edit or reject."
            )
        return tuple(found)
    if problem := reason_problem(one_line(review.reason), least_words):
        found.append(f"Under “Why?”, {problem}.")
    if review.decision == "reject" and not (failed or unsaid):
        found.append("Every point holds for you: say which one does not, or keep or edit.")
    if review.decision == "edit" and _unchanged(review.texts, shown.texts):
        found.append("Change the text as it should be, or choose another decision.")
    return tuple(found)


def _unchanged(texts: Sequence[str], before: Sequence[str]) -> bool:
    return (
        len(texts) != len(before)
        or not all(text.strip() for text in texts)
        or [text.split() for text in texts] == [text.split() for text in before]
    )
