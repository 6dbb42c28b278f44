"""Audit a judge on the episodes of a run, or a panel of judges that scored it.

The judge is called here, and its replies are stored; `analysis.audit` computes the findings.
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
    control_findings,
    controls_section,
    grouped_findings,
    repeat_findings,
    repeat_section,
    repeated_scores,
    score_changes,
    variant_section,
)
from sociolab.analysis.length import (
    LengthEffect,
    length_effects,
    length_section,
    words_by_seat,
)
from sociolab.analysis.panel import JudgePanel, build_panel, panel_section
from sociolab.analysis.self_preference import SelfPreferences, family_section, self_preferences
from sociolab.analysis.values import RunValues, values_of
from sociolab.app.data.sets import load_world
from sociolab.app.players.agent_models import CountedJudge
from sociolab.app.players.casting import Casting
from sociolab.app.players.models import Models, ModelSpec, parse
from sociolab.app.run.config import AuditConfig
from sociolab.app.run.session import (
    models_among,
    note_addresses,
    patience_of,
    run_for_replies,
)
from sociolab.app.run_sync import synchronous
from sociolab.core.episode import Episode, Trial
from sociolab.core.errors import ConfigError, ModelError, SociolabError, StorageError, stops_all
from sociolab.core.instructions import STAND_INS
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
from sociolab.judging.controls import swap_transcript
from sociolab.models.budget import Budget
from sociolab.report.catalogue import Catalogue
from sociolab.report.exam import ExamNotes, exam_notes, exams_of
from sociolab.report.finding import Count, Finding, Sentence
from sociolab.report.plays import PlayKey
from sociolab.report.result import run_of_episodes
from sociolab.report.section import Section, noted
from sociolab.report.words import counted, stand_in_words
from sociolab.runner.judging import Cells, cells_of, failures_of, seated, verdicts_of
from sociolab.runner.local import work_all
from sociolab.runner.progress import TalliedReplies, Tally, Watch
from sociolab.store.calls import RunReplies
from sociolab.store.connect import store_path
from sociolab.store.store import Store

SAY = Catalogue("audit")

FAMILY, LENGTH = "family", "length"
STORED = frozenset({FAMILY, LENGTH})
"""The kinds of audit that work on stored scores, without judging anything."""

AT_ONCE = 128
"""Number of episodes that are judged concurrently."""

REPEAT = "repeat"
"""The kind of audit that works in any world; the others are variants that a world defines."""


@dataclass(frozen=True, slots=True)
class AuditResult:
    """The result of an audit, as findings by kind and as sections to print.

    `judge` is "" where none was called; `stopped` says why an audit ended early. `failed` counts
    the judgings that lack a score, by cause. `in_vain` is a clause on the failures if every judging
    of the judge, or every score of the panel, failed; "" otherwise.
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
    """Audit a judge; works inside a running event loop, too.

    Nothing is added to the run: replies are stored in a run of their own, from which the same
    command resumes. ConfigError where the description does not fit the run.
    """
    path = store_path(config.store)
    with Store.open(path, create=False) as store:
        row = run_of_episodes(store, config.run)
        kit = load_world(row.world, settings=row.world_settings)
        kinds = audit_kinds(config, kit)
        needed = STORED & {*kinds} or config.panel
        stored = values_of(store, row.name) if needed else None
        words = _count_words(store, row.name) if LENGTH in kinds else {}
        # An invalid panel is refused before a judge is paid.
        panel = build_panel(stored, config.panel) if stored and config.panel else None
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
        trials, work = plan_audit(store, config, kit, kinds, judge)
        tally.total = len(trials)
        of_model = isinstance(parse(config.judge, "judge"), ModelSpec)
        calls = of_model or isinstance(getattr(judge, "own", None), CountedJudge)
        reply_run = (
            run_for_replies(store, path, row.world, replies_of(config), replies)
            if calls
            else nullcontext()
        )
        with reply_run as name:
            if name:
                budget.carry_over(store.calls.totals(name))
            try:
                if name:
                    await note_addresses(store, name, models_among(config.judge), models)
                with watch(name or config.run, tally) if watch else nullcontext():
                    results = await _judge_all(store, config.run, trials, work, tally)
            finally:
                await models.close()
        sat = exams_of(store, row.name, row.world, {judge.id: judge.id.label})
        served = await models.stand_ins(models_among(config.judge))
        results.exams = exam_notes({row.name: sat}).after(stand_in_words({STAND_INS: served}))
        return build(judge, results)


def audit_kinds(config: AuditConfig, kit: WorldKit) -> tuple[str, ...]:
    """The kinds to audit, in order; ConfigError for one that the world does not have, and for one
    that needs a judge where none is named."""
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


def replies_of(config: AuditConfig) -> tuple[str, Mapping[str, str | None]]:
    """What the run that stores the judge's replies is about (`run_for_replies`)."""
    return "audit", {"run": config.run, "judge": config.judge}


def plan_audit(
    store: Store, config: AuditConfig, kit: WorldKit, kinds: Sequence[str], judge: Judge
) -> tuple[list[Trial], AuditWork]:
    """The episodes to judge, and how. ConfigError where none was played."""
    variants = {kind: variant for kind, variant in kit.variants.items() if kind in kinds}
    repeats = config.repeats if REPEAT in kinds else 0
    return _draw_sample(store, config), AuditWork(judge, repeats, variants, config.seed)


def _draw_sample(store: Store, config: AuditConfig) -> list[Trial]:
    """A random sample of the played episodes, always the same, in the order of the plan; a larger
    limit adds to it."""
    played = [row.trial for row in store.trials(config.run) if row.status == "played"]
    if not played:
        raise ConfigError(f"{config.run}: expected episodes that were played, found none")
    sample = sorted(played, key=lambda trial: digest("audit", trial.id))[: config.limit]
    drawn = {trial.id for trial in sample}
    return [trial for trial in played if trial.id in drawn]


# ------------------------------------------------------------------ results


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
    """The findings and sections of all requested kinds; `stored` are the scores of the run, if a
    kind needs them."""
    name = judge.id.label if judge else ""
    effects: dict[str, tuple[Finding, ...]] = {}
    controls: tuple[Finding, ...] = ()
    sections: list[Section] = []
    if judge and (results.audited or results.error):
        unavailable = None
        if not (kit.variants or config.kinds):
            kinds_left = (REPEAT, FAMILY, LENGTH)
            unavailable = SAY("no_variants", world=kit.world.name, kinds=kinds_left)
        sections.append(_opening_section(config.run, judge.id, results, unavailable))
        for kind, findings, section in _audit_kinds(kit, kinds, results):
            effects[kind] = findings
            sections.append(section)
        controls = tuple(_controls(kit, kinds, results))
        if controls:
            sections.insert(1, controls_section(controls, kit.declared.cluster))
        sections = [noted(section, results.exams.below) for section in sections]
        sections[0] = replace(sections[0], warnings=results.exams.failed)
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
        in_vain="; ".join(_total_failures(results, panel)),
        controls=controls,
        lengths=lengths,
    )


def _total_failures(results: AuditJudgings, panel: JudgePanel | None) -> Iterator[Sentence]:
    """A clause for the judge, and one for the panel, if nothing but failures came of it."""
    if results.in_vain:
        judgings = Count("judging", len(results.judgings))
        yield SAY("all_judgings_failed", judgings=judgings, causes=counted(results.failed))
    if panel is not None and panel.failed and not any(play.complete for play in panel.plays):
        scores = Count("score", len(panel.plays))
        yield SAY("panel_failed", n=panel.failed, scores=scores)


@dataclass(frozen=True, slots=True)
class AuditedEpisode:
    """All judgings of an episode: unchanged (once or, for repeats, more often), and as variants.

    `variants` has an entry for each requested kind, () where the episode has no such variant.
    `words` are the counts of `_count_changed_words`, by kind.
    """

    trial: Trial
    as_it_is: tuple[tuple[Verdict, ...], ...]
    variants: Mapping[str, tuple[tuple[Variant, tuple[Verdict, ...]], ...]]
    words: Mapping[str, tuple[int, int]]

    @property
    def judgings(self) -> tuple[tuple[Verdict, ...], ...]:
        by_variant = (verdicts for kind in self.variants.values() for _, verdicts in kind)
        return (*self.as_it_is, *by_variant)


@dataclass(frozen=True, slots=True)
class AuditWork:
    """How to judge each episode: so many more times unchanged, and once for each variant."""

    judge: Judge
    repeats: int
    variants: Mapping[str, Variants]
    seed: int


@dataclass(slots=True)
class AuditJudgings:
    """The episodes that were judged, in the order of the plan, and the error that ended it early,
    if one did; `exams` are the results of the judge in its exam."""

    audited: dict[str, AuditedEpisode] = field(default_factory=dict)
    error: ModelError | StorageError | None = None
    exams: ExamNotes = field(default_factory=ExamNotes)

    @property
    def judgings(self) -> tuple[tuple[Verdict, ...], ...]:
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
        """The number of judgings that lack a score, by the cause of their first failure."""
        return Counter(failure.cause for failure in self.failures)

    @property
    def cells(self) -> Cells:
        """What the judge scores, by the first judging in which it did not break."""
        for episode in self.audited.values():
            for verdicts in episode.judgings:
                if any(verdict.measure != UNNAMED_MEASURE for verdict in verdicts):
                    return cells_of(verdicts, episode.trial.task.seats)
        return ()

    @property
    def in_vain(self) -> bool:
        """Whether judgings failed, and no judging has a score."""
        scored = any(isinstance(v, Score) for verdicts in self.judgings for v in verdicts)
        return bool(self.failed) and not scored


@dataclass(frozen=True, slots=True)
class PaidBefore:
    """Stores the replies of an audit; also finds those of the run itself, in which the same judge
    may have judged the same episodes."""

    replies: TalliedReplies
    run: ReplyStore

    def find(self, key: str) -> ChatReply | None:
        reply = self.replies.find(key)
        return reply if reply is not None else self.run.find(key)

    def keep(self, key: str, call: CallKey, model: str, prompt: Prompt, reply: ChatReply) -> None:
        self.replies.keep(key, call, model, prompt, reply)

    def keep_failure(self, call: CallKey, model: str, error: ModelError, seconds: float) -> None:
        self.replies.keep_failure(call, model, error, seconds)

    def begin_attempt(self) -> None:
        self.replies.begin_attempt()

    def keep_attempt(self, call: CallKey, model: str, attempt: Attempt) -> None:
        self.replies.keep_attempt(call, model, attempt)


async def _judge_all(
    store: Store, run: str, trials: Sequence[Trial], work: AuditWork, tally: Tally
) -> AuditJudgings:
    """Judge these episodes; one that is not complete when the budget is spent is left out."""
    audited: dict[str, AuditedEpisode] = {}

    async def audit_one(trial: Trial) -> None:
        audited[trial.id] = await audit_trial(store, run, trial, trials, work)
        tally.done += 1

    error = await work_all(trials, audit_one, AT_ONCE, tally.waits)
    done = {trial.id: audited[trial.id] for trial in trials if trial.id in audited}
    return AuditJudgings(done, error)


async def audit_trial(
    store: Store, run: str, trial: Trial, trials: Sequence[Trial], work: AuditWork
) -> AuditedEpisode:
    """Judge an episode of a sample as it is and as its variants."""
    needs_donor = any(variants.donor for variants in work.variants.values())
    donor = _pick_donor(trial, trials) if needs_donor else None
    other = Episode(donor, store.events(run, donor.id)) if donor else None
    return await _audit_episode(Episode(trial, store.events(run, trial.id)), work, other)


def _pick_donor(trial: Trial, trials: Sequence[Trial]) -> Trial | None:
    """The next trial of another scenario with as many seats, whose transcript replaces this one's
    in a control; None if there is none."""
    at = trials.index(trial)
    fits = (
        candidate
        for candidate in (*trials[at + 1 :], *trials[:at])
        if candidate.task.cluster != trial.task.cluster
        and len(candidate.task.seats) == len(trial.task.seats)
    )
    return next(fits, None)


async def _audit_episode(
    episode: Episode, work: AuditWork, other: Episode | None
) -> AuditedEpisode:
    as_it_is = [await _ask_judge(work.judge, episode, number) for number in range(1 + work.repeats)]
    judged: dict[str, tuple[tuple[Variant, tuple[Verdict, ...]], ...]] = {}
    words: dict[str, tuple[int, int]] = {}
    for kind, variants in work.variants.items():
        original: Episode | None = episode
        if variants.donor:
            original = swap_transcript(episode, other) if other else None
        changed = variants.make(original, work.seed) if original else ()
        judged[kind] = tuple(
            [(v, await _ask_judge(work.judge, _renamed(v, kind))) for v in changed]
        )
        words[kind] = _count_changed_words(episode, changed)
    return AuditedEpisode(episode.trial, tuple(as_it_is), judged, words)


async def _ask_judge(judge: Judge, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
    """The verdicts of a judge, or a failure in `UNNAMED_MEASURE`; what it should have scored is
    known from other episodes."""
    try:
        return await verdicts_of(judge, episode, judging)
    except SociolabError as error:
        if stops_all(error):
            raise
        return failures_of(error, (), episode.trial.task.seats)


def _renamed(variant: Variant, kind: str) -> Episode:
    """The variant with an id of its own, so that its calls do not share keys with the episode's."""
    trial = variant.episode.trial
    return replace(variant.episode, trial=replace(trial, id=f"{trial.id} {kind} {variant.label}"))


def _count_changed_words(episode: Episode, variants: Iterable[Variant]) -> tuple[int, int]:
    """The words, before and after, of the seats whose number of words a variant changes."""
    before, after = 0, 0
    own = words_by_seat(episode)
    for variant in variants:
        for seat, count in words_by_seat(variant.episode).items():
            if count != own[seat]:
                before, after = before + own[seat], after + count
    return before, after


def _count_words(store: Store, run: str) -> dict[PlayKey, int]:
    """The number of words of each seat and, under None, of the whole episode."""
    counts: dict[PlayKey, int] = {}
    for episode in store.episodes(run, "played"):
        by_seat = words_by_seat(episode)
        counts |= {(episode.trial.id, seat): count for seat, count in by_seat.items()}
        counts[episode.trial.id, None] = by_seat.total()
    return counts


def _opening_section(
    run: str, judge: JudgeId, results: AuditJudgings, unavailable: Sentence | None = None
) -> Section:
    """What was judged, and what failed; `unavailable` says what cannot be audited, if anything."""
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
        unavailable,
    ]
    title = SAY("title", judge=judge.label, run=run)
    return Section(title, (done,), tuple(filter(None, cautions)))


def _audit_kinds(
    kit: WorldKit, kinds: Sequence[str], results: AuditJudgings
) -> Iterator[tuple[str, tuple[Finding, ...], Section]]:
    """Findings and section of each of these kinds that needed judgings."""
    again: tuple[Finding, ...] = ()
    audited = results.audited.values()
    if REPEAT in kinds:
        again = repeat_findings(_repeats(results))
        times = max((len(episode.as_it_is) for episode in audited), default=0)
        yield REPEAT, again, repeat_section(again, times, kit.declared)
    for kind, variants in kit.variants.items():
        if kind in kinds:
            changes = _changes(results, kind)
            findings = change_findings(changes)
            words = [episode.words[kind] for episode in audited]
            section = variant_section(
                kind,
                variants.about,
                findings,
                kit.declared,
                without=sum(not episode.variants[kind] for episode in audited),
                words=(sum(before for before, _ in words), sum(after for _, after in words)),
                repeats=again,
                groups=grouped_findings(changes),
            )
            if REPEAT not in kinds and "as again" in variants.expects.values():
                section = replace(
                    section, sentences=(*section.sentences, SAY("no_verdict", kind=REPEAT))
                )
            yield kind, findings, section


def _repeats(results: AuditJudgings) -> list[RepeatedScore]:
    return [
        cell
        for episode in results.audited.values()
        for cell in repeated_scores(
            episode.trial, episode.as_it_is, seated(results.cells, episode.trial.task.seats)
        )
    ]


def _controls(kit: WorldKit, kinds: Sequence[str], results: AuditJudgings) -> Iterator[Finding]:
    repeats = _repeats(results)
    for kind, variants in kit.variants.items():
        if kind in kinds and variants.expects:
            yield from control_findings(kind, variants.expects, _changes(results, kind), repeats)


def _changes(results: AuditJudgings, kind: str) -> list[ScoreChange]:
    return [
        change
        for episode in results.audited.values()
        for variant, verdicts in episode.variants[kind]
        for change in score_changes(
            episode.trial,
            variant,
            episode.as_it_is[0],
            verdicts,
            seated(results.cells, episode.trial.task.seats),
        )
    ]
