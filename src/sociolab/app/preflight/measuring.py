"""What all estimates share: models that are measured instead of called, their prices and speed."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from sociolab.app.players.casting import Casting
from sociolab.app.players.models import Models, ModelSpec, with_options
from sociolab.app.preflight.run_estimate import (
    CallCounts,
    Case,
    ExamEstimate,
    Parts,
    ReplyLimit,
    RunEstimate,
)
from sociolab.app.run.config import JudgeConfig, RunConfig
from sociolab.app.run.exam import exam_cases, exam_name, models_to_examine, sat_cases
from sociolab.app.run.session import models_among
from sociolab.core.episode import ACT
from sociolab.core.errors import StoreError
from sociolab.core.ports import CallKey, ChatModel, ChatReply, Prompt, ReplyStore, Usage
from sociolab.core.seeding import stream
from sociolab.models.budget import CHARACTERS_A_TOKEN, Budget, Price, estimate_tokens
from sociolab.models.cache import CachedModel
from sociolab.prompting.made_up import Draw, prose, sample_requested, sample_value
from sociolab.prompting.prefixes import PromptPrefixes
from sociolab.report.catalogue import Catalogue
from sociolab.report.finding import Sentence
from sociolab.store.store import Store

SAY = Catalogue("dry_run")

SHORT_TEXT, LONG_TEXT = 150, 250
"""Characters of a text at the low end and in the maximum; the mean in 154 public SOTOPIA episodes
between models was 203 (see benchmarks/bench_estimates.py)."""

_LAST = 200
"""Maximum number of a model's calls whose mean is the time of a call."""

_LOOKED_AT = 20_000
"""Number of the store's latest calls among which the model's calls are looked for."""

Call: TypeAlias = tuple[str, CallKey, CallCounts]
"""The name of a model, the key of the call, and its tokens."""


@dataclass
class MeasuringModels(Models):
    """Models that make up replies of the right form instead of calling, and record their calls.

    Each text that is made up has so many `characters`. `needs` holds, by kind of question, the
    tokens that a reply may need; `readers` the labels of the judges that read outcomes; `prefixes`
    what a provider may have in its cache, by the number of each model that was `made`.
    """

    specs: dict[str, ModelSpec] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    characters: int = (SHORT_TEXT + LONG_TEXT) // 2
    needs: dict[str, int] = field(default_factory=dict)
    readers: Set[str] = frozenset()
    prefixes: dict[int, PromptPrefixes] = field(default_factory=lambda: defaultdict(PromptPrefixes))
    made: int = 0

    def kind(self, key: CallKey) -> str:
        """The kind of a call in words, such as "turn", "closing question" or "judge"."""
        if key.role == "judge":
            return _READER if key.name in self.readers else _JUDGE
        name = key.name.partition(":")[0].replace("_", " ")
        return {ACT: "turn", "closing": "closing question"}.get(name, name)

    def cached(self, spec: ModelSpec, replies: ReplyStore, budget: Budget) -> ChatModel:
        """A model that records its calls, except those whose replies are in `replies`; ConfigError
        for a wrong endpoint, as in a real run."""
        address, options = self.endpoint(spec).base_url, self.options(spec)
        self.specs[spec.name] = spec
        self.made += 1
        made_up = _MeasuringModel(spec.name, self.made, self)
        model = CachedModel(made_up, address, replies, Budget(), options=options.key)
        return with_options(model, options, self.config.reply_room)

    def limits(
        self, players: Sequence[str | None], judges: Sequence[str], readers: Sequence[str]
    ) -> dict[str, dict[str, ReplyLimit]]:
        """The limits of replies, by spec and kind of question.

        Every player has limits for all questions that any player was asked, because one player is
        measured for several.
        """
        played = sorted(
            set(self.needs) - {_JUDGE, _READER}, key=lambda name: (-self.needs[name], name)
        )
        limits: dict[str, dict[str, ReplyLimit]] = defaultdict(dict)
        for kinds, texts in (
            (played, players),
            ([_JUDGE], judges),
            ([_READER], readers),
        ):
            for spec in models_among(*texts):
                cap = self.options(spec).max_tokens
                for kind in kinds:
                    if needs := self.needs.get(kind):
                        limits[spec.label][kind] = ReplyLimit(cap or needs, needs)
        return dict(sorted(limits.items()))

    @property
    def prices(self) -> dict[str, Price | None]:
        return {name: self.price(spec) for name, spec in self.specs.items()}

    def take_calls(self) -> list[Call]:
        """The calls since the last call of this method."""
        calls = list(self.calls)
        self.calls.clear()
        return calls

    def take_parts(self) -> Parts:
        """The calls since `take_calls`, summed by model and role."""
        parts: Parts = defaultdict(CallCounts)
        for model, key, part in self.take_calls():
            parts[model, key.role].add(part)
        return parts

    def rates(self, case: Case, seconds: Mapping[str, float | None]) -> list[CallRate]:
        """How fast each model of a case can be called; `seconds` gives the time of a call."""
        rates = []
        for name, part in case.models.items():
            endpoint = self.endpoint(self.specs[name])
            limits = (
                endpoint.name,
                seconds[name],
                endpoint.in_flight,
                endpoint.requests_per_minute,
            )
            rates.append(CallRate(name, *limits, part.calls, case.longest[name]))
        return rates


@dataclass(frozen=True, slots=True)
class _MeasuringModel:
    """A chat model that makes up its replies.

    Second attempts are not measured: that a made-up reply was unusable says nothing about a real
    one.
    """

    label: str
    number: int
    models: MeasuringModels

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        kind = self.models.kind(key)
        self.models.needs[kind] = max(prompt.needs or 0, self.models.needs.get(kind, 0))
        drawn = stream(key.turn, key.trial, key.seat, key.name, key.attempt)
        draw = Draw(drawn, self.models.characters)
        if prompt.schema is None:
            text = f"speak: {prose(draw.random, draw.characters)}"
        elif key.role == "judge":  # names ids and quotes words of the prompt, as judges must
            texts = [message.text for message in prompt.messages]
            text = sample_requested(texts, prompt.schema.text, draw) or ""
        else:
            text = json.dumps(sample_value(json.loads(prompt.schema.text), draw))
        if key.attempt == 1:
            messages = [(message.role, message.text) for message in prompt.messages]
            schema = prompt.schema.text if prompt.schema else ""
            repeated = self.models.prefixes[self.number].repeated(schema, messages)
            tokens = round(repeated / CHARACTERS_A_TOKEN), round(len(text) / CHARACTERS_A_TOKEN)
            self.models.calls.append(
                (self.label, key, CallCounts(1, estimate_tokens(prompt), *tokens))
            )
        return ChatReply(text, usage=Usage(estimated=True))


_JUDGE, _READER = "judge", "reader"


async def estimate_exams(
    store: Store | None,
    world: str,
    config: RunConfig | JudgeConfig,
    casting: Casting,
    models: MeasuringModels,
) -> tuple[ExamEstimate, ...]:
    """Estimate the exams of a world that these judges have not sat; all are held by the first part
    of a run in parts."""
    if config.part is not None and config.part.number != 1:
        return ()
    cases, exams = exam_cases(world), []
    ids = {case.id for case in cases}
    for judge in (each.judge(casting) for each in await models_to_examine(config, models)):
        if store is not None and ids <= sat_cases(store, world, cases, judge.id):
            continue
        case = Case("exam")
        for exam_case in cases:
            await judge.judge(exam_case.episode)
            case.add_trials(models.take_parts())
        if case.parts:
            exams.append(ExamEstimate(judge.id, world, exam_name(world, cases), case))
    return tuple(exams)


# ------------------------------------------------------------------ time


@dataclass(frozen=True, slots=True)
class CallRate:
    """How fast a model can be called: seconds per call (None: unknown) and its endpoint's limits.
    `calls` is the number in the whole plan, `longest` that in the trial with the most."""

    model: str
    endpoint: str
    seconds: float | None
    in_flight: int
    per_minute: float | None
    calls: int
    longest: int


def seconds_in_all(rates: Sequence[CallRate], at_once: int | None) -> float:
    """How many seconds the calls of a plan take: the time of the busiest endpoint or, if larger and
    `at_once` trials are played at a time, that of the trials, whose calls follow each other."""
    endpoints = {rate.endpoint for rate in rates}
    busiest = max(
        _endpoint_seconds([rate for rate in rates if rate.endpoint == endpoint])
        for endpoint in endpoints
    )
    if at_once is None:
        return busiest
    one_by_one = sum(rate.calls * (rate.seconds or 0) for rate in rates) / at_once
    longest = sum(rate.longest * (rate.seconds or 0) for rate in rates)
    return max(busiest, one_by_one, longest)


def _endpoint_seconds(rates: Sequence[CallRate]) -> float:
    answering = sum(rate.calls * (rate.seconds or 0) for rate in rates) / rates[0].in_flight
    per_minute = rates[0].per_minute
    if per_minute is None:
        return answering
    return max(answering, sum(rate.calls for rate in rates) / per_minute * 60)


def _time_line(cases: Sequence[Case], rates: Sequence[CallRate], latency: float | None) -> Sentence:
    """A sentence on how long the run takes, and why. `latency` is the time of a call that the user
    gave, if any."""
    unknown = [rate.model for rate in rates if rate.seconds is None]
    if unknown:
        return SAY("no_time", models=unknown)
    ends = dict.fromkeys(_duration(case.seconds or 0) for case in (cases[0], cases[-1]))
    at_once = sorted({(rate.endpoint, rate.in_flight) for rate in rates})
    if latency is not None:
        pace = SAY("pace_given", seconds=latency)
    else:
        each = [SAY("seconds", seconds=rate.seconds, model=rate.model) for rate in rates]
        pace = SAY("pace_measured", each=each)
    return SAY(
        "time",
        time=" to ".join(ends),
        pace=pace,
        limits=[SAY("at_once", n=most, endpoint=name) for name, most in at_once],
    )


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"


async def price_and_time(
    estimated: RunEstimate,
    models: MeasuringModels,
    path: Path,
    at_once: int | None,
    latency: float | None,
) -> RunEstimate:
    """The estimate with the prices, addresses and time of its models. `path` is that of the store
    with earlier calls, `at_once` the number of trials at a time, `latency` the time of a call if
    the user gave one. Sets the seconds of its cases."""
    specs = dict(sorted(models.specs.items()))
    served = await models.stand_ins(specs.values())
    stand_ins = tuple(name for name, spec in specs.items() if spec.label in served)
    if latency is None:
        seconds = _recent_seconds(path, await models.addresses(specs.values()))
    else:
        seconds = dict.fromkeys(specs, latency)
    rates = [models.rates(case, seconds) for case in estimated.cases]
    for case, case_rates in zip(estimated.cases, rates, strict=True):
        if case_rates and all(rate.seconds is not None for rate in case_rates):
            case.seconds = seconds_in_all(case_rates, at_once)
    prices = models.prices
    unpriced = [spec for name, spec in specs.items() if not prices[name]]
    return replace(
        estimated,
        prices=prices,
        time=_time_line(estimated.cases[:2], rates[-1], latency) if rates[-1] else "",
        addresses={name: models.endpoint(spec).base_url for name, spec in specs.items()},
        no_price=models.no_price(*unpriced) if unpriced else "",
        stand_ins=stand_ins,
    )


def _recent_seconds(path: Path, addresses: Mapping[str, str]) -> dict[str, float | None]:
    """The mean time of each model's latest calls at its address; None if the store has none."""
    unknown: dict[str, float | None] = dict.fromkeys(addresses)
    if not path.is_file():
        return unknown
    try:
        with closing(Store.open(path, create=False)) as store:
            return {
                model: store.calls.latest_seconds(model, address, _LAST, _LOOKED_AT)
                for model, address in addresses.items()
            }
    except StoreError:  # the work itself reports what is wrong with the store
        return unknown
