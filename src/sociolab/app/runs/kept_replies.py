"""Model replies of work that is no run of trials, kept in a run of their own: paid for once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from sociolab.core.episode import Json
from sociolab.core.seeding import digest
from sociolab.runner.tally import TalliedReplies
from sociolab.store.calls import RunReplies
from sociolab.store.connect import lock_run
from sociolab.store.sqlite import Store


@contextmanager
def kept_in_a_run(
    store: Store,
    path: Path,
    world: str,
    about: tuple[str, Mapping[str, str | None]],
    replies: TalliedReplies,
) -> Iterator[str]:
    """While this is open, replies are kept in a run without trials, and found there; its name.

    `about` is the kind of work and what it is done with: the same again finds the same replies.
    """
    kind, parts = about
    name = f"{kind}-{digest(*(f'{key}={value}' for key, value in sorted(parts.items())))}"
    with lock_run(path, name), store.failing_fast():
        if not store.has_run(name):
            settings: dict[str, Json] = {kind: dict(parts)}
            store.create_run(name, world, settings, [])
        replies.keep_in(RunReplies(store, name))
        yield name
