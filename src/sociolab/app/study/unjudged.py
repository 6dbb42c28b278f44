"""Plays of a study that could not be judged: how many, why, and what to do."""

from __future__ import annotations

import shlex
from collections import Counter

from sociolab.app.study.settings import PlayPlan
from sociolab.report.words import counted, plural
from sociolab.store.store import Store


def unjudged(store: Store, run: str, plan: PlayPlan, *, is_open: bool) -> str:
    """A sentence on the plays of a run that lack scores; "" where none does."""
    failed = store.verdicts.failed_judgings(run)
    if not failed:
        return ""
    causes: Counter[str] = Counter(one.cause for one in failed)
    plays = len({one.trial for one in failed})
    whole = "" if all(one.whole for one in failed) else " in full"
    return (
        f"{plays} of {plural(store.run(run).played, 'play')} could not be judged{whole}: "
        f"{counted(causes)} (the first: {failed[0].judge.name}: {_short(failed[0].problem)}); "
        f"{_again(run, plan, is_open=is_open)}."
    )


def _again(run: str, plan: PlayPlan, *, is_open: bool) -> str:
    if not plan.judges:
        return "it is tried again when the study is opened anew"
    judges = " ".join(f"--judge {shlex.quote(judge)}" for judge in plan.judges)
    first = "close the study, then " if is_open else ""
    return f"{first}`sociolab judge {run} {judges}` judges them again"


def _short(problem: str) -> str:
    return problem if len(problem) <= _LONGEST else problem[: _LONGEST - 1] + "…"


_LONGEST = 200
"""Characters of a problem; the episode's page has all of it."""
