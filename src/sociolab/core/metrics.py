"""What a world declares of its metrics, roles and players, for reports and pages.

It is stored with every run, so that a store can be read where the world is not installed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, TypeVar

from sociolab.core.episode import AgentKind
from sociolab.core.errors import StoreError
from sociolab.core.score import Method

Better: TypeAlias = Literal["higher", "lower", ""]
"""Which end of a metric is the better one; "" where neither is."""

TRAINING_PARTNER = "training partner"
"""Why a run is a smoke test in which somebody sits who is made to train against."""

MACRO = "_macro"
"""Suffix of the name of a metric's macro average, the mean over clusters."""

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Metric:
    """How a metric is shown: tooltip, unit, which end is better, and `label`, its name in full if
    its title is an abbreviation. Judges give its range and title (`core.score.Measure`).

    `macro`: its mean over clusters is shown beside it. A name such as "recall_at_*" stands for all
    metrics with a number in the place of the star.

    >>> import sociolab.plugin.api as lab
    >>> lab.Metric("payoff", tooltip="Points kept", unit="points").describe(0, 100)
    'Points kept. 0 to 100 (points), higher is better.'
    """

    name: str
    label: str = ""
    tooltip: str = ""
    unit: str = ""
    better: Better = "higher"
    macro: bool = False

    def describe(self, low: float, high: float | None) -> str:
        """A tooltip for its name: label, description, range from `low` to `high`, direction.

        >>> from sociolab.core import Metric
        >>> Metric("goal", "goal completion", "How far the goal was reached").describe(0, 10)
        'Goal completion: How far the goal was reached. 0 to 10, higher is better.'
        """
        name = f"{self.label[:1].upper()}{self.label[1:]}"
        what = ": ".join(part for part in (name, self.tooltip) if part)
        ends = format_range(low, high) + (f" ({self.unit})" if self.unit else "")
        better = f", {self.better} is better" if self.better else ""
        return f"{what}. {ends}{better}." if what else f"{ends}{better}."

    @property
    def mark(self) -> str:
        """A suffix for its title: " ↓" where lower is better, else ""."""
        return LOWER if self.better == "lower" else ""


def metrics(
    unit: str,
    rows: Mapping[str, str | tuple[str, str]],
    *,
    lower: Collection[str] = (),
    neither: Collection[str] = (),
    units: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Metric, ...]:
    """Metrics from a table: by name, a description, or a label and a description.

    Higher is better except in those named in `lower` and `neither`. `unit` applies to all that
    `units` does not name.

    >>> metrics("share", {"f1": ("F1 score", "Mean"), "lost": "Lost"}, lower=["lost"])[1].better
    'lower'
    """
    pairs = {name: row if isinstance(row, tuple) else ("", row) for name, row in rows.items()}
    better: dict[str, Better] = {**dict.fromkeys(lower, "lower"), **dict.fromkeys(neither, "")}
    return tuple(
        Metric(name, *row, units.get(name, unit), better.get(name, "higher"))
        for name, row in pairs.items()
    )


LOWER = " \N{DOWNWARDS ARROW}"


def format_range(low: float, high: float | None) -> str:
    """A range in words: "0 to 10"; "0 or more" where `high` is None or infinite."""
    top = "or more" if high is None or math.isinf(high) else f"to {high:.3g}"
    return f"{low:.3g} {top}".replace("-", "\N{MINUS SIGN}")


def describe_directions(metrics: Mapping[str, Metric]) -> str:
    """Which ends of metrics are better, in a clause; `metrics` is keyed by title.

    >>> describe_directions({"GOAL": Metric("goal"), "lost": Metric("lost", better="lower")})
    'higher is better; lower is better where marked ↓'
    """
    ends = {metric.better for metric in metrics.values()}
    neither = [title for title, metric in metrics.items() if not metric.better]
    clauses = ["higher is better"] if "higher" in ends else []
    clauses += [f"lower is better where marked {LOWER.strip()}"] if "lower" in ends else []
    if neither and clauses:
        clauses.append(f"neither end is better for {'; '.join(neither)}")
    return "; ".join(clauses) or "whether higher is better is not declared"


COUNTED = (
    Metric("words_per_turn", "", "Mean number of words spoken in a turn", "words", ""),
    Metric("turns", "", "Turns taken in an episode, by all seats", "turns", ""),
    Metric("failed_turns", "", "Turns without a usable reply, in an episode", "turns", ""),
    Metric("failed_questions", "", "Questions without a usable answer", "questions", ""),
    Metric("cost_usd", "", "Cost of a seat's calls in an episode", "US dollars", ""),
)
"""Metrics that are counted in the episodes of every world (`report.plays`)."""


@dataclass(frozen=True, slots=True)
class Declared:
    """What reports, comparisons and pages need to know of a world, and of the agents of a run.

    `metrics` are in the order of tables; comparisons use the first of `main` that has values.
    `cluster` is the name of an independent observation, `clusters` how many there are to play in
    all (a run says so of its tasks; 0 where more can be drawn at will). `agreement` names three
    metrics, the shares of yes by one reading and by another, and the share on which the two agree:
    Cohen's kappa is shown below them. `two_rules` names two metrics that score the same by
    different rules: the full report lists the episodes in which they differ. `judges` is a clause
    on judges by a method, where it differs from other worlds. `agents` has the kind of each agent,
    by label: a world declares those of its players that are not rule-based, and a stored run has
    all of its agents here. `published` is a sentence on what the world's paper found of a model
    judge compared with people, by who played ("models", "people").

    `spoken` names the actions that are speech: only their words are counted (if none is named,
    those of all actions), and turns show them without a verb. `acts` has the past tense of other
    actions, such as {"none": "did nothing"}, `ends` the world's words for reasons of an episode's
    end. `roles` titles seats that have the same role in every task, such as {"proposer":
    "Proposer"}; results are then also given by role. `questions` says what optional questions ask
    for, by name. `scripted` says what results of rule-based players are worth ("smoke test: ..."),
    wherever such an agent is named. `partner` is the partner's role, such as "the NPC", if it does
    not take every seat in turn; an agent without a partner plays it itself. `footnote` stands below
    every table and says what differs from the paper (a loader sets it by the settings of a run).
    `measured_by` maps what people rate to the metric that is meant to measure it, such as
    {"informativeness": "iep"}.

    >>> import sociolab.plugin.api as lab
    >>> declared = lab.Declared(metrics=(lab.Metric("payoff", unit="points"),), main=("payoff",),
    ...                         cluster="game", spoken=("offer",))
    >>> declared.metric("payoff").unit, declared.metric("turns").better
    ('points', '')
    """

    metrics: tuple[Metric, ...] = ()
    main: tuple[str, ...] = ("overall",)
    cluster: str = "cluster"
    clusters: int | None = None
    agreement: tuple[str, ...] = ()
    two_rules: tuple[str, ...] = ()
    judges: Mapping[Method, str] = field(default_factory=dict)
    agents: Mapping[str, AgentKind] = field(default_factory=dict)
    published: Mapping[str, str] = field(default_factory=dict)
    spoken: tuple[str, ...] = ()
    acts: Mapping[str, str] = field(default_factory=dict)
    ends: Mapping[str, str] = field(default_factory=dict)
    roles: Mapping[str, str] = field(default_factory=dict)
    questions: Mapping[str, str] = field(default_factory=dict)
    scripted: str = ""
    partner: str = ""
    footnote: str = ""
    measured_by: Mapping[str, str] = field(default_factory=dict)

    @property
    def macro(self) -> tuple[str, ...]:
        """The names of the metrics that are also shown as macro averages."""
        return tuple(metric.name for metric in self.metrics if metric.macro)

    @property
    def order(self) -> tuple[str, ...]:
        """The names of the declared metrics, in the order of tables."""
        return tuple(metric.name for metric in self.metrics)

    def metric(self, name: str) -> Metric:
        """The declared metric of this name; an undeclared one has no better end.

        A macro average is described by its metric, "recall_at_5" by "recall_at_*".
        """
        by_name = {metric.name: metric for metric in (*COUNTED, *self.metrics)}
        names = (name, name.removesuffix(MACRO), _series(name))
        return next((by_name[key] for key in names if key in by_name), Metric(name, better=""))

    def sort(self, items: Iterable[Item], name: Callable[[Item], str]) -> tuple[Item, ...]:
        """Items in the order of the metrics that `name` gives them; undeclared ones come last."""
        ranks = {metric_name: rank for rank, metric_name in enumerate(self.order)}

        def rank_of(item: Item) -> int:
            metric_name = name(item)
            return ranks.get(metric_name, ranks.get(_series(metric_name), len(ranks)))

        return tuple(sorted(items, key=rank_of))

    def as_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, sort_keys=True)


def _series(name: str) -> str:
    return f"{name.rstrip('0123456789')}*"


UNDECLARED = Declared()
"""Stands for the declaration of a world that makes none."""


def parse_declared(text: str) -> Declared:
    """The inverse of `Declared.as_json`; StoreError for anything else."""
    try:
        values: dict[str, Any] = json.loads(text)
        values["metrics"] = tuple(Metric(**row) for row in values["metrics"])
        lists = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
        return Declared(**values | lists)
    except (ValueError, TypeError, KeyError) as error:
        raise StoreError(f"what the run's world declared cannot be read: {error}") from error
