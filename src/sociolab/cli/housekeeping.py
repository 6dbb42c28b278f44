"""`sociolab rename`, `tag`, `delete` and `store`: keeping order among runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from sociolab.app.queries import open_store
from sociolab.app.run.session import TAGS, with_tags
from sociolab.cli.output import confirm, print_json, say
from sociolab.core.errors import ConfigError
from sociolab.report.result import kept_work
from sociolab.report.words import plural
from sociolab.store.store import Store, StoreSize

_MUCH = 1_000_000
"""Free bytes from which it is worth a word that they can be had back."""


def rename(old: str, new: str, *, store: Path | None) -> None:
    """Rename a run."""
    with open_store(store) as opened:
        opened.rename_run(old, new)
    say(f"{old} is now {new}")


def tag(run: str, words: Sequence[str], *, remove: bool, store: Path | None) -> None:
    """Give a run tags, or take them from it; ConfigError for one without a letter."""
    if not all(word.strip() for word in words):
        raise ConfigError('WORD: expected a word to find the run by, found ""')
    with open_store(store) as opened:
        settings = opened.run(run).settings
        if not isinstance(settings, dict):
            raise ConfigError(f'the run "{run}" has no settings that could hold tags')
        if remove:
            had = settings.get(TAGS)
            left = [word for word in had if word not in words] if isinstance(had, list) else []
            tags = {TAGS: left} if left else {}
            found = {key: one for key, one in settings.items() if key != TAGS} | tags
        else:
            found = with_tags(settings, words)
        opened.set_settings(run, found)
    now = found.get(TAGS)
    say(f"{run}: {', '.join(map(str, now)) if isinstance(now, list) else 'no tags'}")


def delete(runs: Sequence[str], *, yes: bool, store: Path | None) -> None:
    """Delete runs, after asking once; nothing is deleted where one of them is not there."""
    with open_store(store) as opened:
        holds = {run: _holds(opened, run) for run in dict.fromkeys(runs)}
        told = "; ".join(f"{run} with its {what}" for run, what in holds.items())
        confirm(f"delete {told}?", yes)
        for run, what in holds.items():
            opened.delete_run(run)
            say(f"deleted {run} with its {what}")
        size = opened.size()
    say(_size_words(size) + (_HOW if size.free >= _MUCH else ""))


def _holds(store: Store, run: str) -> str:
    """What goes with a run."""
    row = store.run(run)
    what = plural(row.trials, "trial") if not kept_work(row) else "replies"
    for study in store.studies.all():
        if study.run == run:
            people = plural(len(store.studies.participants(study.name)), "participant")
            what += f" and the study {study.name} ({people})"
    return what


def show_size(store: Path | None, *, as_json: bool) -> None:
    """Where the store is, how many runs it holds, and what it takes."""
    with open_store(store) as opened:
        path, runs, size = opened.path, len(opened.runs()), opened.size()
    if as_json:
        print_json({
            "schema": 1, "store": str(path), "runs": runs, "bytes": size.bytes, "free": size.free,
        })  # fmt: skip
    else:
        typer.echo(f"{path}: {plural(runs, 'run')}; {_size_words(size)}")


def vacuum(store: Path | None) -> None:
    """Give the free room back, and say how much it was."""
    with open_store(store) as opened:
        before = opened.size()
        opened.vacuum()
        after = opened.size()
    say(f"the store takes {_mb(after.bytes)} now, and took {_mb(before.bytes)}")


def check(store: Path | None) -> None:
    """Look for damage; exit code 1 where there is any."""
    with open_store(store) as opened:
        path, found = opened.path, list(opened.damage())
    if not found:
        say(f"{path} is in order")
        return
    for clause in found:
        say(f"damaged: {clause}")
    say(f"{path} is damaged: take a backup, or export the runs that can be read to a new store")
    raise typer.Exit(1)


_HOW = ": `sociolab store vacuum` gives it back"


def _size_words(size: StoreSize) -> str:
    return f"the store takes {_mb(size.bytes)}, of which {_mb(size.free)} are free"


def _mb(count: int) -> str:
    return f"{count / 1e6:,.1f} MB"
