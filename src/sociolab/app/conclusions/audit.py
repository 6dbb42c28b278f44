"""Audits of a judge on the episodes of a run, and panels of judges that judged it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial

from pydantic import Field

from sociolab.analysis.audit_sections import About
from sociolab.analysis.audits import Effect
from sociolab.analysis.families import Families, families
from sociolab.analysis.family_section import family_section
from sociolab.analysis.panel_words import panel_section
from sociolab.analysis.panels import APART, Panel, panel_of
from sociolab.analysis.values import RunValues, values_of
from sociolab.app.conclusions.audit_findings import REPEAT, audits, opening
from sociolab.app.conclusions.audit_judging import Asked, PaidBefore, Work, ask
from sociolab.app.data.sets import load_world
from sociolab.app.players.casting import Casting
from sociolab.app.players.models import Models, ModelSpec, parse
from sociolab.app.run.config import ModelAccess
from sociolab.app.run.judge import world_settings
from sociolab.app.run.play import Watch
from sociolab.app.run.session import kept_in_a_run
from sociolab.app.run_sync import run_sync
from sociolab.core.episode import Trial
from sociolab.core.errors import ConfigError
from sociolab.core.ports import Judge, WorldKit
from sociolab.core.seeding import digest
from sociolab.models.budget import Budget
from sociolab.report.result import run_of_episodes
from sociolab.report.section import Section
from sociolab.report.words import counted, plural
from sociolab.runner.progress import TalliedReplies, Tally
from sociolab.store.calls import RunReplies
from sociolab.store.connect import store_path
from sociolab.store.store import Store

FAMILY = "family"
"""The kind of audit that needs no judging: from scores that are stored."""


class AuditConfig(ModelAccess):
    """Which judge to audit, on which run, how.

    `kinds` empty: all that apply, with a judge. `repeats` counts judgings beyond the first. `limit`
    takes so many episodes, at random but always the same: a larger one adds to them. `seed` is that
    of variants. `families` are (family, pattern), see `analysis.families`. `panel` are judges that
    judged the run.
    """

    run: str
    judge: str | None = None
    kinds: tuple[str, ...] = ()
    limit: int | None = Field(default=None, ge=1)
    repeats: int = Field(default=3, ge=1)
    seed: int = 0
    families: tuple[tuple[str, str], ...] = ()
    panel: tuple[str, ...] = ()
    apart: float = Field(default=APART, ge=0)


@dataclass(frozen=True, slots=True)
class AuditResult:
    """What was found, as figures by kind and as sections to show.

    `judge` is "" where none was asked; `stopped` says why an audit ended early. `judgings` counts
    what was asked, `failed` those that lack a score, by cause. `in_vain` says what failed where all
    did: every judging of the judge, or every play of the panel; "" otherwise.
    """

    run: str
    judge: str
    episodes: int
    effects: Mapping[str, tuple[Effect, ...]]
    families: Families | None
    panel: Panel | None
    sections: tuple[Section, ...]
    stopped: str = ""
    judgings: int = 0
    failed: Mapping[str, int] = field(default_factory=dict)
    in_vain: str = ""


def audit(config: AuditConfig, watch: Watch | None = None) -> AuditResult:
    """Audit a judge; works inside a running event loop too. ConfigError where something is wrong.

    Nothing is added to the run: replies are kept in a run of their own, where the same command
    finds them. An audit that is stopped goes on from there.
    """
    return run_sync(lambda: audit_async(config, watch))


async def audit_async(config: AuditConfig, watch: Watch | None = None) -> AuditResult:
    """As `audit`, to be awaited."""
    path = store_path(config.store)
    with Store.open(path, create=False) as store:
        row = run_of_episodes(store, config.run)
        kit = load_world(row.world, settings=world_settings(row.settings))
        kinds = _kinds(config, kit)
        stored = values_of(store, row.name) if FAMILY in kinds or config.panel else None
        # A panel that cannot be is refused before a judge is asked, and paid.
        panel = panel_of(stored, config.panel) if stored and config.panel else None
        told = partial(_told, config, kit, kinds, stored, panel)
        if config.judge is None:
            return told(None, Asked())
        tally = Tally()
        replies, models, budget = TalliedReplies(tally), Models(config), Budget(config.budget)
        paid = PaidBefore(replies, RunReplies(store, config.run))
        judge = Casting(kit, models, paid, budget).judge(config.judge)
        if set(kinds) == {FAMILY}:
            return told(judge, Asked())
        trials = _sample(store, config)
        tally.total = len(trials)
        variants = {kind: made for kind, made in kit.variants.items() if kind in kinds}
        work = Work(judge, config.repeats if REPEAT in kinds else 0, variants, config.seed)
        about = ("audit", {"run": config.run, "judge": config.judge})
        calls = isinstance(parse(config.judge, "judge"), ModelSpec)
        kept = kept_in_a_run(store, path, row.world, about, replies) if calls else nullcontext()
        with kept as name:
            if name:
                budget.carry_over(store.calls.totals(name))
            try:
                with watch(name or config.run, tally) if watch else nullcontext():
                    asked = await ask(store, config.run, trials, work, tally)
            finally:
                await models.close()
        return told(judge, asked)


def _kinds(config: AuditConfig, kit: WorldKit) -> tuple[str, ...]:
    """The kinds to audit, in order; ConfigError for one that this world lacks, or lacks a judge."""
    known = (REPEAT, *kit.variants, FAMILY)
    for kind in config.kinds:
        if kind not in known:
            raise ConfigError(
                f"--kind {kind}: {kit.world.name} has no such variant of its episodes; its judges "
                f"can be audited by {', '.join(known)}"
            )
    if config.judge is not None:
        return tuple(kind for kind in known if kind in (config.kinds or known))
    if set(config.kinds) - {FAMILY} or not (config.kinds or config.panel):
        raise ConfigError(
            "--judge: expected the judge to audit, found none; only --kind family and --panel "
            "work on stored scores alone"
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


def _told(
    config: AuditConfig,
    kit: WorldKit,
    kinds: Sequence[str],
    stored: RunValues | None,
    panel: Panel | None,
    judge: Judge | None,
    asked: Asked,
) -> AuditResult:
    """Figures and sections of all that was asked for; `stored` are the run's own scores, where
    they are wanted."""
    name = judge.id.name if judge else ""
    effects: dict[str, tuple[Effect, ...]] = {}
    sections: list[Section] = []
    if judge and (asked.audited or asked.error):
        sections.append(opening(config.run, judge.id, asked, _lacking(config, kit)))
        for kind, made, section in audits(kit, kinds, asked):
            effects[kind] = made
            sections.append(section)
    found = None
    if stored is not None and FAMILY in kinds:
        found = families(stored, config.families, name or None)
        sections.append(
            family_section(About(stored.world, stored.measures, stored.declared), found, config.run)
        )
    if panel is not None:
        sections.append(panel_section(panel, config.apart))
    return AuditResult(
        run=config.run,
        judge=name,
        episodes=len(asked.audited),
        effects=effects,
        families=found,
        panel=panel,
        sections=tuple(sections),
        stopped=str(asked.error) if asked.error else "",
        judgings=len(asked.judgings),
        failed=dict(asked.failed),
        in_vain="; ".join(_in_vain(asked, panel)),
    )


def _in_vain(asked: Asked, panel: Panel | None) -> Iterator[str]:
    """What failed, where nothing else came of it."""
    if asked.in_vain:
        told = f"{plural(len(asked.judgings), 'judging')} failed ({counted(asked.failed)})"
        yield f"all of {told}: the audit found nothing"
    if panel is not None and panel.failed and not any(play.complete for play in panel.plays):
        told = f"{panel.failed:,} of {plural(len(panel.plays), 'score')} of the panel failed"
        yield f"{told}, and none is complete: the panel found nothing"


def _lacking(config: AuditConfig, kit: WorldKit) -> str:
    """What cannot be audited in a world without variants, unless only this was asked for."""
    if kit.variants or config.kinds:
        return ""
    return (
        f"{kit.world.name} has no variants of its episodes: its judges can be audited by {REPEAT} "
        f"and {FAMILY} only"
    )
