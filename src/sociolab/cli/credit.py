"""`sociolab credit`: which turns moved a goal or gave a secret away."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import typer

from sociolab.analysis.credit import credit_section
from sociolab.app.credit import CreditResult, credit_run, measures_of
from sociolab.app.run.config import config_of
from sociolab.cli.output import say, show_sections
from sociolab.cli.progress import watch


def credit(
    run: str,
    flags: dict[str, Any],
    *,
    measure: str,
    limit: int | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Ask, keep what is said, and print the findings or one JSON object."""
    given = {key: value for key, value in flags.items() if value is not None}
    config, measures = config_of(given, "credit"), measures_of(measure)
    progress = watch(lambda name: None, failed="with a list of turns missing")
    try:
        found = credit_run(run, config, measures=measures, limit=limit, out=out, watch=progress)
    except KeyboardInterrupt:
        say("interrupted; what was said is stored, the same command goes on from here")
        raise typer.Exit(130) from None
    clusters = found.declared.cluster
    section = credit_section(found.run, found.judge, found.plays, found.checks, clusters)
    show_sections([section], partial(document, found), as_json=as_json)
    _remarks(found, out)
    raise typer.Exit(1 if found.stopped or found.in_vain else 0)


def document(found: CreditResult) -> dict[str, Any]:
    """The findings as a JSON object; its fields are those of docs/credit.md."""
    return {
        "schema": 1,
        "kind": "credit",
        "run": found.run,
        "world": found.world,
        "judge": found.judge,
        "stopped": found.stopped,
        "in_vain": found.in_vain,
        "calls": found.calls,
        "estimated_calls": found.estimated_calls,
        "cost_usd": found.usd,
        "episodes_waiting": found.waiting,
        "episodes_with_nothing_at_stake": found.nothing,
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
                        "turn": one.turn + 1,
                        "by": one.by,
                        "amount": one.amount,
                        "quote": one.quote,
                        "reason": one.reason,
                    }
                    for one in play.turns
                ],
            }
            for play in found.plays
        ],
        "checks": [
            {
                "judge": one.judge,
                "measure": one.measure,
                "n": one.found.n,
                "clusters": one.found.clusters,
                "missing": one.found.missing,
                "enough": one.enough,
                "r": one.found.value if one.enough else None,
                "low": one.found.low if one.enough else None,
                "high": one.found.high if one.enough else None,
                "p": one.found.p if one.enough else None,
                "note": one.found.note,
            }
            for one in found.checks
        ],
    }


def _remarks(found: CreditResult, out: Path | None) -> None:
    if found.stopped:
        say(f"stopped: {found.stopped}")
    if found.in_vain:
        say(f"{found.in_vain}: nothing was credited")
    if found.waiting:
        say(f"{found.waiting} episodes were not asked about yet: the same command goes on")
    if found.nothing:
        say(f"{found.nothing} episodes have nobody with something at stake, or no turns: left out")
    if out is not None:
        say(f"wrote {found.lines} turns to {out}")
        if found.unseen:
            say(f"{found.unseen} of them are without what the seat saw: it cannot be rebuilt")
