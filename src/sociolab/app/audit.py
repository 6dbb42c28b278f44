"""Audits of a judge on the episodes of a run, and panels of judges that judged it.

The judge is asked here, and its replies are kept; `analysis.audit` says what they come to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial

from sociolab.analysis.audit import (
    RepeatedScore,
    ScoreChange,
    change_findings,
    changes_of,
    control_findings,
    controls_section,
    grouped_findings,
    repeat_findings,
    repeat_section,
    repeated_of,
    variant_section,
)
from sociolab.analysis.length import LengthEffect, length_effects, length_section
from sociolab.analysis.panel import JudgePanel, panel_of, panel_section
from sociolab.analysis.self_preference import SelfPreferences, family_section, self_preferences
from sociolab.analysis.values import RunValues, values_of
from sociolab.app.data.sets import load_world
from sociolab.app.players.agent_models import CountedJudge
from sociolab.app.players.casting import Casting
from sociolab.app.players.models import Models, ModelSpec, parse
from sociolab.app.run.config import AuditConfig
from sociolab.app.run.session import kept_in_a_run, patience_of
from sociolab.app.run_sync import synchronous
from sociolab.core.episode import Episode, Trial
from sociolab.core.errors import ConfigError, ModelError, SociolabError, StorageError, stops_all
from sociolab.core.ports import (
    Attempt,
    CallKey,
    ChatReply,
    Judge,
    Prompt,
    ReplyStore,
    Variant,
    Variants,
    WorldKit,
)
from sociolab.core.score import UNNAMED_MEASURE, JudgeId, Score, ScoreFailure, Verdict
from sociolab.core.seeding import digest
from sociolab.judging.controls import donated
from sociolab.models.budget import Budget
from sociolab.report.catalogue import Catalogue
from sociolab.report.exam import ExamNotes, exam_notes, exams_of
from sociolab.report.finding import Count, Finding, Sentence
from sociolab.report.plays import PlayKey
from sociolab.report.result import run_of_episodes
from sociolab.report.section import Section, noted
from sociolab.report.words import counted
from sociolab.runner.judging import Cells, cells_of, failures_of, seated, verdicts_of
from sociolab.runner.local import work_all
from sociolab.runner.progress import TalliedReplies, Tally, Watch
from sociolab.store.calls import RunReplies
from sociolab.store.connect import store_path
from sociolab.store.store import Store

SAY = Catalogue("audit")

FAMILY, LENGTH = "family", "length"
STORED = frozenset({FAMILY, LENGTH})
"""The kinds of audit that need no judging: from scores that are stored."""

_AT_ONCE = 128
"""Episodes under way."""

REPEAT = "repeat"
"""The kind of audit that any episode allows; others are the variants that its world lays out."""


@dataclass(frozen=True, slots=True)
class AuditResult:
    """What was found, as findings by kind and as sections to show.

    `judge` is "" where none was asked; `stopped` says why an audit ended early. `judgings` counts
    what was asked, `failed` those that lack a score, by cause. `in_vain` says what failed where all
    did: every judging of the judge, or every play of the panel; "" otherwise.
    """

    run: str
    judge: str
    episodes: int
    effects: Mapping[str, tuple[Finding, ...]]
    families: SelfPreferences | None
    panel: JudgePanel | None
    sections: tuple[Section, ...]
    stopped: str = ""
    judgings: int = 0
    failed: Mapping[str, int] = field(default_factory=dict)
    in_vain: str = ""
    controls: tuple[Finding, ...] = ()
    lengths: tuple[LengthEffect, ...] = ()


@synchronous
async def audit(config: AuditConfig, watch: Watch | None = None) -> AuditResult:
    """Audit a judge; works inside a running event loop too. ConfigError where something is wrong.

    Nothing is added to the run: replies are kept in a run of their own, where the same command
    finds them. An audit that is stopped goes on from there.
    """
    path = store_path(config.store)
    with Store.open(path, create=False) as store:
        row = run_of_episodes(store, config.run)
        kit = load_world(row.world, settings=row.world_settings)
        kinds = _kinds(config, kit)
        needed = STORED & {*kinds} or config.panel
        stored = values_of(store, row.name) if needed else None
        words = _count_words(store, row.name) if LENGTH in kinds else {}
        # A panel that cannot be is refused before a judge is asked, and paid.
        panel = panel_of(stored, config.panel) if stored and config.panel else None
        build = partial(_build_result, config, kit, kinds, stored, words, panel)
        if config.judge is None:
            return build(None, AuditJudgings())
        tally = Tally()
        replies, models, budget = TalliedReplies(tally), Models(config), Budget(config.budget)
        paid = PaidBefore(replies, RunReplies(store, config.run))
        patience = patience_of(config.agent_timeout)
        judge = Casting(kit, models, paid, budget, patience, tally.waits).judge(config.judge)
        if set(kinds) <= STORED:
            return build(judge, AuditJudgings())
        trials = _sample(store, config)
        tally.total = len(trials)
        variants = {kind: variant for kind, variant in kit.variants.items() if kind in kinds}
        work = AuditWork(judge, config.repeats if REPEAT in kinds else 0, variants, config.seed)
        about = ("audit", {"run": config.run, "judge": config.judge})
        of_model = isinstance(parse(config.judge, "judge"), ModelSpec)
        calls = of_model or isinstance(getattr(judge, "own", None), CountedJudge)
        reply_run = (
            kept_in_a_run(store, path, row.world, about, replies) if calls else nullcontext()
        )
        with reply_run as name:
            if name:
                budget.carry_over(store.calls.totals(name))
            try:
                with watch(name or config.run, tally) if watch else nullcontext():
                    results = await ask(store, config.run, trials, work, tally)
            finally:
                await models.close()
        sat = exams_of(store, row.name, row.world, {judge.id: judge.id.label})
        results.exams = exam_notes({row.name: sat})
        return build(judge, results)


def _kinds(config: AuditConfig, kit: WorldKit) -> tuple[str, ...]:
    """The kinds to audit, in order; ConfigError for one that this world lacks, or lacks a judge."""
    available = (REPEAT, *kit.variants, FAMILY, LENGTH)
    for kind in config.kinds:
        if kind not in available:
            raise ConfigError(
                f"--kind {kind}: {kit.world.name} has no such variant of its episodes; its judges "
                f"can be audited by {', '.join(available)}"
            )
    if config.judge is not None:
        return tuple(kind for kind in available if kind in (config.kinds or available))
    if set(config.kinds) - STORED or not (config.kinds or config.panel):
        raise ConfigError(
            "--judge: expected the judge to audit, found none; only --kind family, --kind length "
            "and --panel work on stored scores alone"
        )
    return tuple(dict.fromkeys(config.kinds))


def _sample(store: Store, config: AuditConfig) -> list[Trial]:
    """The episodes to audit, in the order of the plan."""
    played = [row.trial for row in store.trials(config.run) if row.status == "played"]
    if not played:
        raise ConfigError(f"{config.run}: expected episodes that were played, found none")
    drawn = sorted(_lot(trial) for trial in played)[: config.limit]
    return [trial for trial in played if _lot(trial) in set(drawn)]


def _lot(trial: Trial) -> str:
    """A number by lot for an episode: the first few of these are a sample over the whole plan."""
    return digest("audit", trial.id)


# ------------------------------------------------------------------ what was found


def _build_result(
    config: AuditConfig,
    kit: WorldKit,
    kinds: Sequence[str],
    stored: RunValues | None,
    words: Mapping[PlayKey, int],
    panel: JudgePanel | None,
    judge: Judge | None,
    results: AuditJudgings,
) -> AuditResult:
    """Figures and sections of all that was asked for; `stored` are the run's own scores, where
    they are wanted."""
    name = judge.id.label if judge else ""
    effects: dict[str, tuple[Finding, ...]] = {}
    controls: tuple[Finding, ...] = ()
    sections: list[Section] = []
    if judge and (results.audited or results.error):
        sections.append(opening(config.run, judge.id, results, _lacking(config, kit)))
        for kind, findings, section in audits(kit, kinds, results):
            effects[kind] = findings
            sections.append(section)
        controls = tuple(_controls(kit, kinds, results))
        if controls:
            sections.insert(1, controls_section(controls, kit.declared.cluster))
        sections = [noted(section, results.exams.below) for section in sections]
        sections[0] = replace(sections[0], cautions=(*results.exams.failed, *sections[0].cautions))
    by_run = {config.run: stored.exams if stored is not None else ()}
    families = None
    if stored is not None and FAMILY in kinds:
        families = self_preferences(stored, config.families, name or None)
        sections.append(exam_notes(by_run, families.families).on(family_section(families)))
    lengths: tuple[LengthEffect, ...] = ()
    if stored is not None and LENGTH in kinds:
        lengths = length_effects(stored, words, name or None)
        of_lengths = exam_notes(by_run, {effect.judge for effect in lengths})
        sections.append(of_lengths.on(length_section(stored, lengths)))
    if panel is not None:
        of_panel = exam_notes(by_run, panel.judges)
        sections.append(of_panel.on(panel_section(panel, config.apart)))
    return AuditResult(
        run=config.run,
        judge=name,
        episodes=len(results.audited),
        effects=effects,
        families=families,
        panel=panel,
        sections=tuple(sections),
        stopped=str(results.error) if results.error else "",
        judgings=len(results.judgings),
        failed=dict(results.failed),
        in_vain="; ".join(_in_vain(results, panel)),
        controls=controls,
        lengths=lengths,
    )


def _in_vain(results: AuditJudgings, panel: JudgePanel | None) -> Iterator[Sentence]:
    """What failed, where nothing else came of it."""
    if results.in_vain:
        judgings = Count("judging", len(results.judgings))
        yield SAY("all_judgings_failed", judgings=judgings, causes=counted(results.failed))
    if panel is not None and panel.failed and not any(play.complete for play in panel.plays):
        scores = Count("score", len(panel.plays))
        yield SAY("panel_failed", n=panel.failed, scores=scores)


def _lacking(config: AuditConfig, kit: WorldKit) -> Sentence | None:
    """What cannot be audited in a world without variants, unless only this was asked for."""
    if kit.variants or config.kinds:
        return None
    return SAY("no_variants", world=kit.world.name, kinds=(REPEAT, FAMILY, LENGTH))


@dataclass(frozen=True, slots=True)
class AuditedEpisode:
    """All that was said of one episode: as it is (the first of `as_it_is`), again, as variants.

    `variants` holds an entry for each kind asked for, empty where the episode has no such variant.
    """

    trial: Trial
    as_it_is: tuple[tuple[Verdict, ...], ...]
    variants: Mapping[str, tuple[tuple[Variant, tuple[Verdict, ...]], ...]]
    words: Mapping[str, tuple[int, int]]

    @property
    def judgings(self) -> tuple[tuple[Verdict, ...], ...]:
        """Everything that was said, judging by judging."""
        of_variants = (verdicts for kind in self.variants.values() for _, verdicts in kind)
        return (*self.as_it_is, *of_variants)


@dataclass(frozen=True, slots=True)
class AuditWork:
    """What to ask of each episode: so many more judgings as it is, and these variants, by seed."""

    judge: Judge
    repeats: int
    variants: Mapping[str, Variants]
    seed: int


@dataclass(slots=True)
class AuditJudgings:
    """The episodes that are done, in the order of the plan, and why it stopped if it did; `exams`
    is how the judge did in its exam."""

    audited: dict[str, AuditedEpisode] = field(default_factory=dict)
    error: ModelError | StorageError | None = None
    exams: ExamNotes = field(default_factory=ExamNotes)

    @property
    def judgings(self) -> tuple[tuple[Verdict, ...], ...]:
        """Everything that was said, of all episodes."""
        return tuple(verdicts for episode in self.audited.values() for verdicts in episode.judgings)

    @property
    def failures(self) -> tuple[ScoreFailure, ...]:
        """The first failure of each judging that lacks a score."""
        first = (
            next((v for v in verdicts if isinstance(v, ScoreFailure)), None)
            for verdicts in self.judgings
        )
        return tuple(filter(None, first))

    @property
    def failed(self) -> Counter[str]:
        """Judgings that lack a score, by the cause that comes first."""
        return Counter(failure.cause for failure in self.failures)

    @property
    def cells(self) -> Cells:
        """What the judge is for, as the first judging that told says."""
        for episode in self.audited.values():
            for verdicts in episode.judgings:
                if any(verdict.measure != UNNAMED_MEASURE for verdict in verdicts):
                    return cells_of(verdicts, episode.trial.task.seats)
        return ()

    @property
    def in_vain(self) -> bool:
        """Whether judgings failed, and none of them all holds a score."""
        scored = any(isinstance(v, Score) for verdicts in self.judgings for v in verdicts)
        return bool(self.failed) and not scored


@dataclass(frozen=True, slots=True)
class PaidBefore:
    """Replies kept by an audit, and those of the run itself, where the same judge judged it."""

    replies: TalliedReplies
    run: ReplyStore

    def find(self, key: str) -> ChatReply | None:
        """A reply that was paid for before, by whichever of the two."""
        reply = self.replies.find(key)
        return reply if reply is not None else self.run.find(key)

    def keep(self, key: str, call: CallKey, model: str, prompt: Prompt, reply: ChatReply) -> None:
        """Kept by the audit: nothing is added to the run."""
        self.replies.keep(key, call, model, prompt, reply)

    def keep_failure(self, call: CallKey, model: str, error: ModelError, seconds: float) -> None:
        """Kept by the audit."""
        self.replies.keep_failure(call, model, error, seconds)

    def begin_attempt(self) -> None:
        """Waited for by the audit."""
        self.replies.begin_attempt()

    def keep_attempt(self, call: CallKey, model: str, attempt: Attempt) -> None:
        """Kept by the audit."""
        self.replies.keep_attempt(call, model, attempt)


async def ask(
    store: Store, run: str, trials: Sequence[Trial], work: AuditWork, tally: Tally
) -> AuditJudgings:
    """Judge these episodes; an episode that is not done when the money is spent is left out."""
    audited: dict[str, AuditedEpisode] = {}
    donors = any(of.donor for of in work.variants.values())

    async def audit_trial(trial: Trial) -> None:
        donor = _donor(trial, trials) if donors else None
        other = Episode(donor, store.events(run, donor.id)) if donor else None
        audited[trial.id] = await _audited(Episode(trial, store.events(run, trial.id)), work, other)
        tally.done += 1

    error = await work_all(trials, audit_trial, _AT_ONCE, tally.waits)
    done = {trial.id: audited[trial.id] for trial in trials if trial.id in audited}
    return AuditJudgings(done, error)


def _donor(trial: Trial, trials: Sequence[Trial]) -> Trial | None:
    """The next trial of another scenario with as many seats: whose transcript is taken."""
    at = trials.index(trial)
    fits = (
        candidate
        for candidate in (*trials[at + 1 :], *trials[:at])
        if candidate.task.cluster != trial.task.cluster
        and len(candidate.task.seats) == len(trial.task.seats)
    )
    return next(fits, None)


def _made(of: Variants, episode: Episode, other: Episode | None, seed: int) -> tuple[Variant, ...]:
    if not of.donor:
        return of.make(episode, seed)
    changed = donated(episode, other) if other else None
    return of.make(changed, seed) if changed else ()


async def _audited(episode: Episode, work: AuditWork, other: Episode | None) -> AuditedEpisode:
    as_it_is = [await _ask_judge(work.judge, episode, number) for number in range(1 + work.repeats)]
    variants: dict[str, tuple[tuple[Variant, tuple[Verdict, ...]], ...]] = {}
    words: dict[str, tuple[int, int]] = {}
    for kind, of in work.variants.items():
        changed = _made(of, episode, other, work.seed)
        variants[kind] = tuple(
            [(v, await _ask_judge(work.judge, _named(v, kind))) for v in changed]
        )
        words[kind] = _changed_words(episode, changed)
    return AuditedEpisode(episode.trial, tuple(as_it_is), variants, words)


async def _ask_judge(judge: Judge, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
    """What a judge says, or that it failed: in what, is told by what it says elsewhere."""
    try:
        return await verdicts_of(judge, episode, judging)
    except SociolabError as error:
        if stops_all(error):
            raise
        return failures_of(error, (), episode.trial.task.seats)


def _named(variant: Variant, kind: str) -> Episode:
    """The variant under a name of its own, so that its calls are not those of the episode."""
    trial = variant.episode.trial
    return replace(variant.episode, trial=replace(trial, id=f"{trial.id} {kind} {variant.label}"))


def _changed_words(episode: Episode, variants: Iterable[Variant]) -> tuple[int, int]:
    """The words of the seats whose number of words a variant changes: as it is, and then."""
    before, after = 0, 0
    own = _by_seat(episode)
    for variant in variants:
        for seat, count in _by_seat(variant.episode).items():
            if count != own[seat]:
                before, after = before + own[seat], after + count
    return before, after


def _count_words(store: Store, run: str) -> dict[PlayKey, int]:
    """The words that each seat says, and under None those of the whole episode."""
    counts: dict[PlayKey, int] = {}
    for episode in store.episodes(run, "played"):
        by_seat = _by_seat(episode)
        counts |= {(episode.trial.id, seat): count for seat, count in by_seat.items()}
        counts[episode.trial.id, None] = by_seat.total()
    return counts


def _by_seat(episode: Episode) -> Counter[str]:
    counts: Counter[str] = Counter()
    for move in episode.moves:
        counts[move.seat] += sum(len(action.text.split()) for action in move.actions)
    return counts


def opening(
    run: str, judge: JudgeId, results: AuditJudgings, lacking: Sentence | None = None
) -> Section:
    """What was done, and what went wrong; `lacking` says what cannot be audited, if anything."""
    episodes = Count("episode", len(results.audited))
    judgings = Count("judging", len(results.judgings))
    again = sum(len(episode.as_it_is) - 1 for episode in results.audited.values())
    done = SAY(
        "done",
        episodes=episodes,
        judgings=judgings,
        unchanged=episodes.n,
        again=again,
        variants=judgings.n - again - episodes.n,
        how=SAY("at_temperature_0") if judge.method == "model" else "",
    )
    cautions = [
        SAY("stopped", error=str(results.error)) if results.error else None,
        SAY(
            "lack_scores",
            n=results.failed.total(),
            judgings=judgings,
            causes=counted(results.failed),
            first=results.failures[0].problem,
        )
        if results.failed
        else None,
        lacking,
    ]
    title = SAY("title", judge=judge.label, run=run)
    return Section(title, (done,), tuple(filter(None, cautions)))


def audits(
    kit: WorldKit, kinds: Sequence[str], results: AuditJudgings
) -> Iterator[tuple[str, tuple[Finding, ...], Section]]:
    """Each of these kinds that judgings were asked for: its findings, and how they read."""
    again: tuple[Finding, ...] = ()
    done = results.audited.values()
    if REPEAT in kinds:
        again = repeat_findings(_repeats(results))
        times = max((len(episode.as_it_is) for episode in done), default=0)
        yield REPEAT, again, repeat_section(again, times, kit.declared)
    for kind, of in kit.variants.items():
        if kind in kinds:
            changes = _changes(results, kind)
            findings = change_findings(changes)
            section = variant_section(
                kind,
                of.about,
                findings,
                kit.declared,
                without=sum(not episode.variants[kind] for episode in done),
                words=_words_of(done, kind),
                repeats=again,
                groups=grouped_findings(changes),
            )
            if REPEAT not in kinds and "as again" in of.expects.values():
                section = replace(section, said=(*section.said, SAY("no_verdict", kind=REPEAT)))
            yield kind, findings, section


def _repeats(results: AuditJudgings) -> list[RepeatedScore]:
    return [
        cell
        for episode in results.audited.values()
        for cell in repeated_of(
            episode.trial, episode.as_it_is, seated(results.cells, episode.trial.task.seats)
        )
    ]


def _controls(kit: WorldKit, kinds: Sequence[str], results: AuditJudgings) -> Iterator[Finding]:
    repeats = _repeats(results)
    for kind, of in kit.variants.items():
        if kind in kinds and of.expects:
            yield from control_findings(kind, of.expects, _changes(results, kind), repeats)


def _changes(results: AuditJudgings, kind: str) -> list[ScoreChange]:
    return [
        change
        for episode in results.audited.values()
        for variant, verdicts in episode.variants[kind]
        for change in changes_of(
            episode.trial,
            variant,
            episode.as_it_is[0],
            verdicts,
            seated(results.cells, episode.trial.task.seats),
        )
    ]


def _words_of(done: Iterable[AuditedEpisode], kind: str) -> tuple[int, int]:
    pairs = [episode.words[kind] for episode in done]
    return sum(before for before, _ in pairs), sum(after for _, after in pairs)
