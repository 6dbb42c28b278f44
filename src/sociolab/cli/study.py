"""`sociolab study`: set up, open, export and delete studies with people."""

from __future__ import annotations

import csv
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from sociolab.cli.options import Json, OptPath, OptText, StoreFile, Sure, option
from sociolab.cli.output import confirm, console, print_json, say
from sociolab.core.errors import ConfigError

if TYPE_CHECKING:
    from sociolab.store.store import Store
    from sociolab.store.studies import StudyRow
    from sociolab.studies.annotations import Annotation, ComparedRating
    from sociolab.studies.participants import Link
    from sociolab.studies.progress import StudyProgress

study = typer.Typer(
    help="Studies with people: set up, invite, collect, export, delete.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Name = Annotated[str, typer.Argument(metavar="STUDY", help="`sociolab study list` lists them.")]
OptName = Annotated[
    OptText,
    typer.Argument(metavar="STUDY", help="Only this one; default: all.", show_default=False),
]
Participant = Annotated[
    str, typer.Argument(metavar="PARTICIPANT", help="Participant id, such as p-7kq3fm.")
]
Address = Annotated[
    str, option("--public-url", "URL", "The address where participants reach the app.")
]
_HERE = "http://127.0.0.1:8000"
Out = Annotated[OptPath, option("--out", "FILE", "A new file, readable by you only.")]


@study.command(epilog="Example: sociolab study example rate")
def example(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="play, rate, impressions or review.")],
) -> None:
    """Print a study to start from: put it into a file and edit it."""
    from sociolab.studies import settings

    typer.echo(settings.example(kind), nl=False)


@study.command(epilog="Example: sociolab study create my-study.toml")
def create(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A TOML file; `sociolab study example` makes one."),
    ],
    name: Annotated[
        OptText, option("--name", "NAME", "Name of the study; default: the one in the file.")
    ] = None,
    store: StoreFile = None,
) -> None:
    """Set up a study.

    It is closed until you open it.
    """
    from sociolab.studies import setup

    name_in_file, settings = setup.read_study(file)
    with _opened(store, create=True) as opened:
        row = setup.create_study(opened, name or name_in_file, settings)
        opened.audit_log.add("set up", row.name)
    say(f"{row.name} is set up and still closed. Next:")
    steps = (
        (f"sociolab study recruit {row.name}", "prints the open link")
        if settings.recruit
        else (f"sociolab study invite {row.name} 10", "makes ten links"),
        (f"sociolab study open {row.name}", "lets participants in"),
        ("sociolab web", "runs the web app"),
    )
    for command, does in steps:
        say(f"  {command:<{max(len(each) for each, _ in steps)}}    {does}")
    if setup.needs_reader(settings):
        metric = settings.recruit.bonus_metric if settings.recruit else ""
        say(
            f"{metric} has no score, and pays nothing, unless both sides report the same outcome, "
            f"and scripted partners report none: run sociolab judge {row.name} --reader MODEL "
            "before you pay"
        )


@study.command("list", epilog="Example: sociolab study list")
def list_(store: StoreFile = None, json: Json = False) -> None:
    """List the studies of a store and their progress."""
    from rich.table import Table

    from sociolab.studies.progress import progress_of

    with _opened(store) as opened:
        rows = [(row, progress_of(opened, row.name)) for row in opened.studies.all()]
    if json:
        print_json({"studies": [_study_document(row, progress) for row, progress in rows]})
        return
    if not rows:
        say("no studies yet; `sociolab study example play > my-play-study.toml` writes a first one")
        return
    table = Table("study", "kind", "state", "finished", "done", box=None)
    for row, progress in rows:
        table.add_row(
            row.name,
            row.kind,
            "open" if row.open else "closed",
            f"{progress.people['finished']} of {progress.invited} people",
            f"{progress.done}{f' of {progress.planned}' if progress.planned is not None else ''} "
            f"{progress.unit}",
        )
    console().print(table)


@study.command("open", epilog="Example: sociolab study open talks")
def open_(name: Name, store: StoreFile = None) -> None:
    """Let participants in."""
    _set_open(name, store, is_open=True)


@study.command(epilog="Example: sociolab study close talks")
def close(name: Name, store: StoreFile = None) -> None:
    """Keep participants out; nothing is lost."""
    _set_open(name, store, is_open=False)


@study.command(epilog="Example: sociolab study invite talks 10")
def invite(
    name: Name,
    count: Annotated[
        int, typer.Argument(metavar="COUNT", min=1, max=1000, help="Number of links.")
    ],
    public_url: Address = _HERE,
    out: Out = None,
    store: StoreFile = None,
) -> None:
    """Make secret links and print them as CSV, shown only once."""
    from sociolab.report.words import plural
    from sociolab.studies import participants
    from sociolab.studies.progress import describe_capacity

    with _opened(store) as opened, _private_file(out) as file:
        _write_links(participants.invite(opened, name, count), public_url, file, out)
        opened.audit_log.add(f"made {plural(count, 'link')}", name)
        if room := describe_capacity(opened, opened.studies.get(name)):
            say(room)


@study.command(epilog="Example: sociolab study recruit talks --public-url https://lab.example.org")
def recruit(name: Name, public_url: Address = _HERE, store: StoreFile = None) -> None:
    """Print the open link that a recruiting platform sends people to."""
    from sociolab.studies.recruiting import describe_recruiting

    with _opened(store) as opened:
        described = describe_recruiting(opened, opened.studies.get(name), public_url)
    if described is None:
        raise ConfigError(
            f"{name} has no open link: expected [recruit] in the file that set it up; "
            "`sociolab study example play` shows one"
        )
    link, places = described
    typer.echo(link)
    say(places)
    say("enter it at the platform, which fills in the parts in braces")


@study.command(epilog="Example: sociolab study bonus talks --out bonus.csv")
def bonus(name: Name, out: Out = None, store: StoreFile = None) -> None:
    """Write each person's bonus as recruiting platforms read it.

    A line is an id and an amount. These ids are stored separately, and no other file holds them.
    """
    from sociolab.report.words import plural
    from sociolab.studies.recruiting import bonuses

    with _opened(store) as opened:
        due = bonuses(opened, name)
        opened.audit_log.add("read the platform's ids for bonuses", name)
    with _private_file(out) as file:
        csv.writer(file, lineterminator="\n").writerows(
            (person, f"{amount:.2f}") for person, amount in due.rows
        )
    say(f"{plural(len(due.rows), 'bonus', 'bonuses')}, {due.total:.2f} in all")
    if due.failed:
        say(f"left out: {due.failed} who failed too many attention checks")
    if due.unscored:
        say(due.unscored)


@study.command("drop-ids", epilog="Example: sociolab study drop-ids talks")
def drop_ids(name: Name, yes: Sure = False, store: StoreFile = None) -> None:
    """Delete the recruiting platform's ids; answers stay.

    Do it once everybody is paid. After that, people cannot be told apart, so the open link admits
    nobody new.
    """
    from sociolab.report.words import plural

    with _opened(store) as opened:
        row = opened.studies.get(name)
        if row.open:
            raise ConfigError(f"close the study first: sociolab study close {name}")
        confirm(f"Delete the platform's ids of {name}, and end recruiting, for good?", yes)
        with opened.erasing():
            count = opened.recruits.delete_ids(name)
            opened.audit_log.add("deleted the platform's ids", name)
    say(f"deleted {plural(count, 'id')} of {name}, and the key of their hashes")


@study.command(epilog="Example: sociolab study reissue talks p-7kq3fm")
def reissue(
    name: Name,
    participant: Participant,
    public_url: Address = _HERE,
    out: Out = None,
    store: StoreFile = None,
) -> None:
    """Give a participant another link; the old one stops working."""
    from sociolab.studies import participants

    with _opened(store) as opened, _private_file(out) as file:
        _write_links((participants.reissue(opened, name, participant),), public_url, file, out)
        opened.audit_log.add("gave a participant a new link", name)


@study.command(epilog="Example: sociolab study review raters --draw")
def review(
    name: Name,
    why: Annotated[
        OptText, typer.Argument(metavar="WHY", help="Why it fails, in quotes: with --fails.")
    ] = None,
    draw: Annotated[
        bool, typer.Option("--draw", help="Draw the next batch: all annotations not yet in one.")
    ] = False,
    fails: Annotated[
        OptText,
        option(
            "--fails", "RATER:EPISODE", "Fails the guidelines, with a WHY: have it rated again."
        ),
    ] = None,
    meets: Annotated[
        OptText, option("--meets", "RATER:EPISODE", "Meets the guidelines, and counts.")
    ] = None,
    store: StoreFile = None,
    json: Json = False,
) -> None:
    """Review the ratings that agree least.

    An annotation is one rater's ratings of one episode. Of a batch, the quarter that agrees least
    is listed with the raters' rationales. One that fails the guidelines no longer counts but stays
    in the study, and its episode goes to one more qualified rater (SOTOPIA, appendix D.3).
    """
    from sociolab.studies import annotations as reviewing
    from sociolab.studies.rating_study import rate_study, ratings_in

    if sum((draw, fails is not None, meets is not None)) > 1:
        raise ConfigError("expected one of --draw, --fails and --meets, found several")
    if (fails is None) != (why is None):
        alone = "--fails alone" if why is None else f'"{why}" without --fails'
        raise ConfigError(f'expected --fails RATER:EPISODE "WHY" together, found {alone}')
    with _opened(store) as opened:
        rated = rate_study(opened, opened.studies.get(name))
        if draw:
            reviewing.draw_batch(opened, rated)
            opened.audit_log.add("drew a batch for review", name)
        which, marked = fails or meets, None
        if which is not None:
            rater, _, episode = which.partition(":")
            meet = fails is None
            marked = reviewing.mark_annotation(
                opened, rated, rater, episode, meets=meet, why=why or ""
            )
            opened.audit_log.add(f"marked an annotation: {'meets' if meet else 'fails'}", name)
        ratings = ratings_in(opened, rated.run, rated.name)
        drawn = reviewing.drawn_annotations(opened, name)
        undrawn = len(reviewing.undrawn_distances(opened, rated, ratings))
        summary = reviewing.summarize_review(opened, rated)
    to_review = [
        (annotation, reviewing.compare_annotation(annotation, ratings, drawn))
        for annotation in drawn
        if annotation.listed
    ]
    if json:
        documents = [_annotation_document(*entry) for entry in to_review]
        print_json({"annotations": documents, "waiting": undrawn})
        return
    for annotation, places in to_review:
        if annotation.key == marked.key if marked else annotation.meets is None:
            _show_annotation(annotation, places)
    typer.echo(summary or f"{name}: no batch was drawn yet.")
    if undrawn and not marked:
        say(f"not in a batch: {undrawn}; draw the next: sociolab study review {name} --draw")
    if any(annotation.meets is False for annotation in drawn) and not rated.test:
        say(
            "this study has no qualification test: anyone you invite may rate the replaced episodes"
        )


@study.command(epilog="Example: sociolab study export talks talks-data")
def export(
    name: Name,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A new or empty folder.")],
    store: StoreFile = None,
) -> None:
    """Write everything that a study holds into files, with a README."""
    from sociolab.studies import study_export as exporting

    with _opened(store) as opened, _private():
        names = exporting.export_study(opened, name, folder)
        opened.audit_log.add("exported the data", name)
    say(f"wrote {', '.join(names)} into {folder}")


@study.command(epilog="Example: sociolab study forget talks p-7kq3fm")
def forget(
    name: Name, participant: Participant, yes: Sure = False, store: StoreFile = None
) -> None:
    """Delete a participant, and everything they did.

    A recruiting platform's id will do in place of the code.
    """
    from sociolab.report.words import plural
    from sociolab.studies import participants
    from sociolab.studies.recruiting import find_person

    with _opened(store) as opened:
        participant = find_person(opened, name, participant)
        opened.studies.participant(name, participant)
        confirm(f"Delete {participant} of {name} and everything this person did, for good?", yes)
        with _locked_run(opened, opened.studies.get(name)):
            deleted = participants.forget(opened, name, participant)
            opened.audit_log.add("deleted a participant", name)
    say(
        f"deleted {participant}: {plural(deleted.answers, 'answer')}, "
        f"{plural(deleted.ratings, 'rating')}, {plural(deleted.episodes, 'episode')} with all "
        "scores; copies that you exported, and reports, are yours to delete"
    )


@study.command(epilog="Example: sociolab study delete talks")
def delete(name: Name, yes: Sure = False, store: StoreFile = None) -> None:
    """Delete a study, with all participants and all that they did."""
    from sociolab.studies import participants

    with _opened(store) as opened:
        row = opened.studies.get(name)
        played = f" and the run {row.run} that was played in it" if row.kind == "play" else ""
        confirm(f"Delete the study {name}, all its participants{played}, for good?", yes)
        await_app(opened, row)
        participants.forget_study(opened, name)
        opened.audit_log.add("deleted the study", name)
    say(f"deleted {name}")


@study.command(epilog="Example: sociolab study expire talks --yes")
def expire(name: OptName = None, yes: Sure = False, store: StoreFile = None) -> None:
    """Delete what is stored for longer than its study states.

    Participants go after `retention_days`, ids of a recruiting platform after `recruit.ids_days`.
    Run it every day, with --yes.
    """
    from sociolab.report.words import plural
    from sociolab.studies import participants

    with _opened(store) as opened:
        rows = [opened.studies.get(name)] if name else opened.studies.all()
        due = [(row, participants.expired(opened, row)) for row in rows]
        due = [(row, each) for row, each in due if each.people or each.ids]
        for row, each in due:
            people = plural(len(each.people), "participant")
            say(f"{row.name}: {people} and the ids of {len(each.ids)} others are due")
        if not due:
            say("nothing is stored for longer than its study states")
            return
        confirm("Delete these for good?", yes)
        for row, each in due:
            with _locked_run(opened, row):
                participants.delete_expired(opened, row, each)
            action = f"deleted what was due: {len(each.people)} participants, {len(each.ids)} ids"
            opened.audit_log.add(action, row.name)
    say("deleted")


@study.command(epilog="Example: sociolab study log talks")
def log(name: OptName = None, store: StoreFile = None, json: Json = False) -> None:
    """Show what researchers did with studies: who, and when."""
    from rich.table import Table
    from rich.text import Text

    from sociolab.report.words import sanitize
    from sociolab.studies.study_export import format_time

    with _opened(store) as opened:
        entries = opened.audit_log.entries(name)
    if json:
        print_json({"log": [{**each._asdict(), "at": format_time(each.at)} for each in entries]})
        return
    table = Table("when (UTC)", "who", "study", "action", box=None)
    for each in entries:
        table.add_row(format_time(each.at), *(Text(sanitize(text)) for text in each[1:]))
    console().print(table)


@study.command(epilog="Example: sociolab study scrub")
def scrub(store: StoreFile = None) -> None:
    """Rewrite the store, so that nothing deleted is left in its file."""
    with _opened(store) as opened:
        opened.scrub()
        opened.audit_log.add("rewrote the store")
    say("the store holds nothing that was deleted")


def _show_annotation(annotation: Annotation, places: Sequence[ComparedRating]) -> None:
    """Print an annotation: each rating with its rationale and what the other raters gave."""
    from rich.table import Table
    from rich.text import Text

    from sociolab.report.words import sanitize
    from sociolab.studies.ratings import format_score

    state = {
        None: "to be reviewed",
        True: "meets the guidelines",
        False: f"fails: {annotation.why}",
    }
    apart = f"{annotation.distance:.0%} of the scale from the others"
    title = f"{annotation.rater}:{annotation.episode} (batch {annotation.batch}, {apart})"
    title += f": {state[annotation.meets]}"
    names = ("seat", "dimension", "score", "others", "rationale")
    table = Table(*names, box=None, title=Text(sanitize(title)), title_justify="left")
    for rating, other_ratings in places:
        beside = ", ".join(f"{format_score(r.score)} ({r.rater})" for r in other_ratings)
        cells = (rating.seat, rating.dimension, format_score(rating.score), beside or "none")
        table.add_row(*cells, Text(sanitize(rating.reason)))
    console().print(table)


def _annotation_document(
    annotation: Annotation, places: Sequence[ComparedRating]
) -> dict[str, object]:
    from dataclasses import asdict

    fields = asdict(annotation)
    del fields["replaced"]
    return fields | {
        "ratings": [
            asdict(rating) | {"others": {r.rater: r.score for r in other_ratings}}
            for rating, other_ratings in places
        ]
    }


def _opened(store: Path | None, *, create: bool = False) -> Store:
    from sociolab.store.connect import store_path
    from sociolab.store.store import Store

    return Store.open(store_path(store), create=create, synced=True)


def _set_open(name: str, store: Path | None, *, is_open: bool) -> None:
    from sociolab.studies.setup import set_open

    with _opened(store) as opened:
        set_open(opened, name, is_open=is_open)
        opened.audit_log.add("opened" if is_open else "closed", name)
    say(f"{name} is {'open' if is_open else 'closed'}")


@contextmanager
def _locked_run(store: Store, study: StudyRow) -> Iterator[None]:
    """Keep the web app from playing the study's run meanwhile."""
    from sociolab.store.connect import lock_run

    if study.kind != "play" or study.run is None:
        yield
        return
    await_app(store, study)
    with lock_run(store.path, study.run):
        yield


_RELEASE_SECONDS = 10.0
"""The web app checks every second, and releases the run of a closed study well within this."""


def await_app(store: Store, study: StudyRow) -> None:
    """Wait until the web app has noticed that the study is closed; ConfigError where its run stays
    in use."""
    from sociolab.store.connect import run_is_locked

    end = time.monotonic() + (0 if study.open else _RELEASE_SECONDS)
    while study.kind == "play" and study.run and run_is_locked(store.path, study.run):
        if time.monotonic() >= end:
            advice = "wait until it has ended"
            if study.open:
                advice = f"close the study first: sociolab study close {study.name}"
            raise ConfigError(f"another program uses the run {study.run}; {advice}")
        time.sleep(0.1)


def await_app_of_run(store: Path | None, run: str) -> None:
    """Do what `await_app` does for the study in which people play this run, if there is one."""
    with _opened(store) as opened:
        for row in opened.studies.all():
            if row.kind == "play" and row.run == run:
                await_app(opened, row)


@contextmanager
def _private() -> Iterator[None]:
    """Let only their owner read the files and folders that are made meanwhile."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


@contextmanager
def _private_file(file: Path | None) -> Iterator[TextIO]:
    """A new private file, or stdout; opened before any link is made, since the store keeps only
    hashes: a link that could not be written would be lost."""
    if file is None:
        yield sys.stdout
        return
    try:
        with _private():
            out = file.open("x", encoding="utf-8", newline="")
    except OSError as error:
        raise ConfigError(
            f"--out: expected a new file in a folder that exists, found {file} "
            f"({error.strerror}); name another"
        ) from error
    try:
        with out:
            yield out
    except BaseException:  # Ctrl-C, too: half a list of links would be taken for all of them
        file.unlink(missing_ok=True)
        raise
    say(f"wrote {file}")


def _write_links(links: Iterable[Link], address: str, file: TextIO, path: Path | None) -> None:
    out = csv.writer(file, lineterminator="\n")
    out.writerow(("participant", "link"))
    out.writerows((link.participant, address.rstrip("/") + link.path) for link in links)
    if path is None:
        say("these links are shown only once: the store keeps only their hashes")
    else:
        say(f"the links are only in {path}: keep it safe")
    if address == _HERE:
        say(f"they begin with {_HERE}; if `sociolab web` is reached elsewhere, use --public-url")


def _study_document(row: StudyRow, progress: StudyProgress) -> dict[str, object]:
    return {
        "name": row.name,
        "kind": row.kind,
        "open": row.open,
        "run": row.run,
        "people": dict(progress.people),
        "assignments": dict(progress.assignments),
        "done": progress.done,
        "planned": progress.planned,
        "unit": progress.unit,
    }
