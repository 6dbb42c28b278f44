"""What is next for somebody who rates, gives impressions, or reviews."""

from __future__ import annotations

from sociolab.store.store import Store
from sociolab.studies import impressions
from sociolab.studies import reviews as reviewing
from sociolab.studies.assignment import left
from sociolab.studies.rate_study import has_more, rate_study
from sociolab.web.taking import Taking

READ = "rate.instructions"
"""The answer that says that a rater has seen the instructions."""


def next_step(store: Store, who: Taking) -> str | None:
    """Where (under `who.home`) the participant goes on; None: nothing is left to do."""
    name, person = who.study.name, who.participant.pk
    if who.study.kind == "impressions":
        sessions = impressions.pile(impressions.impression_study(store, who.study))
        return "/impression" if left(store, name, person, sessions) else None
    if who.study.kind == "review":
        tasks = reviewing.pile(reviewing.review_study(who.study))
        return "/review" if left(store, name, person, tasks) else None
    if not has_more(store, rate_study(store, who.study), who.participant):
        return None
    return "/rate" if has_read(store, who) else "/rate/instructions"


def has_read(store: Store, who: Taking) -> bool:
    """Whether the participant went on from the instructions."""
    answers = store.studies.answers(who.study.name, who.participant.pk)
    return any(answer.name == READ and answer.item == "" for answer in answers)
