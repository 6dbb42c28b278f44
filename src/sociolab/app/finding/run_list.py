"""Which runs are listed: those in which an agent played, or with certain tags."""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.app.finding.pooled import recorded_agents
from sociolab.app.finding.seat_names import label_like
from sociolab.app.run.session import TAGS
from sociolab.store.store import RunRow


def runs_with(
    runs: Sequence[RunRow], agent: str | None = None, tags: Sequence[str] = ()
) -> list[RunRow]:
    """The runs in which an agent has a seat (as partner, too), named in full or in part, and which
    bear all of these tags. ConfigError where several agents are meant."""
    found = [row for row in runs if set(tags) <= set(tags_of(row))]
    if agent is None:
        return found
    seated = {row.name: recorded_agents(row.settings) for row in runs}
    label = label_like(
        agent, sorted({one for labels in seated.values() for one in labels}), "--agent"
    )
    return [row for row in found if label in seated[row.name]]


def tags_of(row: RunRow) -> tuple[str, ...]:
    """The tags of a run."""
    settings = row.settings if isinstance(row.settings, dict) else {}
    tags = settings.get(TAGS)
    return tuple(map(str, tags)) if isinstance(tags, list) else ()
