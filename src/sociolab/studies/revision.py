"""What do the reviews of scenarios come to? The data set's next version: `sociolab data revise`."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import UTC, datetime
from pathlib import Path

from sociolab.analysis.formatting import listed
from sociolab.app.registry import world_plugin, worlds_that
from sociolab.core.errors import ConfigError
from sociolab.core.user_files import data_folder, fresh_folder
from sociolab.plugin.shown import DecidedCluster
from sociolab.store.store import Store
from sociolab.studies.reviews import REVIEW, Decision, Review, review_study, task_reviews


def revise(store: Store, study: str, to: Path) -> tuple[str, ...]:
    """Write the next version of the data that a study reviewed into a new folder; what was done.

    ConfigError for a study of another kind or without reviews, a world that cannot do it, or a
    folder that is there already.
    """
    reviewed = review_study(store.studies.get(study))
    world = reviewed.plan.world
    write = world_plugin(world).revise
    if write is None:
        known = listed(worlds_that(lambda one: one.revise is not None))
        raise ConfigError(f"reviews change the data of {known}; the study reviews {world}")
    if to.exists():
        raise ConfigError(f"--to: {to} is there already; name a new folder")
    found = decided(store, study)
    if not found:
        raise ConfigError(f'"{study}" has no review yet; nothing to revise')
    data = reviewed.plan.data
    source = None if data is None else data_folder(world, data)
    with fresh_folder(to) as fresh:
        done = write(source, fresh, study, found)
    return (*_told(found), *done, f"wrote {to}; check it: sociolab data check {to}")


def decided(store: Store, study: str) -> dict[str, DecidedCluster]:
    """What more than half of the reviews of each scenario decide, whatever the cast was.

    Where no decision has that many, it is "". An edit is as most of its reviewers propose it, or
    the first of those that tie.
    """
    reviewed = review_study(store.studies.get(study))
    reviews: dict[str, list[tuple[str, Review]]] = defaultdict(list)
    for one in task_reviews(store, reviewed):
        reviews[reviewed.tasks[one.task].cluster] += one.reviews
    last: dict[str, float] = defaultdict(float)
    for answer in store.studies.answers(study):
        if answer.name == REVIEW and answer.item in reviewed.tasks:
            cluster = reviewed.tasks[answer.item].cluster
            last[cluster] = max(last[cluster], answer.at)
    return {key: _decided(found, last[key]) for key, found in reviews.items() if found}


def _decided(reviews: list[tuple[str, Review]], at: float) -> DecidedCluster:
    (top, count), *_ = Counter(review.decision for _, review in reviews).most_common()
    decision: Decision | None = top if 2 * count > len(reviews) else None
    ours = [(who, review) for who, review in reviews if review.decision == decision]
    texts = Counter(review.texts for _, review in ours if review.texts).most_common()
    return DecidedCluster(
        decision or "",
        texts[0][0] if texts else (),
        tuple(who for who, _ in ours or reviews),
        tuple(review.reason for _, review in ours or reviews if review.reason),
        datetime.fromtimestamp(at, UTC).date().isoformat(),
        proposals=len(texts),
    )


_DONE = {"keep": "kept", "edit": "edited", "reject": "rejected"}


def _told(found: dict[str, DecidedCluster]) -> tuple[str, ...]:
    """What was decided, and where it was not plain."""
    lines = []
    for decision, done in _DONE.items():
        keys = [key for key, one in found.items() if one.decision == decision]
        lines.append(f"{done} ({len(keys)}): {', '.join(keys) or 'none'}")
    undecided = [key for key, one in found.items() if not one.decision]
    if undecided:
        lines.append(f"no majority, unchanged ({len(undecided)}): {', '.join(undecided)}")
    several = [key for key, one in found.items() if one.decision == "edit" and one.proposals > 1]
    if several:
        lines.append(
            f"several edits proposed, the most frequent taken, or the first in a tie "
            f"({len(several)}): {', '.join(several)}"
        )
    return tuple(lines)
