"""What a judge returns of an episode: scores, failed scores, and scores that it left open."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

from sociolab.core.errors import Cause, ConfigError, WorldError
from sociolab.core.instructions import Prompts
from sociolab.core.names import fold_name
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
"""The name of each method in tables and text."""


def judge_title(name: str, method: Method) -> str:
    """A judge and its method, for headings: "openai/gpt-x (LLM judge)"."""
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


def leading_judges(judges: Mapping[str, JudgeId], *, with_people: bool = False) -> tuple[str, ...]:
    """The labels of the judges whose scores lead where the user names none.

    Models and rules come first; without any, people, whose ratings mostly cover a part of the
    episodes and come after a run; then readers; then formulas over the recorded outcome; then
    formulas over what the players report; then rule-based baselines; then other rating sheets,
    which ask something else. So a reader, whose method is the same for all agents, comes before
    what the agents themselves said, and what is on record before a baseline. `with_people` ranks
    people with models and rules, where several judges may lead. They keep their order, which of a
    run's judges is that of `Store.verdicts.judges`. Empty without judges.
    """
    by_place: dict[int, list[str]] = {}
    by_method: Mapping[Method, int] = {"people": 1, "formula": 3, "reported": 4}
    for label, judge in judges.items():
        place = 2 if judge.role == "reader" else by_method.get(judge.method, 0)
        place = 0 if with_people and judge.method == "people" else place
        place = 6 if judge.role == "sheet" else 5 if judge.method in BASELINES else place
        by_place.setdefault(place, []).append(label)
    return tuple(by_place[min(by_place)]) if by_place else ()


def leading_judge(judges: Mapping[str, JudgeId]) -> str | None:
    """The label of the judge whose scores lead: the first of `leading_judges`, so that a judge that
    is added to a run later never displaces the one before it. None without judges.

    >>> from sociolab.core.score import JudgeId, leading_judge
    >>> first, later = JudgeId("z", "model"), JudgeId("a", "model")
    >>> leading_judge({judge.label: judge for judge in (JudgeId("f", "formula"), first, later)})
    'z'
    """
    return next(iter(leading_judges(judges)), None)


@dataclass(frozen=True, slots=True)
class Measure:
    """A metric with the range of its values, both ends included; WorldError for an empty range.

    `whole`: values are integers. `title` is its name in tables, by default `name`.

    >>> from sociolab.judging import Measure
    >>> Measure("goal", 0, 10).yes_no, Measure("secret_kept", 0, 1, whole=True).yes_no
    (False, True)
    >>> Measure("goal", 10, 0)
    Traceback (most recent call last):
        ...
    sociolab.core.errors.WorldError: measure goal: the range 10 to 0 is empty
    """

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
        """Whether its values are 1 for yes and 0 for no, and nothing between."""
        return self.whole and (self.low, self.high) == (0, 1)


def resolve_measure(name: str, candidates: Iterable[Measure]) -> str:
    """The name of the metric that a user means by its name or its title in tables.

    Case is ignored, and spaces, hyphens and underscores are equal. If nothing matches, `name` is
    returned as it is, for the caller to refuse.

    >>> from sociolab.core import Measure, resolve_measure
    >>> resolve_measure("Kept Secret", [Measure("secret", -10, 0, title="kept secret")])
    'secret'
    """
    measures = tuple(candidates)
    names = {_spelled(measure.title): measure.name for measure in measures if measure.title}
    names |= {_spelled(measure.name): measure.name for measure in measures}
    exactly = {measure.name: measure.name for measure in measures}
    return exactly.get(name) or names.get(_spelled(name), name)


def _spelled(text: str) -> str:
    return fold_name(re.sub(r"[\s_-]+", " ", text))


def match_label(name: str, labels: Iterable[str], flag: str) -> str:
    """The label that a user means by `name`: that label, its short name, or the only one with it.

    Else `name` itself, for the caller to refuse; ConfigError where several labels contain it.
    """
    choices: Sequence[str] = tuple(dict.fromkeys(labels))
    if name in choices:
        return name
    fits = [label for label in choices if fold_name(_short_name(label)) == fold_name(name)]
    fits = fits or [label for label in choices if fold_name(name) in fold_name(label)]
    if len(fits) > 1:
        raise ConfigError(f'{flag}: "{name}" may be any of {", ".join(fits)}; give more of it')
    return fits[0] if fits else name


def _short_name(label: str) -> str:
    """The model without its endpoint, the class without its module."""
    return label.rpartition(":")[2] if label.startswith("python:") else label.partition("/")[2]


def resolve_judge(name: str, candidates: Iterable[str], where: str) -> str:
    """The label of the judge that a user means (see `match_label`).

    ConfigError where no candidate matches; `where` says in it what the candidates judged.
    """
    labels = tuple(dict.fromkeys(candidates))
    label = match_label(name, labels, "--judge")
    if label not in labels:
        raise ConfigError(
            f'--judge: no judge "{name}" scored {where}; choose one of '
            f"{', '.join(labels) or 'none'}"
        )
    return label


UNNAMED_MEASURE = Measure("judging", 0, 1, title="any score (the judge broke before it named one)")
"""Stands for the measures of a judge that failed before it gave its first verdict."""


@dataclass(frozen=True, slots=True)
class RatedBy:
    """Who gave a rating, how long it took, and when (UTC, ISO 8601); None or "" if not known.

    `rater` is a pseudonym, the same in all of a person's sets.
    """

    rater: str
    seconds: float | None = None
    when: str = ""

    def sign(self, reason: str) -> str:
        """The reason with its author: "[anna 42 s 2026-03-01T14:05:00Z] why"."""
        took = "" if self.seconds is None else f"{self.seconds:.10g} s"
        return f"[{' '.join(filter(None, (self.rater, took, self.when)))}] {reason}".rstrip()


@dataclass(frozen=True, slots=True)
class Score:
    """A value of a metric, for one seat or, with `seat` None, for the whole episode.

    WorldError for a value outside the metric's range, or a fraction of an integer metric.
    `rated_by` is the person who gave it. `outcome` is what the judge found to have come of the
    episode, as a record in the world's own terms, such as {"agreed": false}; None where it tells
    none. Scores of the same value are equal, whatever their outcome.

    >>> from sociolab.judging import Measure, Score
    >>> goal = Measure("goal", 0, 10)
    >>> Score(goal, "ann", 7, "She got most of what she wanted.").value
    7
    >>> Score(goal, "ann", 11)
    Traceback (most recent call last):
        ...
    sociolab.core.errors.WorldError: goal lies between 0 and 10; found 11
    """

    measure: Measure
    seat: str | None
    value: float
    reason: str = ""
    rated_by: RatedBy | None = None
    outcome: Mapping[str, Any] | None = field(default=None, compare=False)

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
    """A score that was due and is missing, with its cause. It never counts as a value.

    `problem` says in words what is wrong, `raw` is the reply, `attempts` how often the judge was
    asked.

    >>> from sociolab.judging import Measure, ScoreFailure
    >>> failure = ScoreFailure(Measure("goal", 0, 10), "ann", "unreadable", "expected a number")
    >>> failure.cause, failure.attempts
    ('unreadable', 1)
    """

    measure: Measure
    seat: str | None
    cause: Cause
    problem: str
    raw: str = ""
    attempts: int = 1


NotKnown: TypeAlias = Literal["cannot tell", "disputed", "unconfirmed", "not applicable"]
"""Why there is no value. "disputed": the participants disagree; "unconfirmed": they agree, and
nothing but their word shows it; "not applicable": no value is due, and none counts as missing."""

NO_ANSWERS: tuple[NotKnown, ...] = ("cannot tell", "not applicable")
"""Answers to a yes/no question beside yes and no."""


@dataclass(frozen=True, slots=True)
class Unscored:
    """No value: the judge cannot tell, or its evidence does not establish one. This is no failure.

    `kind` is "cannot tell", "disputed", "unconfirmed" or "not applicable". `low` and `high` bound
    the possible values (default: the metric's range); WorldError for bounds outside it.

    >>> from sociolab.judging import Measure, Unscored
    >>> goal = Measure("goal", 0, 10)
    >>> Unscored(goal, "ann", "they never name a price").bounds
    (0, 10)
    >>> Unscored(goal, "ann", "they disagree on the price", "disputed", low=4, high=6).bounds
    (4, 6)
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
        """The least and the greatest possible value."""
        return (
            self.measure.low if self.low is None else self.low,
            self.measure.high if self.high is None else self.high,
        )


Verdict: TypeAlias = Score | ScoreFailure | Unscored


@dataclass(frozen=True, slots=True)
class JudgeId:
    """Identifies a judge; scores of judges with different ids are never mixed.

    `name` is its model, its Python class, its set of ratings, or a name of its own; `method` says
    how it scores ("rules", "model", "people", ...); `settings` is a hash of its prompts and
    settings; `sheet` the sheet that it fills in; `code` the fingerprint of its Python class
    (`core.code_fingerprint`); `prompts` the prompt set it got.

    >>> from sociolab.judging import JudgeId
    >>> JudgeId("asks", "rules").label, JudgeId("openai/m", "model", role="reader").label
    ('asks', 'reader:openai/m')
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
        """What its label begins with: "" for a judge, "reader:", "sheet:NAME:"."""
        by_role = {"judge": "", "reader": "reader:", "sheet": f"sheet:{self.sheet}:"}
        return by_role[self.role]

    @property
    def label(self) -> str:
        """Its name to people, such as "reader:openai/gpt-x"; never parsed."""
        return f"{self.prefix}{self.name}"

    @property
    def mark(self) -> str:
        """A short hash that tells it from other judges with its label."""
        return (digest(self.settings, self.code) if self.code else self.settings)[:8]

    @property
    def version(self) -> str:
        """Hashes of its settings, code and prompts, for tables."""
        code = f"code {self.code}" if self.code else ""
        return ", ".join(filter(None, (self.settings, code, str(self.prompts or ""))))

    def as_json(self) -> dict[str, Any]:
        """Its fields in JSON, beside label and settings."""
        return {
            "method": self.method,
            "role": self.role,
            "model": self.name,
            "sheet": self.sheet,
            "code": self.code,
            "prompts": asdict(self.prompts) if self.prompts else None,
        }

    def as_document(self) -> dict[str, Any]:
        """Its JSON, with label and settings, in a result of a single judge."""
        return {"name": self.label, "settings": self.settings, **self.as_json()}

    def as_row(self) -> list[Any]:
        """Label, settings and the rest, as the settings of a run store it."""
        return [self.label, self.settings, self.as_json()]
