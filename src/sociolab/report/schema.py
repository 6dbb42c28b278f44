"""The result of a run as a documented object that all worlds share: see docs/result.md.

`run --json` and `report --json` print it; tables in the terminal and HTML pages are made from it
and from transcripts.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue
from pydantic_core import PydanticSerializationError

from sociolab.core.episode import Agent
from sociolab.core.exam import Form
from sociolab.core.instructions import Prompts
from sociolab.core.metrics import MACRO, UNDECLARED, Declared
from sociolab.core.score import JudgeId, JudgeRole, Method

if TYPE_CHECKING:
    from sociolab.stats.intervals import Estimate

SCHEMA: Literal[1] = 1
"""Incremented with every change that could break a program that reads the object."""
ESTABLISHED = 0.8
"""Minimum coverage of an established mean: below it, missing scores decide where the mean lies."""


def _rounded(value: float | None) -> float | None:
    """Eight significant digits: the last digits of a sum differ from one machine to another."""
    return None if value is None else float(f"{value:.8g}") + 0.0


Rounded = Annotated[float, AfterValidator(_rounded)]
MaybeRounded = Annotated[float | None, AfterValidator(_rounded)]


class ResultRecord(BaseModel):
    """A part of the result: frozen, without further fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Data(ResultRecord):
    name: str
    version: str
    hash: str


class RunNote(ResultRecord):
    """A note that somebody wrote on a run or a comparison; `at` is in UTC."""

    at: str
    text: str

    def __str__(self) -> str:
        return f"{self.at[:10]}: {self.text}"


class TokenTotals(ResultRecord):
    """Tokens as counted by the providers, or estimated where they were not (see
    `RunResult.estimated_calls`); `cached` tokens are a part of `prompt`."""

    prompt: int = 0
    completion: int = 0
    cached: int = 0


class FailedAttempts(ResultRecord):
    """Requests without a reply, and their cost, which tokens and cost of the run include.

    The tokens of `estimated` attempts are estimates. `possible` attempts may or may not have been
    billed: they are booked at the most that they may cost, `possible_usd` in all.
    """

    count: int = 0
    cost_usd: Rounded = 0.0
    estimated: int = 0
    possible: int = 0
    possible_usd: Rounded = 0.0


class ServedEntry(ResultRecord):
    """What served the completed calls to a model in one role.

    `returned` counts calls by the model that the server named, `fingerprints` by the server's
    fingerprint, `left_out` by each option that was not sent since the model had refused it. The
    server seems to have truncated `cut` prompts at `cut_at` tokens (see
    `report.served.cut_prompts`).
    """

    model: str
    role: str
    calls: int
    returned: dict[str, int] = {}
    fingerprints: dict[str, int] = {}
    left_out: dict[str, int] = {}
    cut: int = 0
    cut_at: int | None = None


FailedKind = Literal["trials", "turns", "questions", "scores", "calls", "usage"]


class FirstFailure(ResultRecord):
    """The first failure of a kind and cause (of scores, also of a judge), and their number.

    `episode` is null where only scores of cells or of the run failed.
    """

    kind: FailedKind
    cause: str
    count: int
    problem: str
    episode: str | None
    judge: str | None = None


class AgentFailures(ResultRecord):
    """The turns that an agent failed for good, of all that it was asked for; `of` is "questions" in
    a world without turns."""

    agent: str
    failed_turns: int
    turns_asked: int
    of: Literal["turns", "questions"]


class Failures(ResultRecord):
    """All failures, counted by cause.

    `turns` and `questions` (requests other than turns) failed for good, in all trials that were
    played or failed. `went_without` counts, by question, the played episodes that went on without
    an answer to it. `replies_asked_again` were unusable, and followed by another attempt. `agents`
    are those that failed turns. `scores` are missing, counting each single judging and each derived
    metric. `usage` counts replies that were used although their provider reported impossible token
    counts. `problems` has the first failed trial of each cause in words, `first` the first of every
    kind of failure, with an episode to inspect.
    """

    trials: dict[str, int] = {}
    problems: dict[str, str] = {}
    turns: dict[str, int] = {}
    questions: dict[str, int] = {}
    went_without: dict[str, int] = {}
    replies_asked_again: int = 0
    agents: tuple[AgentFailures, ...] = ()
    scores: dict[str, int] = {}
    calls: dict[str, int] = {}
    usage: dict[str, int] = {}
    first: tuple[FirstFailure, ...] = ()


class ExamForm(ResultRecord):
    """One form of an exam, of whose `cases` a judge got so many `right`."""

    form: Form
    right: int
    cases: int


class ExamEntry(ResultRecord):
    """The result of a judge in the exam of its world (see `core.exam`).

    `misses` counts wrong cases by kind, or by metric if only a side metric is wrong; `unanswered`
    counts those without a usable answer. `served` are the models that answered. For people, each
    person's answer to each case counts.
    """

    forms: tuple[ExamForm, ...]
    misses: dict[str, int]
    unanswered: int
    passed: bool
    served: tuple[str, ...] = ()

    @property
    def right(self) -> int:
        """Right cases of all forms."""
        return sum(form.right for form in self.forms)

    @property
    def cases(self) -> int:
        """Cases of all forms."""
        return sum(form.cases for form in self.forms)


class JudgeEntry(ResultRecord):
    """A judge (see `core.score.JudgeId`).

    `judge` is its label, distinct from those of others, and `model` the name of its model, class or
    set of ratings. `judgings` is the number of judgings of an episode, over which entries average.
    `served` are the models that actually answered, `exam` is its result in the world's exam, null
    if it sat none.
    """

    judge: str
    method: Method
    settings: str
    judgings: int
    role: JudgeRole = "judge"
    model: str = ""
    sheet: str = ""
    code: str | None = None
    prompts: Prompts | None = None
    served: tuple[str, ...] = ()
    exam: ExamEntry | None = None

    @property
    def id(self) -> JudgeId:
        own = self.model, self.method, self.settings, self.role, self.sheet
        return JudgeId(*own, self.code, self.prompts)


class MeasureEntry(ResultRecord):
    """A metric with its range; `high` is null if there is no upper end. `whole` says that scores
    are whole numbers."""

    measure: str
    title: str
    low: float
    high: float | None
    whole: bool


class ScoreEntry(ResultRecord):
    """The mean score of one agent over its plays; a play is one seat of one trial.

    `by` selects plays: {} for all, or {"partner": ...}, {"type": ...} or {"role": ...}. For a
    metric of whole episodes, plays are trials; `agent` is null where several agents met in them,
    and for a metric of the run. Every play that was judged, or whose trial failed, is in one of `n`
    (scored), `failures` (a score was due and is missing) and `unscored` (the judge cannot tell).
    `value` is null if `n` is 0. `low` and `high` are the ends of the 95 % interval, clustered by
    `clusters` scenarios (sessions, tasks); if `interval` is "none", both are null, and `note` says
    why. In these plays the agent was asked for `turns_asked` turns, of which `failed_turns` failed
    for good (see `Episode.turns_by_seat`).

    `unscored` is the sum of `disputed` (the participants disagree), `unconfirmed` (they agree on
    something that the transcript does not show) and `cannot_tell`. `bounds` are the mean if all of
    `failures` and `unscored` had their lowest, and their highest possible score; null if the metric
    has no upper end.
    """

    agent: str | None
    measure: str
    by: dict[str, str]
    value: MaybeRounded
    n: int
    clusters: int
    failures: int
    unscored: int
    low: MaybeRounded
    high: MaybeRounded
    interval: Literal["t", "rate", "end", "crossed", "model", "none"]
    note: str
    method: Method
    judge: str
    failed_turns: int = 0
    turns_asked: int = 0
    disputed: int = 0
    unconfirmed: int = 0
    cannot_tell: int = 0
    bounds: tuple[Rounded, Rounded] | None = None

    @property
    def coverage(self) -> float | None:
        """The share of plays that could be scored, from 0 to 1, failures not counted; None if there
        are no plays."""
        could = self.n + self.unscored
        return self.n / could if could else None

    @property
    def estimate(self) -> Estimate:
        from sociolab.stats.intervals import (  # imports numpy, which takes long
            TRUNCATED_NOTE,
            Estimate,
        )

        interval = (self.low, self.high, self.interval)
        note = TRUNCATED_NOTE if TRUNCATED_NOTE in self.note else self.note
        return Estimate(self.value, self.n, self.clusters, *interval, note=note)

    @property
    def established(self) -> bool:
        """Whether enough was scored (`ESTABLISHED`) for the mean to lead a table or page."""
        return self.coverage is None or self.coverage >= ESTABLISHED


class ReadingEntry(ResultRecord):
    """The agreement of outcomes by a formula (`judge`) with those that a reader found.

    Counts over the plays of an agent that both judged: `agree` and `differ` where both have a
    score, `only_judge` and `only_reader` where one has, `neither` where none has.
    """

    agent: str
    measure: str
    judge: str
    reader: str
    agree: int
    differ: int
    only_judge: int
    only_reader: int
    neither: int


class RunResult(ResultRecord):
    """The result of a run: what was played, failures, usage and scores (docs/result.md).

    `scores` has an entry per agent, metric and judge, with `value` None if nothing was scored.
    Totals are over the whole run, resumed parts included. `calls` counts completed calls, and
    `estimated_calls` those whose tokens and cost are estimates, since their provider reported no
    token counts or impossible ones. `cost_usd` is None if no call had a price; tokens and cost
    include `failed_attempts`. `seconds` is wall time. `smoke` says why the run is only a smoke
    test, None if it is none. `renamed` maps labels in `settings` to new names; `other_judges` are
    those whose scores were left out (`report.result.select_scores`).

    >>> from sociolab import RunConfig, run
    >>> config = RunConfig(tasks="bargain", limit=2, name="first", store=f"{folder}/lab.db")
    >>> result = run(config).result
    >>> result.played, result.failed, result.cost_usd
    (2, 0, None)
    >>> goal = result.measure("goal")
    >>> goal.low, goal.high
    (0.0, 10.0)
    """

    schema_version: Literal[1] = Field(default=SCHEMA, alias="schema")
    run: str
    world: str
    data: Data | None
    seed: int | None
    created: str
    agents: tuple[str, ...]
    identities: tuple[Agent, ...] = ()
    partner: str | None
    trials: int
    played: int
    failed: int
    stopped: str
    calls: int
    estimated_calls: int = 0
    tokens: TokenTotals
    cost_usd: MaybeRounded
    failed_attempts: FailedAttempts = FailedAttempts()
    served: tuple[ServedEntry, ...] = ()
    seconds: Rounded
    ends: dict[str, int]
    failures: Failures
    judges: tuple[JudgeEntry, ...]
    measures: tuple[MeasureEntry, ...]
    scores: tuple[ScoreEntry, ...]
    readings: tuple[ReadingEntry, ...] = ()
    settings: JsonValue
    smoke: str | None = None
    versions: dict[str, str]
    notes: tuple[RunNote, ...] = ()
    declared: Declared = Field(default=UNDECLARED, exclude=True)
    renamed: dict[str, str] = Field(default_factory=dict, exclude=True)
    other_judges: tuple[str, ...] = Field(default=(), exclude=True)

    @property
    def recorded(self) -> dict[str, Any]:
        """The settings as a dict; {} if they are no object."""
        return self.settings if isinstance(self.settings, dict) else {}

    @property
    def estimated(self) -> bool:
        """Whether tokens and cost include estimates."""
        failed = self.failed_attempts
        return bool(self.estimated_calls or failed.estimated or failed.possible)

    def as_json(self, verdict: str = "") -> str:
        """The object as JSON, with a fixed order of keys and an indent of two spaces; the `verdict`
        (`report.verdict`), if there is one, stands first."""
        try:
            text = self.model_dump_json(by_alias=True, indent=2)
        except PydanticSerializationError:  # lone surrogates are no UTF-8, but can be escaped
            text = json.dumps(self.model_dump(by_alias=True), indent=2)
        return text.replace("{", f'{{\n  "verdict": {json.dumps(verdict)},', 1) if verdict else text

    def measure(self, name: str) -> MeasureEntry:
        """The metric with this name; KeyError if there is none."""
        for entry in self.measures:
            if entry.measure == name:
                return entry
        raise KeyError(name)


def macro_of(measure: str) -> str:
    """The name of a metric's macro average."""
    return measure + MACRO
