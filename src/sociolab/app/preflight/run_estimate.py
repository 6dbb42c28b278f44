"""The estimate of a run: calls, tokens, cost and time at both ends of its range, as a table."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias

from sociolab.core.ports import Role, Usage
from sociolab.models.budget import Price
from sociolab.report.section import Section, TextTable
from sociolab.report.words import listed, money, percent, plural


@dataclass(slots=True)
class CallCounts:
    """Calls and their tokens; `cached` prompt tokens repeat the beginning of an earlier prompt."""

    calls: int = 0
    prompt: int = 0
    cached: int = 0
    completion: int = 0

    def add(self, other: CallCounts, times: float = 1) -> None:
        """So many times the other's, rounded."""
        self.calls += round(other.calls * times)
        self.prompt += round(other.prompt * times)
        self.cached += round(other.cached * times)
        self.completion += round(other.completion * times)

    def usd(self, price: Price | None, *, cached: bool = False) -> float | None:
        """Dollars, with all or nothing of what repeats read from the provider's cache; None where
        there is no price."""
        repeated = self.cached if cached else 0
        return price.of(Usage(self.prompt, self.completion, repeated)) if price else None


@dataclass(frozen=True, slots=True)
class ReplyLimit:
    """The tokens at which a reply to a kind of question is cut, and those that it may need."""

    tokens: int
    needs: int


Parts: TypeAlias = dict[tuple[str, Role], CallCounts]
"""By model and role."""


@dataclass(slots=True)
class Case:
    """What a run takes if all its trials go like this, by model and role.

    `longest` counts the calls of each model in the trial that has most of them. `seconds` is None
    where it is not known how long a call takes.
    """

    name: str
    parts: Parts = field(default_factory=lambda: defaultdict(CallCounts))
    longest: Counter[str] = field(default_factory=Counter)
    seconds: float | None = None

    @property
    def models(self) -> dict[str, CallCounts]:
        """The sums by model."""
        found: dict[str, CallCounts] = defaultdict(CallCounts)
        for (model, _), part in sorted(self.parts.items()):
            found[model].add(part)
        return dict(found)

    @property
    def whole(self) -> CallCounts:
        """The sum of all."""
        found = CallCounts()
        for part in self.parts.values():
            found.add(part)
        return found

    def with_all(self, other: Case) -> Case:
        """This case, and another one beside it."""
        found = Case(self.name, longest=self.longest, seconds=self.seconds)
        for case in (self, other):
            for key, part in case.parts.items():
                found.parts[key].add(part)
        return found

    def add_trials(self, parts: Mapping[tuple[str, Role], CallCounts], count: float = 1) -> None:
        """So many trials more that each take this."""
        calls: Counter[str] = Counter()
        for (model, role), part in parts.items():
            self.parts[model, role].add(part, count)
            calls[model] += part.calls
        self.longest |= calls


@dataclass(frozen=True, slots=True)
class RunEstimate:
    """What a run would take: `cases` are the low and the high end of a range and, in a world of
    turns, the most that it can be: all episodes run to their turn limit, and answers that can be
    complained of are asked for again as often as they may be. There, calls are exact but for
    replies that cannot be read.

    Tokens are measured on `measured` of the tasks, at four characters each. Dollars are without the
    provider's cache unless it is said otherwise. `about` says what the range rests on. `prices` has
    every model of the run, with None for one whose price is not known, of which `no_price` is a
    sentence; `addresses` says where each would be called. `uncounted` are agents and judges of the
    user's own code, whose calls nobody knows. `expected` is known where plays are simulated.
    `limits` are those of replies, by spec and kind of question. `budget` is the run's, in dollars.
    `exam` is what the exams take that its judges have not sat: in no case, and in no mean.

    >>> found = estimate(RunConfig(agents=("openai/m",), judges=("none",)))  # doctest: +SKIP
    >>> found.most.models["openai/m"].calls  # doctest: +SKIP
    9000
    """

    trials: int
    tasks: int
    measured: int
    cases: tuple[Case, ...]
    prices: dict[str, Price | None]
    time: str = ""
    about: str = ""
    uncounted: tuple[str, ...] = ()
    addresses: Mapping[str, str] = field(default_factory=dict)
    no_price: str = ""
    expected: Case | None = None
    limits: Mapping[str, Mapping[str, ReplyLimit]] = field(default_factory=dict)
    budget: float | None = None
    exam: Case | None = None

    @property
    def range(self) -> tuple[Case, Case]:
        """The low and the high end."""
        return self.cases[0], self.cases[min(1, len(self.cases) - 1)]

    @property
    def most(self) -> Case:
        """The case that takes most."""
        return self.cases[-1]

    @property
    def unpriced(self) -> tuple[str, ...]:
        """The models whose cost is not known."""
        return tuple(sorted(name for name, price in self.prices.items() if price is None))

    @property
    def episode_usd(self) -> float | None:
        """What an episode is expected to cost, judges included: in the middle of the range, if
        nothing better is known. None without a price, and where own code may make calls."""
        ends = [
            self.usd(case) for case in (self.range if self.expected is None else [self.expected])
        ]
        known = [usd for usd in ends if usd is not None]
        if not known or len(known) < len(ends) or self.uncounted:
            return None
        return sum(known) / len(known) / max(self.trials, 1)

    @property
    def too_short(self) -> tuple[str, ...]:
        """For each model whose `max_tokens` is less than its replies may need, a sentence."""
        told = []
        for label, kinds in sorted(self.limits.items()):
            short = {kind: limit for kind, limit in kinds.items() if limit.tokens < limit.needs}
            if short:
                tokens = min(limit.tokens for limit in short.values())
                kinds_told = listed([f"{kind} ({one.needs:,})" for kind, one in short.items()])
                told.append(
                    f"{label}: max_tokens = {tokens:,} is less than its replies may need: "
                    f"{kinds_told}; what is longer is cut and fails; raise it or leave it out"
                )
        return tuple(told)

    @property
    def affordable(self) -> int | None:
        """About how many episodes the budget buys; None without one, or without prices."""
        if self.budget is None or not self.episode_usd:
            return None
        exam = (self.usd(self.exam) if self.exam else None) or 0.0
        return min(self.trials, int(max(0.0, self.budget - exam) / self.episode_usd))

    def usd(self, case: Case, *, cached: bool = False) -> float | None:
        """Dollars of all models together; None if one of them has no price."""
        found = [part.usd(self.prices[name], cached=cached) for name, part in case.models.items()]
        known = [usd for usd in found if usd is not None]
        return sum(known) if len(known) == len(found) else None

    def document(self) -> dict[str, Any]:
        """As JSON; a cost that is not known is null."""
        return {
            "schema": 1,
            "dry_run": True,
            "trials": self.trials,
            "tasks": self.tasks,
            "measured_tasks": self.measured,
            "budget_usd": self.budget,
            "affordable_trials": self.affordable,
            "cases": [
                {
                    "case": case.name,
                    "calls": sum(part.calls for part in case.parts.values()),
                    "cost_usd": self.usd(case),
                    "cost_usd_cached": self.usd(case, cached=True),
                    "seconds": case.seconds,
                    "models": {
                        model: {**self._figures(model, part), "roles": self._roles(case, model)}
                        for model, part in case.models.items()
                    },
                }
                for case in filter(None, (*self.cases, self.expected, self.exam))
            ],
            "no_price": list(self.unpriced),
            "not_counted": list(self.uncounted),
            "addresses": dict(self.addresses),
            "longest_replies": {
                label: {kind: asdict(limit) for kind, limit in kinds.items()}
                for label, kinds in self.limits.items()
            },
        }

    def _roles(self, case: Case, model: str) -> dict[str, Any]:
        parts = sorted(case.parts.items())
        return {role: self._figures(model, one) for (name, role), one in parts if name == model}

    def _figures(self, model: str, part: CallCounts) -> dict[str, Any]:
        price = self.prices[model]
        return {
            "calls": part.calls,
            "prompt_tokens": part.prompt,
            "repeated_tokens": part.cached,
            "completion_tokens": part.completion,
            "cost_usd": part.usd(price),
            "cost_usd_cached": part.usd(price, cached=True),
        }

    def section(self) -> Section:
        """As a table, with what it rests on."""
        said = [
            f"{plural(self.trials, 'trial')} of {plural(self.tasks, 'task')}; no model was called, "
            "nothing was stored"
        ]
        said += [f"{model} at {address}" for model, address in self.addresses.items()]
        cautions = [*self.too_short]
        if self.budget is not None and (count := self.affordable) is not None:
            verb = "covers all" if count == self.trials else f"buys about {count:,} of"
            said.append(f"{money(self.budget)} {verb} {plural(self.trials, 'episode')}")
        if self.no_price:
            cautions.append(f"{self.no_price}: until then, that cost is unknown")
        if self.uncounted:
            cautions.append(
                f"not counted: calls that {listed(self.uncounted)} may make; that code was not "
                "asked anything, and what it does can change the other figures too"
            )
        if not self.prices:
            said += [] if self.uncounted else ["no model is called: this run is free"]
            return Section("Dry run", tuple(said), tuple(cautions))
        return Section("Dry run", (*said, self.time), tuple(cautions), (self._table(),))

    def _table(self) -> TextTable:
        caching = any(price and price.cached is not None for price in self.prices.values())
        low, high = self.range
        rows = []
        for key in sorted({**low.parts, **high.parts}):
            ends = [case.parts.get(key, CallCounts()) for case in (low, high)]
            usd = [[end.usd(self.prices[key[0]], cached=c) for end in ends] for c in (False, True)]
            rows.append((*key, *_cells(ends, usd, caching=caching)))
        if exam := self.exam:
            for model, part in exam.models.items():
                usd = [[part.usd(self.prices[model], cached=c)] for c in (False, True)]
                rows.append((model, "exam", *_cells([part], usd, caching=caching)))
            low, high = (case.with_all(exam) for case in (low, high))
        if len(rows) > 1:
            usd = [[self.usd(case, cached=one) for case in (low, high)] for one in (False, True)]
            rows.append(("total", "", *_cells([low.whole, high.whole], usd, caching=caching)))
        columns = ["model", "role", "calls", "tokens in", "tokens out", "cost"]
        columns += ["if cached"] if caching else []
        return TextTable("Calls, tokens, cost", tuple(columns), tuple(rows), self._notes(), (1,))

    def _notes(self) -> tuple[str, ...]:
        whole = self.most.whole
        tokens = (
            f"tokens: measured on the prompts of {plural(self.measured, 'task')}, at four "
            "characters per token; reasoning models write more"
        )
        cached = (
            "if cached: cost if every repeated prompt prefix "
            f"({percent(whole.cached / max(whole.prompt, 1))} of input tokens) is read from cache"
        )
        priced = any(price and price.cached is not None for price in self.prices.values())
        bound = [self._bound()] if len(self.cases) > 2 else []
        if self.exam is not None:
            bound.append("exam: once for each new judge; --exam off leaves it")
        about = [f"range: {self.about}"] if self.about else []
        if self.expected is not None:
            usd = self.usd(self.expected)
            cost = "" if usd is None else f" and {money(usd)}"
            about.insert(0, f"expected: {plural(self.expected.whole.calls, 'call')}{cost}")
        return (*about, *bound, tokens, *self._longest(), *([cached] if priced else []))

    def _longest(self) -> list[str]:
        """Where replies are cut, once for models that are cut alike."""
        whose: dict[str, list[str]] = defaultdict(list)
        for label, kinds in sorted(self.limits.items()):
            for kind, limit in kinds.items():
                whose[f"{kind} {limit.tokens:,}"].append(label)
        alike: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for told, labels in whose.items():
            alike[tuple(labels)].append(told)
        return [
            f"longest replies{f' of {listed(labels)}' if len(alike) > 1 else ''}: "
            f"{', '.join(told)} tokens"
            for labels, told in alike.items()
        ]

    def _bound(self) -> str:
        usd = self.usd(self.most)
        cost = "" if usd is None else f" and {money(usd)}"
        return (
            f"at most {plural(self.most.whole.calls, 'call')}{cost} if every episode runs to its "
            "turn limit and closing answers are asked for again as often as they may be, but no "
            "other reply is"
        )


def _cells(
    ends: Sequence[CallCounts], usd: Sequence[Sequence[float | None]], *, caching: bool
) -> tuple[str, ...]:
    counts = [[getattr(end, name) for end in ends] for name in ("calls", "prompt", "completion")]
    dollars = [["no price" if one is None else money(one) for one in both] for both in usd]
    told = [[_count(one) for one in both] for both in counts] + dollars[: 1 + caching]
    return tuple("–".join(dict.fromkeys(both)) for both in told)  # noqa: RUF001


def _count(number: int) -> str:
    """In full below 10,000, and else in thousands or millions."""
    if number < 10_000:
        return f"{number:,}"
    return f"{number / 1e3:.0f}k" if number < 1e6 else f"{number / 1e6:,.2f}M"
