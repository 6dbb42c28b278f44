"""Estimates of runs: calls, tokens, cost and time at both ends of a range, as a table and JSON."""

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
    """Numbers of calls and tokens; `cached` counts the prompt tokens that repeat the beginning of
    an earlier prompt."""

    calls: int = 0
    prompt: int = 0
    cached: int = 0
    completion: int = 0

    def add(self, other: CallCounts, times: float = 1) -> None:
        """Add the other's counts, multiplied by `times` and rounded."""
        self.calls += round(other.calls * times)
        self.prompt += round(other.prompt * times)
        self.cached += round(other.cached * times)
        self.completion += round(other.completion * times)

    def usd(self, price: Price | None, *, cached: bool = False) -> float | None:
        """Cost in dollars, where `cached` says whether all repeated tokens are read from the
        provider's cache or none; None without a price."""
        repeated = self.cached if cached else 0
        return price.cost_of(Usage(self.prompt, self.completion, repeated)) if price else None


@dataclass(frozen=True, slots=True)
class ReplyLimit:
    """The number of tokens at which a reply to a kind of question is cut, and the number that it
    may need."""

    tokens: int
    needs: int


Parts: TypeAlias = dict[tuple[str, Role], CallCounts]
"""Counts by model and role."""


@dataclass(slots=True)
class Case:
    """A scenario for a run: its calls and tokens, by model and role.

    `longest` counts the calls of each model in the trial with the most calls to it. `seconds` is
    None if the time of a call is unknown.
    """

    name: str
    parts: Parts = field(default_factory=lambda: defaultdict(CallCounts))
    longest: Counter[str] = field(default_factory=Counter)
    seconds: float | None = None

    @property
    def models(self) -> dict[str, CallCounts]:
        """The counts by model, summed over roles."""
        totals: dict[str, CallCounts] = defaultdict(CallCounts)
        for (model, _), part in sorted(self.parts.items()):
            totals[model].add(part)
        return dict(totals)

    @property
    def total(self) -> CallCounts:
        total = CallCounts()
        for part in self.parts.values():
            total.add(part)
        return total

    def with_all(self, other: Case) -> Case:
        """This case with the counts of another one added."""
        combined = Case(self.name, longest=self.longest, seconds=self.seconds)
        for case in (self, other):
            for key, part in case.parts.items():
                combined.parts[key].add(part)
        return combined

    def add_trials(self, parts: Mapping[tuple[str, Role], CallCounts], count: float = 1) -> None:
        """Add `count` trials that each need these calls."""
        calls: Counter[str] = Counter()
        for (model, role), part in parts.items():
            self.parts[model, role].add(part, count)
            calls[model] += part.calls
        self.longest |= calls


@dataclass(frozen=True, slots=True)
class ExamEstimate:
    """The calls and tokens for a judge to sit the exam of a world; `run` names the run that stores
    the exam."""

    judge: JudgeId
    world: str
    run: str
    case: Case


@dataclass(frozen=True, slots=True)
class RunEstimate:
    """Calls, tokens, cost and time of a run: in `cases`, the low and the high end of a range.

    In a world of turns, a third case is the maximum: all episodes reach their turn limit, and every
    answer that may be sent back is asked for as often as allowed. Its number of calls is exact,
    except for replies that cannot be read.

    `measured` is the number of tasks on which tokens were measured, at four characters each.
    Dollars do not count on the provider's cache unless a name says so. `about` says what the range
    is based on. `prices` holds every model of the run, with None for an unknown price, which
    `no_price` explains in a sentence; `addresses` holds the URL of each. `uncounted` names agents
    and judges that are the user's own code, whose calls are unknown. `expected` is the mean of
    simulated episodes, where a world is simulated. `limits` holds the limits of replies, by spec
    and kind of question. `budget` is in dollars. `exams` are the exams that the judges have not
    sat, which no other figure includes. `not_shown` are the world's sentences on what the plan will
    not show. `stand_ins` are the models that the stand-in endpoint serves.

    Of judging stored episodes, the trials are those still to be judged, `done` is the number of the
    others, `work` what is said of both, `spent` the dollars that count against the budget already.
    `unit` is the noun for what is judged if that is no episode.
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
    not_shown: tuple[str, ...] = ()
    stand_ins: tuple[str, ...] = ()
    work: tuple[str, ...] = ()
    done: int = 0
    spent: float = 0.0
    unit: str = ""

    @property
    def exam(self) -> Case | None:
        """All exams together; None if there are none."""
        total = Case("exam")
        for exam in self.exams:
            total = total.with_all(exam.case)
        return total if self.exams else None

    @property
    def range(self) -> tuple[Case, Case]:
        """The low and the high end of the estimate."""
        return self.cases[0], self.cases[min(1, len(self.cases) - 1)]

    @property
    def most(self) -> Case:
        return self.cases[-1]

    @property
    def unpriced(self) -> tuple[str, ...]:
        return tuple(sorted(name for name, price in self.prices.items() if price is None))

    @property
    def episode_usd(self) -> float | None:
        """The expected cost of an episode, judges included: the middle of the range, unless
        episodes were simulated. None if a price is unknown, or if the user's own code may make
        calls."""
        ends = [
            self.usd(case) for case in (self.range if self.expected is None else [self.expected])
        ]
        priced = [usd for usd in ends if usd is not None]
        if not priced or len(priced) < len(ends) or self.uncounted:
            return None
        return sum(priced) / len(priced) / max(self.trials, 1)

    @property
    def too_short(self) -> tuple[str, ...]:
        """A sentence for each model whose `max_tokens` is lower than its replies may need."""
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
        """About how many episodes the budget pays for; None without a budget or a price."""
        if self.budget is None or not self.episode_usd:
            return None
        exam = (self.usd(self.exam) if self.exam else None) or 0.0
        left = max(0.0, self.budget - self.spent - exam)
        return min(self.trials, int(left / self.episode_usd))

    def usd(self, case: Case, *, cached: bool = False) -> float | None:
        """The cost of all models in dollars; None if one of them has no price."""
        costs = [part.usd(self.prices[name], cached=cached) for name, part in case.models.items()]
        priced = [usd for usd in costs if usd is not None]
        return sum(priced) if len(priced) == len(costs) else None

    def document(self) -> dict[str, Any]:
        """The estimate as a JSON object, where an unknown cost is null."""
        return {
            "schema": 1,
            "dry_run": True,
            "trials": self.trials,
            "tasks": self.tasks,
            "measured_tasks": self.measured,
            "done": self.done,
            "budget_usd": self.budget,
            "spent_usd": self.spent,
            "affordable_trials": self.affordable,
            "cases": [
                self._case(case)
                for case in (*self.cases, *([self.expected] if self.expected else []))
            ],
            "exam": self.exam and self._case(self.exam),
            "no_price": list(self.unpriced),
            "not_counted": list(self.uncounted),
            "not_shown": list(self.not_shown),
            "stand_ins": list(self.stand_ins),
            "addresses": dict(self.addresses),
            "longest_replies": {
                label: {kind: asdict(limit) for kind, limit in kinds.items()}
                for label, kinds in self.limits.items()
            },
        }

    def exam_documents(self) -> list[dict[str, Any]]:
        """A JSON object for each exam; runs with the same judges share it."""
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
        """The estimate as a section: a table, with sentences on what it is based on."""
        title, tasks = SAY("title"), Count("task", self.tasks)
        trials = SAY("trials", trials=Count("trial", self.trials), tasks=tasks)
        sentences: list[str] = [*(self.work or (trials,))]
        sentences += [SAY("address", model=name, url=url) for name, url in self.addresses.items()]
        cautions = [*self.not_shown, *self.too_short]
        if self.stand_ins:
            cautions.append(SAY("stand_ins", models=self.stand_ins))
        if self.budget is not None and (count := self.affordable) is not None:
            budget, episodes = money(self.budget), Count(self.unit or "episode", self.trials)
            if count == self.trials:
                sentences.append(SAY("covers_all", budget=budget, episodes=episodes))
            else:
                sentences.append(SAY("buys", budget=budget, n=count, episodes=episodes))
        if self.budget is not None and self.spent:
            sentences.append(SAY("spent", spent=money(self.spent), budget=money(self.budget)))
        if self.uncounted:
            cautions.append(SAY("not_counted", names=self.uncounted))
        if not (self.most.total.calls or self.exams):
            sentences += [] if self.uncounted else [SAY("free")]
            return Section(title, tuple(sentences), tuple(cautions))
        if self.no_price:
            cautions.append(SAY("cost_unknown", why=self.no_price))
        sentences += [self.time] if self.time else []
        return Section(title, tuple(sentences), tuple(cautions), (self._table(),))

    def _table(self) -> FindingTable:
        low, high = self.range
        rows = []
        for model, role in sorted({**low.parts, **high.parts}):
            ends = [case.parts.get((model, role), CallCounts()) for case in (low, high)]
            price = self.prices[model]
            usd = [[end.usd(price, cached=cached) for end in ends] for cached in (False, True)]
            rows.append(_range_row(model, role, ends, *usd))
        if exam := self.exam:
            for model, part in exam.models.items():
                usd = [
                    [part.usd(self.prices[model], cached=cached)] * 2 for cached in (False, True)
                ]
                rows.append(_range_row(model, SAY("exam"), [part, part], *usd))
            low, high = (case.with_all(exam) for case in (low, high))
        if len(rows) > 1:
            usd = [
                [self.usd(case, cached=cached) for case in (low, high)] for cached in (False, True)
            ]
            rows.append(_range_row("total", "", [low.total, high.total], *usd))
        cached = ("cached_cost",) if self._caching else ()
        columns = ("model", "role", "calls", "prompt", "completion", "cost", *cached)
        return SAY.table("calls", rows, columns=columns, notes=self._notes())

    @property
    def _caching(self) -> bool:
        """Whether a provider charges less for tokens that it reads from its cache."""
        return any(price and price.cached is not None for price in self.prices.values())

    def _notes(self) -> Iterator[Sentence]:
        if self.expected is not None:
            yield SAY("expected", calls=self._calls(self.expected))
        if self.about:
            yield SAY("range", about=self.about)
        if len(self.cases) > 2:
            beside = SAY("beside_exam") if self.exam is not None else ""
            yield SAY("bound", calls=self._calls(self.most), exam=beside)
        if self.exam is not None:
            yield SAY("exam_once")
        yield SAY("tokens", tasks=Count(self.unit or "task", self.measured))
        yield from self._reply_limits()
        if self._caching:
            most = self.most.total
            yield SAY("cached", share=most.cached / max(most.prompt, 1))

    def _reply_limits(self) -> Iterator[Sentence]:
        """Where replies are cut, in one sentence for all models with the same limits."""
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
        """The calls of a case in words, with their cost if it is known."""
        calls, usd = Count("call", case.total.calls), self.usd(case)
        return str(calls) if usd is None else SAY("calls_and_cost", calls=calls, usd=money(usd))


def _range_row(
    model: str,
    role: str,
    ends: Sequence[CallCounts],
    usd: Sequence[float | None],
    cached_usd: Sequence[float | None],
) -> Finding:
    """A row of the table: calls, tokens and cost at both ends of the range."""
    figures = {
        name: _format_range(*(_format_count(getattr(end, name)) for end in ends))
        for name in ("calls", "prompt", "completion")
    }
    costs = {"cost": usd, "cached_cost": cached_usd}
    for name, dollars in costs.items():
        figures[name] = _format_range(
            *(SAY("no_price") if amount is None else money(amount) for amount in dollars)
        )
    return Finding(about={"model": model, "role": role}, more=figures)


def _format_range(low: str, high: str) -> str:
    return low if low == high else SAY("ends", low=low, high=high)


def _format_count(number: int) -> str:
    if number < 10_000:
        return f"{number:,}"
    return f"{number / 1e3:.0f}k" if number < 1e6 else f"{number / 1e6:,.2f}M"
