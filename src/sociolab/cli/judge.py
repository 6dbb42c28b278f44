"""Judging: episodes judged again, judges validated and audited, credit for turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from sociolab.app.run.config import (
    AuditConfig,
    CreditConfig,
    ExamConfig,
    JudgeConfig,
    ValidationConfig,
)
from sociolab.cli.options import (
    DryRun,
    Json,
    Latency,
    OptInt,
    OptText,
    argument,
    name_and_value,
    option,
    refuse,
    refuse_latency,
    takes,
)
from sociolab.cli.output import (
    resumable,
    say,
    show_result,
    show_sections,
)
from sociolab.core.errors import ConfigError
from sociolab.plugin.options import checked, flags_of
from sociolab.report.words import plural

if TYPE_CHECKING:
    from sociolab.app.audit import AuditResult
    from sociolab.app.credit import CreditResult
    from sociolab.app.preflight.run_estimate import RunEstimate
    from sociolab.runner.progress import Tally

verbs = typer.Typer()

_LABELLED = ("judge", "data", "limit")
"""Fields of `ValidationConfig` that `JudgeConfig` lacks."""

_READER = "reader:"
"""How `--exam` spells a reader of outcomes, before its spec."""

_OF_RUN = [name for name in flags_of(JudgeConfig) if name != "exam"]
"""Fields of `JudgeConfig`, but for the one whose flag is also that of `ExamConfig.judge`."""


@verbs.command(epilog="Example: sociolab judge first --judge openai/MODEL --budget 5")
@takes(JudgeConfig, *_OF_RUN)
@takes(ValidationConfig, *_LABELLED, into="labelled")
@takes(ExamConfig, "judge", "world", into="examined")
def judge(
    run: Annotated[OptText, argument("RUN", "The run's name.")] = None,
    repeats: Annotated[
        OptInt, option("--repeats", "N", "Judgments of each episode.", min=1)
    ] = None,
    sheet: Annotated[
        OptText,
        option(
            "--sheet", "NAME|FILE", "Questions for the judge: a guide of the world, or a TOML file."
        ),
    ] = None,
    *,
    labelled: dict[str, Any],
    examined: dict[str, Any],
    options: dict[str, Any],
    dry_run: DryRun = False,
    latency: Latency = None,
    json: Json = False,
) -> None:
    """Judge a run again, validate a judge on labels, or have it sit an exam.

    `--exam SPEC` only runs the exam; write "reader:SPEC" for a reader of outcomes. With a RUN,
    `--exam off` skips the exam. `--dry-run` estimates any of them.
    """
    refuse_latency(latency, dry_run)
    if (sits := examined.get("judge")) == "off":
        options["exam"] = examined.pop("judge")
    of_run = {
        "RUN": run,
        "--judge": options.get("judges"),
        "--reader": options.get("readers"),
        "--set": options.get("settings"),
        "--repeats": repeats,
        "--sheet": sheet,
    }
    flags = flags_of(ValidationConfig)
    if sits not in (None, "off"):
        refuse({**of_run, "--set": None}, "does not go with --exam SPEC, which judges no run")
        reads = str(sits).startswith(_READER)
        examined["judge"] = str(sits).removeprefix(_READER)
        examined["role"] = "reader" if reads else "judge"
        exam = checked(ExamConfig, {**options, **examined})
        if dry_run:
            from sociolab.app.preflight.judging_estimate import estimate_exam

            _show_estimate(partial(estimate_exam, exam, latency), as_json=json)
        _examine(exam, as_json=json)
    refuse({"--world": examined.get("world")}, "is for --exam SPEC: a RUN has its world")
    if _validates(of_run, {flags[name].flags: labelled.get(name) for name in _LABELLED}):
        validation = checked(ValidationConfig, {**options, **labelled})
        if dry_run:
            from sociolab.app.preflight.judging_estimate import estimate_validation

            _show_estimate(partial(estimate_validation, validation, latency), as_json=json)
        _validate(validation, as_json=json)
    config = checked(JudgeConfig, options)
    if dry_run:
        from sociolab.app.preflight.judging_estimate import estimate_judging

        work = partial(estimate_judging, run or "", config, latency=latency)
        _show_estimate(partial(work, repeats=repeats or 1, sheet=sheet or ""), as_json=json)
    _judge(run or "", config, repeats=repeats or 1, sheet=sheet or "", as_json=json)


def _show_estimate(estimate: Callable[[], RunEstimate], *, as_json: bool) -> NoReturn:
    """Print what work would take."""
    from sociolab.cli.progress import ticking

    with ticking(10, partial(say, "still measuring prompts ...")):
        expected = estimate()
    show_sections([expected.section()], expected.document, as_json=as_json)
    raise typer.Exit(0)


def _judge(run: str, config: JudgeConfig, *, repeats: int, sheet: str, as_json: bool) -> NoReturn:
    """Judge the run, and print its tables with the scores of earlier judges, too."""
    from sociolab.app.run.judge import judge_run
    from sociolab.cli.progress import watch
    from sociolab.cli.study import await_app_of_run
    from sociolab.report.run_facts import judge_failures

    await_app_of_run(config.store, run)
    tallies: list[Tally] = []

    def watched(name: str, tally: Tally) -> AbstractContextManager[None]:
        tallies.append(tally)
        return watch(lambda name: None)(name, tally)

    with resumable("what was judged is stored; the same command resumes from here"):
        result = judge_run(run, config, repeats=repeats, sheet=sheet, watch=watched).result
    show_result(result, config.store, as_json=as_json)
    failed = [*judge_failures(result, config.store, tallies[0].judges)]
    for sentence in failed:
        say(sentence)
    raise typer.Exit(1 if result.stopped or failed else 0)


def _validates(of_run: Mapping[str, object], of_data: Mapping[str, object]) -> bool:
    """Whether a judge is to be validated rather than a run judged; ConfigError for arguments of
    both, or too few of either."""
    if all(of_data[name] is None for name in of_data):
        if of_run["RUN"] is None:
            raise ConfigError(
                "expected a RUN whose episodes are judged, or --validate SPEC --data DIR, found "
                "neither"
            )
        return False
    missing = [name for name in ("--validate", "--data") if of_data[name] is None]
    if missing:
        raise ConfigError(f"{_join_flags(of_data)} needs {' and '.join(missing)}")
    if any(of_run.values()):
        raise ConfigError(f"--validate judges no run: leave out {_join_flags(of_run)}")
    return True


def _join_flags(arguments: Mapping[str, object]) -> str:
    return ", ".join(name for name, value in arguments.items() if value is not None)


def _validate(config: ValidationConfig, *, as_json: bool) -> NoReturn:
    """Compare a judge's answers with labels, and print sections or one JSON object."""
    from sociolab.app.run import validate as validation
    from sociolab.cli.progress import watch

    with resumable("replies are stored, the same command resumes"):
        result = validation.validate(config, watch(lambda name: None))
    show_sections(
        [validation.section(result)], partial(validation.document, result), as_json=as_json
    )
    if result.stopped:
        say(f"stopped with {result.waiting} items left: {result.stopped}; the same command resumes")
    elif result.in_vain:
        say("no answer could be used: nothing was validated")
    raise typer.Exit(1 if result.stopped or result.in_vain else 0)


def _examine(config: ExamConfig, *, as_json: bool) -> NoReturn:
    """Have a judge sit the exam of a world, and print sections or one JSON object."""
    from sociolab.app.run import exam
    from sociolab.cli.progress import watch

    with resumable("what was answered is stored, the same command resumes"):
        result = exam.take_exam(config, watch(lambda name: None))
    show_sections([exam.section(result)], partial(exam.document, result), as_json=as_json)
    if result.stopped:
        say(f"stopped: {result.stopped}; the same command resumes")
    passed = result.entry is not None and result.entry.passed
    raise typer.Exit(1 if result.stopped or not passed else 0)


@verbs.command(epilog="Example: sociolab audit first --judge openai/MODEL --limit 20")
@takes(AuditConfig)
def audit(
    *,
    options: dict[str, Any],
    dry_run: DryRun = False,
    latency: Latency = None,
    json: Json = False,
) -> None:
    """Audit a judge: does it notice what it should, and ignore what it should?

    The judge scores episodes again, unchanged and with one change: names swapped, words padded, a
    secret told, an insult, another transcript, a note to the judge.
    """
    from sociolab.app.audit import audit as examine
    from sociolab.cli.progress import watch

    refuse_latency(latency, dry_run)
    form = "NAME=PATTERN, such as gpt=*o3*,"
    families = [name_and_value(text, "--family", form) for text in options.pop("families", ())]
    config = checked(AuditConfig, options | {"families": families})
    if dry_run:
        from sociolab.app.preflight.judging_estimate import estimate_audit

        _show_estimate(partial(estimate_audit, config, latency), as_json=json)
    with resumable("what was judged is kept; the same command resumes from here"):
        result = examine(config, watch(lambda name: None))
    show_sections(result.sections, partial(_audit_document, result), as_json=json)
    if result.in_vain:
        say(result.in_vain)
    missed = config.check and any(control.more["verdict"] == "fails" for control in result.controls)
    raise typer.Exit(1 if result.stopped or result.in_vain or missed else 0)


@verbs.command(epilog="Example: sociolab credit first --judge openai/MODEL --limit 20")
@takes(CreditConfig)
def credit(*, options: dict[str, Any], json: Json = False) -> None:
    """Find which turns advanced a goal or revealed a secret.

    A judge names them, and must quote them.
    """
    from sociolab.analysis.credit import credit_section
    from sociolab.app.credit import credit_run
    from sociolab.cli.progress import watch

    config = checked(CreditConfig, options)
    progress = watch(lambda name: None, failed="with a list of turns missing")
    with resumable("what was said is stored, the same command resumes from here"):
        result = credit_run(config, progress)
    clusters, exams = result.declared.cluster, result.exams
    section = credit_section(result.run, result.judge, result.plays, result.checks, clusters, exams)
    show_sections([section], partial(_credit_document, result), as_json=json)
    if result.stopped:
        say(f"stopped: {result.stopped}")
    if result.in_vain:
        say(f"{result.in_vain}: nothing was credited")
    if result.waiting:
        say(f"{plural(result.waiting, 'episode')} still to be read: the same command resumes")
    if result.nothing:
        say(f"{plural(result.nothing, 'episode')} left out: no goal or secret, or no turns")
    if config.out is not None:
        say(f"wrote {plural(result.lines, 'turn')} to {config.out}")
        if result.unseen:
            say(f"{result.unseen} of them are without what the seat saw: it cannot be rebuilt")
    raise typer.Exit(1 if result.stopped or result.in_vain else 0)


# ------------------------------------------------------------------ JSON documents


def _audit_document(result: AuditResult) -> dict[str, Any]:
    from sociolab.report.finding import documents

    return {
        "schema": 1,
        "kind": "audit",
        "run": result.run,
        "judge": result.judge,
        "episodes": result.episodes,
        "judgings": result.judgings,
        "failed": dict(result.failed),
        "in_vain": result.in_vain,
        "stopped": result.stopped,
        "audits": {
            kind: [
                {
                    "measure": finding.metric and finding.metric.name,
                    "what": finding.about["figure"],
                    **_estimate(finding.estimate),
                    "missing": finding.more["missing"],
                }
                for finding in findings
            ]
            for kind, findings in result.effects.items()
        },
        "controls": [
            {
                "control": finding.about["control"],
                "measure": finding.metric and finding.metric.name,
                "should": finding.more["way"],
                "moved": _estimate(finding.estimate),
                "rate": _estimate(finding.more["rate"]),
                "change": _estimate(finding.more["change"]),
                "no_room": finding.more["no_room"],
                "verdict": finding.more["verdict"],
            }
            for finding in result.controls
        ],
        "length": [
            {"judge": effect.judge, "measure": effect.measure, **_estimate(effect.slope)}
            for effect in result.lengths
        ],
        "family": _families(result),
        "panel": _panel(result),
        "sections": documents(result.sections),
    }


def _families(result: AuditResult) -> dict[str, Any] | None:
    if result.families is None:
        return None
    return {
        "why_not": result.families.why,
        "families": dict(result.families.families),
        "effects": [
            {
                "judge": pair.judge,
                "beside": pair.other,
                "family": pair.family,
                "measure": finding.metric and finding.metric.name,
                "on_own": finding.more["own"].value,
                "on_others": finding.more["others"].value,
                **_estimate(finding.estimate),
                "missing": finding.more["missing"],
                "verdict": finding.more["verdict"],
            }
            for pair in result.families.pairs
            for finding in pair.findings
        ],
    }


def _panel(result: AuditResult) -> dict[str, Any] | None:
    if result.panel is None:
        return None
    return {
        "judges": list(result.panel.judges),
        "methods": [judge.method for judge in result.panel.ids],
        "left_out": list(result.panel.left_out),
        "plays": [
            asdict(play)
            | {"lack": play.lack, "mean": play.mean, "median": play.median}
            | {"range": play.range, "sd": play.sd}
            for play in result.panel.plays
        ],
    }


def _estimate(estimate: Any) -> dict[str, Any]:
    return {
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "n": estimate.n,
        "clusters": estimate.clusters,
        "interval": estimate.method,
        "note": estimate.note,
    }


def _credit_document(result: CreditResult) -> dict[str, Any]:
    """The JSON object that docs/credit.md describes."""
    return {
        "schema": 1,
        "kind": "credit",
        "run": result.run,
        "world": result.world,
        "judge": result.judge,
        "stopped": result.stopped,
        "in_vain": result.in_vain,
        "calls": result.calls,
        "estimated_calls": result.estimated_calls,
        "cost_usd": result.usd,
        "episodes_waiting": result.waiting,
        "episodes_with_nothing_at_stake": result.nothing,
        "plays": [
            {
                "episode": play.trial,
                "task": play.task,
                "seat": play.seat,
                "name": play.name,
                "agent": play.agent,
                "measure": play.measure,
                "sum": play.total,
                "failure": play.failure.cause if play.failure else None,
                "problem": play.failure.problem if play.failure else "",
                "turns": [
                    {
                        "turn": turn_credit.turn + 1,
                        "by": turn_credit.by,
                        "amount": turn_credit.amount,
                        "quote": turn_credit.quote,
                        "reason": turn_credit.reason,
                    }
                    for turn_credit in play.turns
                ],
            }
            for play in result.plays
        ],
        "checks": [
            {
                "judge": check.about["judge"],
                "measure": check.metric and check.metric.name,
                **_correlation(check.estimate, enough=check.more["enough"]),
            }
            for check in result.checks
        ],
        "notes": [*result.exams.failed, *result.exams.below],
    }


def _correlation(corr: Any, *, enough: bool) -> dict[str, Any]:
    counts = {"n": corr.n, "clusters": corr.clusters, "missing": corr.missing, "enough": enough}
    figures = {"r": corr.value, "low": corr.low, "high": corr.high, "p": corr.p}
    return counts | (figures if enough else dict.fromkeys(figures)) | {"note": corr.note}
