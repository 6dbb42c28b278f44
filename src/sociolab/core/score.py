"""What a judge says of an episode: a score, a failure, or that it cannot tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from sociolab.core.errors import Cause, ConfigError, WorldError
from sociolab.core.instructions import Prompts
from sociolab.core.seeding import digest

Method: TypeAlias = Literal[
    "model", "rules", "scripted", "heuristic", "people", "formula", "reported"
]
"""Where a figure comes from. Whatever is not "model" or "people" is labelled wherever it shows.

"formula": computed from an outcome on record. "reported": by the same formula, from what the
players say of the outcome; never a reward.
"""
METHODS: Mapping[Method, str] = {
    "model": "LLM judge",
    "rules": "rule-based",
    "scripted": "scripted",
    "heuristic": "offline baseline",
    "people": "human raters",
    "formula": "formula",
    "reported": "as reported by the players",
}
"""What a reader calls each."""


def judge_title(name: str, method: Method) -> str:
    """A judge and its kind as headings show them: "openai/gpt-x (LLM judge)"."""
    return f"{name} ({METHODS[method]})"


RULE_BASED: frozenset[Method] = frozenset({"rules", "heuristic", "scripted"})
"""Computed, by rules that say the same each time; models and people read."""

BY_FORMULA: frozenset[Method] = frozenset({"formula", "reported"})
"""Computed from an outcome by the formula of a goal."""

BASELINES: frozenset[Method] = frozenset({"heuristic", "scripted"})
"""Rule-based scores that let everything run offline: no result, and no reward unless asked for."""


JudgeRole: TypeAlias = Literal["judge", "reader", "sheet"]
"""A reader only reads off transcripts what was agreed; "sheet": it fills in another sheet than the
world's own."""


def foremost(judges: Mapping[str, JudgeId], *, with_people: bool = False) -> tuple[str, ...]:
    """Whose scores lead where no judge is named, of these by label.

    Models and rules that were asked to judge; without any, people, whose ratings mostly cover a
    part of the episodes and come after a run; then readers; then formulas over what is on record;
    then formulas over what the players report; then rule-based baselines; then further sheets,
    which ask something else. So a reader, whose method is the same for all agents, comes before
    what the agents themselves said, and what is on record before a baseline. `with_people`: people
    beside models and rules, where several may lead.
    """
    by_place: dict[int, list[str]] = {}
    by_method: Mapping[Method, int] = {"people": 1, "formula": 3, "reported": 4}
    for label, judge in judges.items():
        place = 2 if judge.role == "reader" else by_method.get(judge.method, 0)
        place = 0 if with_people and judge.method == "people" else place
        place = 6 if judge.role == "sheet" else 5 if judge.method in BASELINES else place
        by_place.setdefault(place, []).append(label)
    return tuple(by_place[min(by_place)]) if by_place else ()


@dataclass(frozen=True, slots=True)
class Measure:
    """A named quantity and the range of its values, both ends included."""

    name: str
    low: float
    high: float
    whole: bool = False
    title: str = ""

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise WorldError(f"measure {self.name}: the range {self.low} to {self.high} is empty")

    @property
    def yes_no(self) -> bool:
        """Whether it has two values, 1 for yes and 0 for no."""
        return self.whole and (self.low, self.high) == (0, 1)


def measure_called(name: str, candidates: Iterable[Measure]) -> str:
    """The name of the measure that somebody calls so: its name, or what stands over it in tables.

    Upper and lower case are one, and so are spaces, hyphens and underscores. What is called so by
    none stays as it is.
    """
    measures = tuple(candidates)
    names = {_spelled(measure.title): measure.name for measure in measures if measure.title}
    names |= {_spelled(measure.name): measure.name for measure in measures}
    exactly = {measure.name: measure.name for measure in measures}
    return exactly.get(name) or names.get(_spelled(name), name)


def _spelled(text: str) -> str:
    return re.sub(r"[\s_-]+", " ", text).strip().casefold()


def label_like(name: str, labels: Iterable[str], flag: str) -> str:
    """The label that is wanted, or the only one that holds what is; else `name` as it is, which
    is for the caller to refuse. ConfigError where several labels hold it."""
    choices: Sequence[str] = tuple(dict.fromkeys(labels))
    if name in choices:
        return name
    fits = [label for label in choices if _ends(label).casefold() == name.casefold()]
    fits = fits or [label for label in choices if name.casefold() in label.casefold()]
    if len(fits) > 1:
        raise ConfigError(f'{flag}: "{name}" may be any of {", ".join(fits)}; give more of it')
    return fits[0] if fits else name


def _ends(label: str) -> str:
    """What a label is mostly called by: the model of an endpoint, the class of a module."""
    return label.rpartition(":")[2] if label.startswith("python:") else label.partition("/")[2]


def judge_called(name: str, candidates: Iterable[str], where: str) -> str:
    """The judge that somebody names, by its label or a part of it (`label_like`); ConfigError where
    none of those that are known is called so, `where` being what they judged."""
    labels = tuple(dict.fromkeys(candidates))
    label = label_like(name, labels, "--judge")
    if label not in labels:
        raise ConfigError(
            f'--judge: no judge "{name}" scored {where}; choose one of '
            f"{', '.join(labels) or 'none'}"
        )
    return label


UNTOLD = Measure("judging", 0, 1, title="any score (the judge broke before it named one)")
"""Stands for the measures of a judge that has not given a single verdict yet."""


@dataclass(frozen=True, slots=True)
class RatedBy:
    """Who gave a rating, how many seconds it took, and when it was given, in UTC as ISO 8601; None
    and "" where it is not known. `rater` is a pseudonym, and one person in all sets."""

    rater: str
    seconds: float | None = None
    when: str = ""

    def sign(self, reason: str) -> str:
        """A reason as it is shown: "[anna 42 s 2026-03-01T14:05:00Z] why"."""
        took = "" if self.seconds is None else f"{self.seconds:.10g} s"
        return f"[{' '.join(filter(None, (self.rater, took, self.when)))}] {reason}".rstrip()


@dataclass(frozen=True, slots=True)
class Score:
    """A value inside its measure's range, of one seat or (`seat` None) of the whole episode.

    A value outside the range, or a fraction where whole numbers are due, cannot be built.
    `rated_by` says which person gave it.
    """

    measure: Measure
    seat: str | None
    value: float
    reason: str = ""
    rated_by: RatedBy | None = None

    def __post_init__(self) -> None:
        low, high = self.measure.low, self.measure.high
        if not low <= self.value <= high:
            raise WorldError(
                f"{self.measure.name} lies between {low:g} and {high:g}; found {self.value:g}"
            )
        if self.measure.whole and self.value != int(self.value):
            raise WorldError(f"{self.measure.name} is a whole number; found {self.value:g}")


@dataclass(frozen=True, slots=True)
class ScoreFailure:
    """A score that was due and is missing, with its cause. Never counted as a value."""

    measure: Measure
    seat: str | None
    cause: Cause
    problem: str
    raw: str = ""
    attempts: int = 1


NotKnown: TypeAlias = Literal["cannot tell", "disputed", "unconfirmed", "not applicable"]
"""Why there is no value. "disputed": those who were there differ; "unconfirmed": they agree, and
nothing but their word shows it; "not applicable": no value is due, and none counts as missing."""

NO_ANSWERS: tuple[NotKnown, ...] = ("cannot tell", "not applicable")
"""What may be said of a yes/no question instead."""


@dataclass(frozen=True, slots=True)
class Unscored:
    """No value: the judge cannot tell, or what it goes by does not establish one. Not a failure.

    `low` and `high` bound the value that it could have; None: the measure's own range. Bounds that
    are no part of it cannot be built.
    """

    measure: Measure
    seat: str | None
    why: str
    kind: NotKnown = "cannot tell"
    low: float | None = None
    high: float | None = None
    rated_by: RatedBy | None = None

    def __post_init__(self) -> None:
        low, high = self.bounds
        if not self.measure.low <= low <= high <= self.measure.high:
            raise WorldError(
                f"the bounds of {self.measure.name} lie between {self.measure.low:g} and "
                f"{self.measure.high:g}, the lower one first; found {low:g} and {high:g}"
            )

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the most that the value could be."""
        return (
            self.measure.low if self.low is None else self.low,
            self.measure.high if self.high is None else self.high,
        )


Verdict: TypeAlias = Score | ScoreFailure | Unscored


@dataclass(frozen=True, slots=True)
class JudgeId:
    """Who judged.

    `name` is that of its model, its Python class, its set of ratings, or its own; `settings` a hash
    of its prompts and settings; `sheet` the sheet that it fills in; `code` the fingerprint of its
    Python class (`core.code_fingerprint`); `prompts` whose texts it got.
    """

    name: str
    method: Method
    settings: str = ""
    role: JudgeRole = "judge"
    sheet: str = ""
    code: str | None = None
    prompts: Prompts | None = None

    @property
    def prefix(self) -> str:
        """What its label begins with: what it does, if it does not judge as the world has it."""
        by_role = {"judge": "", "reader": "reader:", "sheet": f"sheet:{self.sheet}:"}
        return by_role[self.role]

    @property
    def label(self) -> str:
        """What people call it, such as "reader:openai/gpt-x"; nothing is read back out of it."""
        return f"{self.prefix}{self.name}"

    @property
    def mark(self) -> str:
        """What tells it from others of its label."""
        return (digest(self.settings, self.code) if self.code else self.settings)[:8]

    @property
    def version(self) -> str:
        """Its settings, code and prompts as they are shown: hashes, with what the prompts are."""
        code = f"code {self.code}" if self.code else ""
        return ", ".join(filter(None, (self.settings, code, str(self.prompts or ""))))

    def as_json(self) -> dict[str, Any]:
        """What stands in JSON beside its label and its settings."""
        return {
            "method": self.method,
            "role": self.role,
            "model": self.name,
            "sheet": self.sheet,
            "code": self.code,
            "prompts": asdict(self.prompts) if self.prompts else None,
        }

    def recorded(self) -> list[Any]:
        """As the settings of a run keep it."""
        return [self.label, self.settings, self.as_json()]
