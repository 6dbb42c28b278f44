"""Rename, tag and delete runs; measure, compact, check and merge stores."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sociolab.cli.options import (
    Json,
    OptInt,
    OptText,
    RunName,
    RunNames,
    StoreFile,
    Sure,
    argument,
    option,
)
from sociolab.cli.output import confirm, print_json, say
from sociolab.core.errors import ConfigError

if TYPE_CHECKING:
    from sociolab.store.store import Store, StoreSize

verbs = typer.Typer()

store = typer.Typer(
    help="Show the store's size, compact it, check it for damage, copy it, or merge several.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_WORTH_A_HINT = 1_000_000
"""Free bytes from which `sociolab store vacuum` is recommended."""


@verbs.command(epilog="Example: sociolab rename first baseline")
def rename(
    old: Annotated[str, argument("RUN", "The run's name.")],
    new: Annotated[str, typer.Argument(metavar="NAME", help="Its new name.")],
    store: StoreFile = None,
) -> None:
    """Rename a run."""
    from sociolab.report.exam import EXAM
    from sociolab.store.store import open_store

    with open_store(store) as opened:
        if opened.run(old).keeps == EXAM:
            raise ConfigError(
                f"RUN: expected a run of yours, found {old}, an exam, which must keep its name: "
                f"by that it is found for {_examinees(opened, old)}"
            )
        opened.rename_run(old, new)
    say(f"{old} is now {new}")


@verbs.command(epilog="Example: sociolab tag first pilot")
def tag(
    run: RunName,
    words: Annotated[list[str], typer.Argument(metavar="WORD", help="The tag.")],
    remove: Annotated[bool, typer.Option("--remove", help="Remove these tags.")] = False,
    store: StoreFile = None,
) -> None:
    """Tag a run.

    `sociolab list runs --tag WORD` finds it.
    """
    from sociolab.app.run.session import extended
    from sociolab.core.instructions import TAGS
    from sociolab.store.store import open_store

    if not all(word.strip() for word in words):
        raise ConfigError('WORD: expected a word to find the run by, found ""')
    with open_store(store) as opened:
        settings = opened.run(run).settings
        if not isinstance(settings, dict):
            raise ConfigError(f'the run "{run}" has no settings that could hold tags')
        if remove:
            had = settings.get(TAGS)
            remaining = [word for word in had if word not in words] if isinstance(had, list) else []
            tags = {TAGS: remaining} if remaining else {}
            updated = {key: value for key, value in settings.items() if key != TAGS} | tags
        else:
            updated = extended(settings, TAGS, words)
        opened.set_settings(run, updated)
    current = updated.get(TAGS)
    say(f"{run}: {', '.join(map(str, current)) if isinstance(current, list) else 'no tags'}")


@verbs.command(epilog='Example: sociolab note first "Prices before the update."')
def note(
    words: Annotated[
        list[str], argument("RUN [RUN] [TEXT]", "One run, or two to compare; then the note.")
    ],
    delete: Annotated[
        OptInt, option("--delete", "N", "Delete the note with this number in the list.")
    ] = None,
    store: StoreFile = None,
    json: Json = False,
) -> None:
    """Write, list or delete notes on a run, or on the comparison of two.

    Without TEXT, the notes are listed. Reports, comparisons and pages show them.
    """
    from sociolab.report.result import notes_on
    from sociolab.report.words import sanitize
    from sociolab.store.store import open_store

    with open_store(store) as opened:
        opened.run_pk(words[0])
        runs = [words[0], *(word for word in words[1:2] if opened.has_run(word))]
        text = words[len(runs) :]
        if len(text) > 1 or (text and (delete is not None or not text[0].strip())):
            raise ConfigError(
                f"expected RUN TEXT, RUN RUN TEXT, or no text to list or delete notes, found "
                f'{len(words)} words, of which "{text[-1]}" is no run; put the note in quotes'
            )
        if text:
            opened.notes.add(runs[0], text[0], *runs[1:])
        notes = [row for row in opened.notes.of(*runs) if runs[1:] or row.other is None]
        if delete is not None:
            if not 1 <= delete <= len(notes):
                raise ConfigError(
                    f"--delete: expected one of {len(notes)} notes, found {delete}; "
                    f"`sociolab note {' '.join(runs)}` lists them"
                )
            opened.notes.delete(notes[delete - 1].pk)
        listed = notes_on(opened, *runs)
    if json:
        print_json({"notes": [each.model_dump() for each in listed]})
        return
    for number, each in enumerate(listed, 1):
        typer.echo(f"{number}. {sanitize(str(each))}")
    if not listed:
        say(f"no notes on {' and '.join(runs)}")


@verbs.command(epilog="Example: sociolab delete first second")
def delete(
    runs: RunNames,
    ratings: Annotated[
        OptText, option("--ratings", "NAME", "Only this set of people's ratings, from one run.")
    ] = None,
    yes: Sure = False,
    store: StoreFile = None,
) -> None:
    """Delete runs and everything in them.

    Asks once; if any run is missing, or is a study's exam, nothing is deleted.
    """
    from sociolab.analysis.ratings import check_sets
    from sociolab.store.store import open_store
    from sociolab.studies.rating_study import delete_exam_ratings
    from sociolab.studies.ratings import delete_ratings

    with open_store(store) as opened:
        if ratings is not None:
            if len(runs) > 1:
                raise ConfigError(f"--ratings: expected one run, found {len(runs)}; name one")
            check_sets(opened, runs, [ratings])
            confirm(f"delete the ratings {ratings} of {runs[0]}?", yes)
            delete_ratings(opened, runs[0], ratings)
            say(f"deleted the ratings {ratings} of {runs[0]}")
            return
        contents = {run: _describe_contents(opened, run) for run in dict.fromkeys(runs)}
        for run in contents:
            _check_unused(opened, run, contents)
        question = "; ".join(f"{run} with its {what}" for run, what in contents.items())
        confirm(f"delete {question}?", yes)
        for run, what in contents.items():
            delete_exam_ratings(opened, run)
            opened.delete_run(run)
            say(f"deleted {run} with its {what}")
        size = opened.size()
    how = ": `sociolab store vacuum` gives it back" if size.free >= _WORTH_A_HINT else ""
    say(_describe_size(size) + how)


@store.command("size", epilog="Example: sociolab store size")
def store_size(store: StoreFile = None, json: Json = False) -> None:
    """Say where the store is, how many runs it holds and how large it is."""
    from sociolab.report.words import plural
    from sociolab.store.store import open_store

    with open_store(store) as opened:
        path, runs, size = opened.path, len(opened.runs()), opened.size()
    if json:
        print_json({
            "schema": 1, "store": str(path), "runs": runs, "bytes": size.bytes, "free": size.free,
        })  # fmt: skip
    else:
        typer.echo(f"{path}: {plural(runs, 'run')}; {_describe_size(size)}")


@store.command("vacuum", epilog="Example: sociolab store vacuum")
def store_vacuum(store: StoreFile = None) -> None:
    """Free the space left by deleted runs.

    Not while a run is being played.
    """
    from sociolab.store.store import open_store

    with open_store(store) as opened:
        before = opened.size()
        opened.vacuum()
        after = opened.size()
    say(f"the store takes {_mb(after.bytes)} now, and took {_mb(before.bytes)}")


@store.command("check", epilog="Example: sociolab store check")
def store_check(store: StoreFile = None) -> None:
    """Look for damage: read everything, and compare checksums.

    Names each row that was changed. Exit code 1 where something is damaged.
    """
    from sociolab.store.checking import find_damage
    from sociolab.store.store import open_store

    with open_store(store) as opened:
        path, clauses = opened.path, list(find_damage(opened))
    _tell_damage(path, clauses)
    say(f"{path} is intact")


def _tell_damage(path: Path, clauses: Collection[str]) -> None:
    """Name what is damaged, and exit with code 1; does nothing where nothing is."""
    if clauses:
        for clause in clauses:
            say(f"damaged: {clause}")
        say(
            f"{path} is damaged: go back to an earlier backup, or export the runs that can be read "
            "to a new store"
        )
        raise typer.Exit(1)


@store.command("backup", epilog="Example: sociolab store backup monday.db")
def store_backup(
    file: Annotated[Path, argument("FILE", "A new file.")], store: StoreFile = None
) -> None:
    """Copy the store to a new file, and check the copy.

    This is safe while runs and studies write to the store.
    """
    from sociolab.core.user_files import require_new_file
    from sociolab.report.words import plural
    from sociolab.store.checking import find_damage
    from sociolab.store.store import Store, open_store

    require_new_file(file, "FILE")
    with open_store(store) as opened:
        opened.back_up(file)
    with Store.open(file, create=False) as copy:
        runs, size, clauses = len(copy.runs()), copy.size(), list(find_damage(copy))
    if clauses:
        file.unlink()
    _tell_damage(opened.path, clauses)
    say(f"wrote {file}: {plural(runs, 'run')}, {_mb(size.bytes)}, intact")


@store.command("merge", epilog="Example: sociolab store merge big.db s1.db s2.db s3.db")
def store_merge(
    into: Annotated[Path, argument("INTO", "The store to merge into.")],
    parts: Annotated[list[Path], argument("PART...", "The stores to merge, such as shards.")],
    run: Annotated[
        OptText, option("--run", "NAME", "Only this run; default: all runs and studies.")
    ] = None,
    shard: Annotated[
        OptText, option("--shard", "I/N", "Take part I of N only, to judge it elsewhere.")
    ] = None,
) -> None:
    """Merge stores, with all their runs and studies.

    Shards of a run become one run. Merge a part again at any time: what is new in it is added.
    """
    from sociolab.app.merging import merge
    from sociolab.report.words import plural
    from sociolab.runner.plan import Shard

    try:
        part = None if shard is None else Shard.parse(shard)
    except ValueError as error:
        raise ConfigError(f"--shard: {error}") from error
    for merged in merge(into, parts, run=run, shard=part):
        row = merged.run
        failed = f", {row.failed:,} failed" if row.failed else ""
        remaining = f", {row.planned + row.playing:,} to be played" if not row.finished else ""
        say(
            f"{into}: {row.name} has {row.played:,} of {plural(row.trials, 'episode')} played"
            f"{failed}{remaining}; {merged.taken:,} of the {len(merged.begun):,} in "
            f"{plural(len(parts), 'part')} were new or more complete"
        )


def _check_unused(store: Store, run: str, deleted: Collection[str]) -> None:
    """ConfigError where a run is the exam of a study, unless the study's run is deleted, too."""
    from sociolab.studies.rating_study import studies_with_exam

    if using := [study.name for study in studies_with_exam(store, run) if study.run not in deleted]:
        raise ConfigError(
            f"RUN: expected a run that no study needs, found {run}, the exam that raters of "
            f"{' and of '.join(using)} sit; first `sociolab study delete {using[0]}`"
        )


def _examinees(store: Store, run: str) -> str:
    """The names of those who sit an exam."""
    from sociolab.studies.rating_study import studies_with_exam

    who = [judge.label for judge in store.verdicts.judges(run) if judge.method != "people"]
    who += [f"the raters of {study.name}" for study in studies_with_exam(store, run)]
    return ", ".join(who) or "whoever sits it"


def _describe_contents(store: Store, run: str) -> str:
    """What is deleted together with a run, such as "40 trials and the study talks (3 ...)"."""
    from sociolab.report.exam import EXAM
    from sociolab.report.words import plural

    row = store.run(run)
    if row.keeps == EXAM:
        who = _examinees(store, run)
        return f"{plural(row.trials, 'case')} and the answers of {who} (a judge sits it again)"
    what = plural(row.trials, "trial") if not row.keeps else "replies"
    for study in store.studies.all():
        if study.run == run:
            people = plural(len(store.studies.participants(study.name)), "participant")
            what += f" and the study {study.name} ({people})"
    return what


def _describe_size(size: StoreSize) -> str:
    return f"the store takes {_mb(size.bytes)}, of which {_mb(size.free)} are free"


def _mb(count: int) -> str:
    return f"{count / 1e6:,.1f} MB"
