"""The progress of a run on stderr: a live line in a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sociolab.report.words import about
from sociolab.runner.progress import Tally, Watch

LIVE_EVERY = 0.25
PLAIN_EVERY = 10.0
PLAIN_MOST = 600.0
"""Seconds between two plain lines: first and, since it doubles from line to line, at most."""


def watch(
    name_seen: Callable[[str], object], *, plain: bool = False, failed: str = "failed"
) -> Watch:
    """A progress display; it calls `name_seen` with the run's name as soon as there is one.

    `plain` keeps it to lines at the beginning and the end, for a run in which a person types.
    `failed` is the word for what the tally counts as failed.
    """

    @contextmanager
    def open_(name: str, tally: Tally) -> Iterator[None]:
        name_seen(name)
        if plain:
            display = _lines(name, tally, failed, every=None)
        elif sys.stderr.isatty():
            display = _live(name, tally, failed)
        else:
            display = _lines(name, tally, failed, every=PLAIN_EVERY)
        try:
            with display:
                yield
        finally:
            for sentence in remarks(tally):
                print(f"{name}: {sentence}", file=sys.stderr, flush=True)  # noqa: T201

    return open_


def line(tally: Tally, failed: str = "failed") -> str:
    """A run's progress: episodes, failures, turns or answers, calls, tokens, cost, time left, and
    who has kept it waiting."""
    parts = [f"{tally.done:,}/{tally.total:,} episodes"] if tally.total or not tally.exam else []
    if tally.exam is not None:
        who, cases = tally.exam
        if cases.done < cases.total or not tally.total:
            parts.append(f"exam of {who}: {cases.done}/{cases.total} cases")
    if (course := tally.course) is not None:
        played, expected = (turns // course.per for turns in (course.played, course.expected))
        parts.append(f"{played:,} of {expected:,} {course.unit}")
    elif tally.turns:
        parts.append(f"{tally.turns:,} turns")
    if tally.failed or failed != "failed":
        parts.append(f"{tally.failed:,} {failed}")
    mark = about(tally.estimated)
    if tally.calls:
        parts += [f"{tally.calls:,} calls", f"{mark}{_format_count(tally.tokens)} tokens"]
    if tally.usd:
        parts.append(f"{mark}${tally.usd:.2f}")
    if tally.done < tally.total and tally.seconds_left is not None:
        parts.append(f"about {_format_duration(tally.seconds_left)} left")
    return "; ".join([", ".join(parts), *tally.waits.clauses()])


def remarks(tally: Tally) -> tuple[str, ...]:
    """Sentences for the end of a run: trials that were replayed, and who held up all others."""
    sentences = list(tally.waits.held_up_sentences())
    if tally.anew:
        were = "1 trial that had" if tally.anew == 1 else f"{tally.anew} trials that had"
        verb = "was" if tally.anew == 1 else "were"
        sentences.insert(
            0, f"{were} failed by a plugin's error {verb} played anew from the first turn"
        )
    return tuple(sentences)


@contextmanager
def _live(name: str, tally: Tally, failed: str) -> Iterator[None]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

    columns = (SpinnerColumn(), TextColumn("{task.fields[name]}", markup=False), BarColumn(20))
    text = TextColumn("{task.fields[line]}", markup=False)
    with (
        Progress(*columns, text, console=Console(stderr=True), auto_refresh=False) as progress,
    ):
        task = progress.add_task("", name=name, line=line(tally, failed), total=1.0)

        def refresh() -> None:
            for sentence in tally.waits.blocked_sentences():
                progress.console.print(f"{name}: {sentence}", markup=False)
            progress.update(task, completed=tally.share, line=line(tally, failed), refresh=True)

        with ticking(LIVE_EVERY, refresh):
            yield
        refresh()


@contextmanager
def _lines(name: str, tally: Tally, failed: str, *, every: float | None) -> Iterator[None]:
    def print_line() -> None:
        for sentence in tally.waits.blocked_sentences():
            print(f"{name}: {sentence}", file=sys.stderr, flush=True)  # noqa: T201
        print(f"{name}: {line(tally, failed)}", file=sys.stderr, flush=True)  # noqa: T201

    try:
        if every is None:
            yield
        else:
            with ticking(every, print_line, PLAIN_MOST):
                yield
    finally:
        print_line()


@contextmanager
def ticking(seconds: float, tick: Callable[[], None], most: float = 0.0) -> Iterator[None]:
    """Call `tick` every so many seconds from a thread, since the event loop may be busy.

    Each pause is twice the last one, up to `most` seconds; without `most` they stay equal.
    """
    over = threading.Event()

    def work() -> None:
        wait = seconds
        while not over.wait(wait):
            tick()
            wait = max(wait, min(2 * wait, most))

    thread = threading.Thread(target=work, name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _format_count(number: int) -> str:
    """Such as 950, 12.3k or 4.5M."""
    if number < 1000:
        return str(number)
    return f"{number / 1000:.1f}k" if number < 1_000_000 else f"{number / 1_000_000:.1f}M"


def _format_duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
