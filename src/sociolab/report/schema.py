"""The result of a run as one documented object that all worlds share: see docs/result.md.

`run --json` and `report --json` print it, and the terminal's tables and the HTML page are made of
nothing else (but the transcripts).
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
"""Counts up with every change that a reader of the object could trip over."""
ESTABLISHED = 0.8
"""The least coverage of a mean that leads: below, what is missing decides where it lies."""


def _rounded(value: float | None) -> float | None:
    """Eight significant digits: the last digits of a sum differ from one machine to another."""
    return None if value is None else float(f"{value:.8g}") + 0.0


Rounded = Annotated[float, AfterValidator(_rounded)]
MaybeRounded = Annotated[float | None, AfterValidator(_rounded)]


class ResultRecord(BaseModel):
    """Cannot be changed, and knows no other fields than its own."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Data(ResultRecord):
    """Which data were played."""

    name: str
    version: str
    hash: str


class TokenTotals(ResultRecord):
    """Tokens as the providers counted them, or as estimated where they did not (see
    `RunResult.estimated_calls`); `cached` is a part of `prompt`."""

    prompt: int = 0
    completion: int = 0
    cached: int = 0


class FailedAttempts(ResultRecord):
    """Requests that brought no reply, and what they cost; tokens and costs of the run include it.

    The tokens of `estimated` are estimates. `possible` may have been billed, nobody knows: they are
    booked at the most that they may cost, together `possible_usd`.
    """

    count: int = 0
    cost_usd: Rounded = 0.0
    estimated: int = 0
    possible: int = 0
    possible_usd: Rounded = 0.0


class ServedEntry(ResultRecord):
    """What served the completed calls to a model in one role.

    `returned` counts calls by the model that the server named, `fingerprints` by its fingerprint,
    `left_out` by each option that was not sent, since the model had refused it. `cut` prompts seem
    to have been cut by the server, at `cut_at` tokens (see `report.served.cut_prompts`).
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
    """The first failure of a kind and cause (of scores also of a judge), and how many there are.

    `episode` is null where only verdicts on more than an episode failed so.
    """

    kind: FailedKind
    cause: str
    count: int
    problem: str
    episode: str | None
    judge: str | None = None


class AgentFailures(ResultRecord):
    """An agent that failed turns for good, how many, and of how many that it was asked for.

    `of` says what is counted: questions in a world that takes no turns.
    """

    agent: str
    failed_turns: int
    turns_asked: int
    of: Literal["turns", "questions"]


class Failures(ResultRecord):
    """Everything that went wrong, by cause.

    `turns` failed for good, in all trials that were played or failed, and so did `questions` (any
    that is no turn); `went_without` counts the played episodes that went on without an answer to a
    question, by its name. `replies_asked_again` could not be used but were followed by another
    attempt. `agents` holds the agents that failed turns, and how many of how many. `scores` are
    missing verdicts, each single judging and each derived measure counted. `usage` counts replies
    that were used although their provider counted an impossible number of tokens for them.
    `problems` has the first failed trial of each cause in words, `first` the first of everything
    that failed, with an episode to look at.
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
    """One form of an exam: of `cases`, how many a judge got `right`."""

    form: Form
    right: int
    cases: int


class ExamEntry(ResultRecord):
    """How a judge did in the exam of its world: see `core.exam`.

    `misses` counts the cases that it got wrong by kind, or by metric where only a side metric is
    wrong, `unanswered` those without a usable answer. `served` are the models that answered in it.
    Of people, each counts by each case.
    """

    forms: tuple[ExamForm, ...]
    misses: dict[str, int]
    unanswered: int
    passed: bool
    served: tuple[str, ...] = ()

    @property
    def right(self) -> int:
        """Cases of all forms."""
        return sum(form.right for form in self.forms)

    @property
    def cases(self) -> int:
        """Of all forms."""
        return sum(form.cases for form in self.forms)


class JudgeEntry(ResultRecord):
    """Who judged, see `core.score.JudgeId`. `judge` is the label that tells it from the others,
    `model` the name of its model, class or set of ratings. `judgings` is how often each episode
    was judged; entries average over them. `served` are the models that really answered for it,
    `exam` is how it did in the exam of the world, None where it sat none."""

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
        """Who it is."""
        own = self.model, self.method, self.settings, self.role, self.sheet
        return JudgeId(*own, self.code, self.prompts)


class MeasureEntry(ResultRecord):
    """A measure and the range of its values; `high` is null where there is no upper end."""

    measure: str
    title: str
    low: float
    high: float | None
    whole: bool


class ScoreEntry(ResultRecord):
    """A mean over the plays of one agent; a play is one seat of one trial.

    `by` narrows the plays: {} all, {"partner": ...}, {"type": ...} or {"role": ...} some. A measure
    of whole episodes has trials for plays; `agent` is null where several agents met in them, and
    for a measure of the run. Every play that was judged, or whose trial failed, is in one of `n`
    (has a value), `failures` (a value was due and is missing) and `unscored` (the judge cannot
    tell). `value` is null where `n` is 0. `low` and `high` bound the 95 % interval clustered by
    `clusters` scenarios (sessions, tasks); both are null, and `note` says why, where `interval` is
    "none". In these plays the agent was asked for `turns_asked` turns, of which `failed_turns`
    failed for good (see `Episode.turns_by_seat`).

    `unscored` is the sum of `disputed` (those who were there differ), `unconfirmed` (they agree on
    what stands nowhere in the text) and `cannot_tell`. `bounds` are what the mean would be if all
    of `failures` and `unscored` had the least, and the most, that their values could be; null where
    the measure has no upper end.
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
    interval: Literal["t", "rate", "end", "crossed", "none"]
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
        """The share of plays that could be scored among those without a failure, 0 to 1."""
        could = self.n + self.unscored
        return self.n / could if could else None

    @property
    def estimate(self) -> Estimate:
        """The mean with its interval, as analyses have it."""
        from sociolab.stats.intervals import CUT, Estimate  # numpy: not where a result is read

        interval = (self.low, self.high, self.interval)
        note = CUT if CUT in self.note else self.note
        return Estimate(self.value, self.n, self.clusters, *interval, note=note)

    @property
    def established(self) -> bool:
        """Whether enough could be scored (`ESTABLISHED`) for the mean to lead a table or a page."""
        return self.coverage is None or self.coverage >= ESTABLISHED


class ReadingEntry(ResultRecord):
    """Outcomes by a formula (`judge`) held against those that a reader read, play by play.

    Over the plays of an agent that both judged: `agree` and `differ` where both gave a value,
    `only_judge` and `only_reader` where one did, `neither` where none.
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
    """A run: what was played, what went wrong, what it took, and the scores.

    Totals are over the whole run, resumed parts included. `calls` counts completed calls,
    `estimated_calls` those of them whose tokens, and so their cost, are estimates: their provider
    did not count tokens, or counted impossible numbers. `cost_usd` is null where no call had a
    price; tokens and cost include `failed_attempts`. `seconds` is wall time. `smoke` says why
    nothing in the run is a result, null if it may be one. `renamed` has what agents and judges are
    called here by the labels in `settings`;
    `other_judges` are those whose scores were left out (`report.result.narrowed`).
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
    declared: Declared = Field(default=UNDECLARED, exclude=True)
    renamed: dict[str, str] = Field(default_factory=dict, exclude=True)
    other_judges: tuple[str, ...] = Field(default=(), exclude=True)

    @property
    def recorded(self) -> dict[str, Any]:
        """The settings by name; none where they are no object."""
        return self.settings if isinstance(self.settings, dict) else {}

    @property
    def estimated(self) -> bool:
        """Whether a part of the tokens and the cost is an estimate."""
        failed = self.failed_attempts
        return bool(self.estimated_calls or failed.estimated or failed.possible)

    def as_json(self) -> str:
        """The object as JSON text: fixed order of keys, two spaces of indent."""
        try:
            return self.model_dump_json(by_alias=True, indent=2)
        except (
            PydanticSerializationError
        ):  # half a surrogate pair is no UTF-8: escaped, as JSON may
            return json.dumps(self.model_dump(by_alias=True), indent=2)

    def measure(self, name: str) -> MeasureEntry:
        """The measure of this name; KeyError if there is none."""
        for entry in self.measures:
            if entry.measure == name:
                return entry
        raise KeyError(name)


def macro_of(measure: str) -> str:
    """The name of a measure's macro average."""
    return measure + MACRO
