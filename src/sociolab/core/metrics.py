"""What does a world declare of its figures and of those who play?

It is stored with every run, so that a store can be read where the world is not installed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias, TypeVar

from sociolab.core.errors import StoreError
from sociolab.core.score import Method

AgentKind: TypeAlias = Literal["model", "rules", "person", "own code", "plugin", "imported"]
"""Who plays: a language model, rules of the world, a person, somebody's Python class, an agent that
a package registered, or whoever played what was imported."""

Better: TypeAlias = Literal["higher", "lower", ""]
"""Which end of a metric is the better one; "" where neither is."""

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Metric:
    """How a measure is shown: the label over its columns, a tooltip, a unit, and which end is
    better. Its range and title are the measure's (`core.score.Measure`), which judges give.

    `macro`: beside it stands its mean over clusters.
    """

    name: str
    label: str = ""
    tooltip: str = ""
    unit: str = ""
    better: Better = "higher"
    macro: bool = False


@dataclass(frozen=True, slots=True)
class Declared:
    """What reports, comparisons and pages need to know of a world, and of the agents of a run.

    `metrics` stand in the order of tables; of `main`, the first that has values is compared.
    `cluster` is what one independent observation is called. `agreement` names the shares of yes by
    one reading and by another, and the share on which the two agree: Cohen's kappa stands below
    them. `judges` says in a clause what to think of judges of a method, where that differs from
    those of other worlds. `agents` holds what each agent is, by label: a world declares those of
    its own players that are no rules, a run all of its agents. `published` says in a sentence what
    the world's paper found of a model judge beside people, by who played ("models", "people").

    `spoken` names the actions that are speech: the words of these are counted, and stand for
    themselves where turns are shown (none named: the words of all actions count). `acts` says how
    other actions read once they are done, such as {"none": "did nothing"}, `ends` why an episode
    ended in the world's own words, by reason. `roles` titles the seats that mean the same in every
    task, such as {"proposer": "Proposer"}: figures stand by role then, too.
    """

    metrics: tuple[Metric, ...] = ()
    main: tuple[str, ...] = ("overall",)
    cluster: str = "cluster"
    agreement: tuple[str, ...] = ()
    judges: Mapping[Method, str] = field(default_factory=dict)
    agents: Mapping[str, AgentKind] = field(default_factory=dict)
    published: Mapping[str, str] = field(default_factory=dict)
    spoken: tuple[str, ...] = ()
    acts: Mapping[str, str] = field(default_factory=dict)
    ends: Mapping[str, str] = field(default_factory=dict)
    roles: Mapping[str, str] = field(default_factory=dict)

    @property
    def macro(self) -> tuple[str, ...]:
        """The measures beside which their mean over clusters stands."""
        return tuple(metric.name for metric in self.metrics if metric.macro)

    @property
    def order(self) -> tuple[str, ...]:
        """The names of the measures that come first, in their order."""
        return tuple(metric.name for metric in self.metrics)

    def metric(self, name: str) -> Metric:
        """The metric of this name; one of which nothing is declared has no better end."""
        found = {metric.name: metric for metric in self.metrics}
        return found.get(name) or Metric(name, better="")

    def ordered(self, items: Iterable[Item], name: Callable[[Item], str]) -> tuple[Item, ...]:
        """Items that belong to measures, in the order of these; all others follow as they came."""
        place = {one: i for i, one in enumerate(self.order)}
        return tuple(sorted(items, key=lambda item: place.get(name(item), len(place))))

    def as_json(self) -> str:
        """As a store keeps it."""
        return json.dumps(asdict(self), ensure_ascii=False, sort_keys=True)


UNDECLARED = Declared()
"""What is known of a run whose world says nothing."""


def declared_from(text: str) -> Declared:
    """What a store holds; StoreError where it is none of ours."""
    try:
        values: dict[str, Any] = json.loads(text)
        values["metrics"] = tuple(Metric(**one) for one in values["metrics"])
        lists = {name: tuple(one) for name, one in values.items() if isinstance(one, list)}
        return Declared(**values | lists)
    except (ValueError, TypeError, KeyError) as error:
        raise StoreError(f"what the run's world declared cannot be read: {error}") from error
