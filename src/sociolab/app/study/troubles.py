"""What went wrong in a study so far, in sentences for its researcher."""

from __future__ import annotations

from collections import Counter

from sociolab.app.study.settings import PlayPlan, StudySettings
from sociolab.app.study.unjudged import unjudged
from sociolab.report.words import counted, plural
from sociolab.store.runs import failed_causes
from sociolab.store.sqlite import Store
from sociolab.store.studies import StudyRow


def troubles(store: Store, study: StudyRow) -> tuple[str, ...]:
    """The sentences; none where all is well, or nothing is played in the study."""
    plan = StudySettings.model_validate(study.settings).play
    if plan is None or study.run is None:
        return ()
    causes = failed_causes(store, study.run)
    found = (
        _spent(plan, causes),
        _broken(causes),
        unjudged(store, study.run, plan, is_open=study.open),
    )
    return tuple(sentence for sentence in found if sentence)


def _spent(plan: PlayPlan, causes: Counter[str]) -> str:
    if plan.budget is None or not causes["budget"]:
        return ""
    return (
        f"The budget of ${plan.budget:,.2f} is spent: no new play starts, and whoever comes reads "
        "so; set up another study like this one with a larger budget to go on."
    )


def _broken(causes: Counter[str]) -> str:
    """Plays that ended since the other side failed; who gave up is counted elsewhere."""
    broken = Counter({cause: count for cause, count in causes.items() if cause != "gave up"})
    if not broken:
        return ""
    whose = "it counts" if broken.total() == 1 else "they count"
    then = (
        "since the budget is spent, nobody plays instead"
        if causes["budget"]
        else ("others play instead")
    )
    return (
        f"{plural(broken.total(), 'play')} ended early since the partner failed: "
        f"{counted(broken)}; {whose} for the person, not among the plays, and {then}."
    )
