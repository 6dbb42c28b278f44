"""The estimate of a run: calls, tokens, cost and time at both ends of its range, as a table."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias

from sociolab.core.ports import Role, Usage
from sociolab.core.score import JudgeId
from sociolab.models.budget import Price
from sociolab.report.catalogue import Catalogue
from sociolab.report.finding import Count, Finding, FindingTable, Sentence
from sociolab.report.section import Section
from sociolab.report.words import money

SAY = Catalogue("dry_run")


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
        return price.cost_of(Usage(self.prompt, self.completion, repeated)) if price else None


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
        totals: dict[str, CallCounts] = defaultdict(CallCounts)
        for (model, _), part in sorted(self.parts.items()):
            totals[model].add(part)
        return dict(totals)

    @property
    def total(self) -> CallCounts:
        """The sum of all."""
        total = CallCounts()
        for part in self.parts.values():
            total.add(part)
        return total

    def with_all(self, other: Case) -> Case:
        """This case, and another one beside it."""
        combined = Case(self.name, longest=self.longest, seconds=self.seconds)
        for case in (self, other):
            for key, part in case.parts.items():
                combined.parts[key].add(part)
        return combined

    def add_trials(self, parts: Mapping[tuple[str, Role], CallCounts], count: float = 1) -> None:
        """So many trials more that each take this."""
        calls: Counter[str] = Counter()
        for (model, role), part in parts.items():
            self.parts[model, role].add(part, count)
            calls[model] += part.calls
        self.longest |= calls


@dataclass(frozen=True, slots=True)
class ExamEstimate:
    """What it takes a judge to sit the exam of a world, which is kept as a run of this name."""

    judge: JudgeId
    world: str
    run: str
    case: Case


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
    `exams` are those that its judges have not sat: in no case, and in no mean.
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
    exams: tuple[ExamEstimate, ...] = ()

    @property
    def exam(self) -> Case | None:
        """All exams together; None where there are none."""
        total = Case("exam")
        for exam in self.exams:
            total = total.with_all(exam.case)
        return total if self.exams else None

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
        priced = [usd for usd in ends if usd is not None]
        if not priced or len(priced) < len(ends) or self.uncounted:
            return None
        return sum(priced) / len(priced) / max(self.trials, 1)

    @property
    def too_short(self) -> tuple[str, ...]:
        """For each model whose `max_tokens` is less than its replies may need, a sentence."""
        short = {
            label: {kind: limit for kind, limit in kinds.items() if limit.tokens < limit.needs}
            for label, kinds in sorted(self.limits.items())
        }
        return tuple(
            SAY(
                "too_short",
                model=label,
                tokens=min(limit.tokens for limit in kinds.values()),
                replies=[SAY("reply", kind=kind, n=limit.needs) for kind, limit in kinds.items()],
            )
            for label, kinds in short.items()
            if kinds
        )

    @property
    def affordable(self) -> int | None:
        """About how many episodes the budget buys; None without one, or without prices."""
        if self.budget is None or not self.episode_usd:
            return None
        exam = (self.usd(self.exam) if self.exam else None) or 0.0
        return min(self.trials, int(max(0.0, self.budget - exam) / self.episode_usd))

    def usd(self, case: Case, *, cached: bool = False) -> float | None:
        """Dollars of all models together; None if one of them has no price."""
        costs = [part.usd(self.prices[name], cached=cached) for name, part in case.models.items()]
        priced = [usd for usd in costs if usd is not None]
        return sum(priced) if len(priced) == len(costs) else None

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
                self._case(case)
                for case in (*self.cases, *([self.expected] if self.expected else []))
            ],
            "exam": self.exam and self._case(self.exam),
            "no_price": list(self.unpriced),
            "not_counted": list(self.uncounted),
            "addresses": dict(self.addresses),
            "longest_replies": {
                label: {kind: asdict(limit) for kind, limit in kinds.items()}
                for label, kinds in self.limits.items()
            },
        }

    def exam_documents(self) -> list[dict[str, Any]]:
        """Each exam as JSON; runs whose judges are the same have it in common."""
        return [
            {
                "run": exam.run,
                "world": exam.world,
                "judge": exam.judge.label,
                "settings": exam.judge.settings,
                **self._case(exam.case),
            }
            for exam in self.exams
        ]

    def _case(self, case: Case) -> dict[str, Any]:
        return {
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

    def _roles(self, case: Case, model: str) -> dict[str, Any]:
        parts = sorted(case.parts.items())
        return {role: self._figures(model, part) for (name, role), part in parts if name == model}

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
        title, tasks = SAY("title"), Count("task", self.tasks)
        sentences: list[str] = [SAY("trials", trials=Count("trial", self.trials), tasks=tasks)]
        sentences += [SAY("address", model=name, url=url) for name, url in self.addresses.items()]
        cautions = [*self.too_short]
        if self.budget is not None and (count := self.affordable) is not None:
            budget, episodes = money(self.budget), Count("episode", self.trials)
            if count == self.trials:
                sentences.append(SAY("covers_all", budget=budget, episodes=episodes))
            else:
                sentences.append(SAY("buys", budget=budget, n=count, episodes=episodes))
        if self.no_price:
            cautions.append(SAY("cost_unknown", why=self.no_price))
        if self.uncounted:
            cautions.append(SAY("not_counted", names=self.uncounted))
        if not self.prices:
            sentences += [] if self.uncounted else [SAY("free")]
            return Section(title, tuple(sentences), tuple(cautions))
        return Section(title, (*sentences, self.time), tuple(cautions), (self._table(),))

    def _table(self) -> FindingTable:
        low, high = self.range
        rows = []
        for model, role in sorted({**low.parts, **high.parts}):
            ends = [case.parts.get((model, role), CallCounts()) for case in (low, high)]
            price = self.prices[model]
            usd = [[end.usd(price, cached=cached) for end in ends] for cached in (False, True)]
            rows.append(_row(model, role, ends, *usd))
        if exam := self.exam:
            for model, part in exam.models.items():
                usd = [
                    [part.usd(self.prices[model], cached=cached)] * 2 for cached in (False, True)
                ]
                rows.append(_row(model, SAY("exam"), [part, part], *usd))
            low, high = (case.with_all(exam) for case in (low, high))
        if len(rows) > 1:
            usd = [
                [self.usd(case, cached=cached) for case in (low, high)] for cached in (False, True)
            ]
            rows.append(_row("total", "", [low.total, high.total], *usd))
        cached = ("cached_cost",) if self._caching else ()
        columns = ("model", "role", "calls", "prompt", "completion", "cost", *cached)
        return SAY.table("calls", rows, columns=columns, notes=self._notes())

    @property
    def _caching(self) -> bool:
        """Whether some provider sells what it reads from its cache for less."""
        return any(price and price.cached is not None for price in self.prices.values())

    def _notes(self) -> Iterator[Sentence]:
        if self.expected is not None:
            yield SAY("expected", calls=self._calls(self.expected))
        if self.about:
            yield SAY("range", about=self.about)
        if len(self.cases) > 2:
            yield SAY("bound", calls=self._calls(self.most))
        if self.exam is not None:
            yield SAY("exam_once")
        yield SAY("tokens", tasks=Count("task", self.measured))
        yield from self._longest()
        if self._caching:
            most = self.most.total
            yield SAY("cached", share=most.cached / max(most.prompt, 1))

    def _longest(self) -> Iterator[Sentence]:
        """Where replies are cut, once for models that are cut alike."""
        whose: dict[Sentence, list[str]] = defaultdict(list)
        for label, kinds in sorted(self.limits.items()):
            for kind, limit in kinds.items():
                whose[SAY("cut_at", kind=kind, n=limit.tokens)].append(label)
        alike: dict[tuple[str, ...], list[Sentence]] = defaultdict(list)
        for limit_of_kind, labels in whose.items():
            alike[tuple(labels)].append(limit_of_kind)
        for models, limits in alike.items():
            if len(alike) > 1:
                yield SAY("longest_of", models=models, limits=limits)
            else:
                yield SAY("longest", limits=limits)

    def _calls(self, case: Case) -> str:
        """The calls of a case, and what they cost where that is known."""
        calls, usd = Count("call", case.total.calls), self.usd(case)
        return str(calls) if usd is None else SAY("calls_and_cost", calls=calls, usd=money(usd))


def _row(
    model: str,
    role: str,
    ends: Sequence[CallCounts],
    usd: Sequence[float | None],
    cached_usd: Sequence[float | None],
) -> Finding:
    """Calls, tokens and cost at both ends of the range."""
    figures = {
        name: _ends(*(_count(getattr(end, name)) for end in ends))
        for name in ("calls", "prompt", "completion")
    }
    costs = {"cost": usd, "cached_cost": cached_usd}
    for name, dollars in costs.items():
        figures[name] = _ends(
            *(SAY("no_price") if amount is None else money(amount) for amount in dollars)
        )
    return Finding(about={"model": model, "role": role}, more=figures)


def _ends(low: str, high: str) -> str:
    return low if low == high else SAY("ends", low=low, high=high)


def _count(number: int) -> str:
    """In full below 10,000, and else in thousands or millions."""
    if number < 10_000:
        return f"{number:,}"
    return f"{number / 1e3:.0f}k" if number < 1e6 else f"{number / 1e6:,.2f}M"
