"""`sociolab audit`: whether a judge is moved by what should not count; panels of judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

import typer
from pydantic import ValidationError

from sociolab.app.audit import AuditConfig, AuditResult
from sociolab.app.audit import audit as examine
from sociolab.cli.options import name_and_value
from sociolab.cli.output import say, show_sections
from sociolab.cli.progress import watch
from sociolab.core.errors import ConfigError
from sociolab.store.user_files import first_problem

if TYPE_CHECKING:
    from sociolab.stats.intervals import Estimate


def audit(flags: dict[str, Any], *, as_json: bool) -> None:
    """Audit, and print sections or one JSON object."""
    try:
        config = AuditConfig.model_validate({k: v for k, v in flags.items() if v is not None})
    except ValidationError as error:
        raise ConfigError(f"audit: {first_problem(error)}") from error
    try:
        found = examine(config, watch(lambda name: None))
    except KeyboardInterrupt:
        say("interrupted; what was judged is kept, the same command goes on from here")
        raise typer.Exit(130) from None
    show_sections(found.sections, partial(_document, found), as_json=as_json)
    if found.in_vain:
        say(found.in_vain)
    raise typer.Exit(1 if found.stopped or found.in_vain else 0)


def family_rules(texts: Sequence[str] | None) -> list[tuple[str, str]] | None:
    """Families as NAME=PATTERN; ConfigError for one that is not so written."""
    form = "NAME=PATTERN, such as gpt=*o3*,"
    return [name_and_value(text, "--family", form) for text in texts or ()] or None


def _document(found: AuditResult) -> dict[str, Any]:
    from sociolab.report.section import documents

    return {
        "schema": 1,
        "kind": "audit",
        "run": found.run,
        "judge": found.judge,
        "episodes": found.episodes,
        "judgings": found.judgings,
        "failed": dict(found.failed),
        "in_vain": found.in_vain,
        "stopped": found.stopped,
        "audits": {
            kind: [
                {
                    "measure": effect.measure,
                    "what": effect.what,
                    **_estimate(effect.estimate),
                    "missing": effect.missing,
                }
                for effect in effects
            ]
            for kind, effects in found.effects.items()
        },
        "family": _families(found),
        "panel": _panel(found),
        "sections": documents(found.sections),
    }


def _families(found: AuditResult) -> dict[str, Any] | None:
    if found.families is None:
        return None
    return {
        "why_not": found.families.why,
        "families": dict(found.families.families),
        "effects": [
            {
                "judge": pair.judge,
                "beside": pair.other,
                "family": pair.family,
                "measure": one.measure,
                "on_own": one.own.value,
                "on_others": one.others.value,
                **_estimate(one.effect),
                "missing": one.missing,
            }
            for pair in found.families.pairs
            for one in pair.preferences
        ],
    }


def _panel(found: AuditResult) -> dict[str, Any] | None:
    if found.panel is None:
        return None
    return {
        "judges": list(found.panel.judges),
        "methods": [judge.method for judge in found.panel.ids],
        "left_out": list(found.panel.left_out),
        "plays": [
            asdict(play)
            | {"lack": play.lack, "mean": play.mean, "median": play.median}
            | {"range": play.range, "sd": play.sd}
            for play in found.panel.plays
        ],
    }


def _estimate(estimate: Estimate) -> dict[str, Any]:
    return {
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "n": estimate.n,
        "clusters": estimate.clusters,
        "interval": estimate.method,
        "note": estimate.note,
    }
