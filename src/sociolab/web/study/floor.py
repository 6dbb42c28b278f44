"""Plays are set aside while what was played in them is deleted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from anyio import from_thread
from fastapi import Request

from sociolab.store.connect import lock_run
from sociolab.store.studies import StudyRow
from sociolab.studies.lobby import Floor
from sociolab.web.site import site_of


@contextmanager
def set_aside(request: Request, study: StudyRow) -> Iterator[None]:
    """Stop what is being played in a study, as it is, and keep its run to ourselves meanwhile.

    Afterwards plays go on from the store, as after a restart. Only in a thread that serves a
    request. StoreError where another process plays the run.
    """
    if study.kind != "play" or study.run is None:
        yield
        return
    with stopped(request, study.name), lock_run(site_of(request).settings.store, study.run):
        yield


def leave_table(request: Request, study: str, person: int) -> None:
    """Let those who play with somebody who leaves wait no longer. Only in a thread that serves a
    request."""
    floor: Floor | None = getattr(request.app.state, "floor", None)
    hall = floor.open_hall(study) if floor is not None else None
    if hall is not None:
        from_thread.run_sync(hall.leave, person)


@contextmanager
def stopped(request: Request, study: str) -> Iterator[None]:
    """Stop what is being played in a study, as it is; who plays waits meanwhile. Only in a thread
    that serves a request."""
    floor: Floor | None = getattr(request.app.state, "floor", None)
    if floor is None:
        yield
        return
    from_thread.run(floor.set_aside, study)
    try:
        yield
    finally:
        from_thread.run_sync(floor.take_up, study)
