"""Write results of runs to files: an HTML page, a site of several runs, and CSV."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

from sociolab.analysis.adjacent_ranks import with_steps
from sociolab.analysis.agent_labels import AS_LABELLED, AgentNames
from sociolab.analysis.credit import add_credit
from sociolab.analysis.episode_pairs import COLUMNS, ComparedPairs, pairs_rows
from sociolab.analysis.values import values_of
from sociolab.app.transcripts import world_of
from sociolab.core.errors import ConfigError
from sociolab.core.user_files import write_new
from sociolab.report.export import csv_text, entries_csv, write_report
from sociolab.report.html import ShownRun, chart_scripts, render_page, write_html
from sociolab.report.leaderboard import boards_section, index, make_boards
from sociolab.report.result import ResultDetails, RunResult, distributions_of, read_distributions
from sociolab.report.section import Section
from sociolab.report.transcript_views import evenly_chosen, extremes, leading, views_of
from sociolab.store.store import Store

EPISODES = 6
"""Number of a run's transcripts on its page, evenly spaced in the plan."""
AGENTS = 4
"""Number of agents whose lowest and highest episode are on the page, too."""

MARKER = ".sociolab-site"
"""The file that marks a folder as a site written by sociolab; names its pages, as JSON."""

_OURS = re.compile(r"index\.html|charts\.js|(runs|towns)/[a-z0-9-]+\.html")
_PLAYS = (
    "run",
    "world",
    "trial",
    "task",
    "cluster",
    "type",
    "repeat",
    "seat",
    "agent",
    "partner",
    "judge",
    "method",
    "measure",
    "value",
)

_RUNS = (
    "run",
    "world",
    "data",
    "data_version",
    "data_hash",
    "seed",
    "created",
    "trials",
    "played",
    "failed",
    "calls",
    "estimated_calls",
    "prompt_tokens",
    "completion_tokens",
    "cached_tokens",
    "cost_usd",
    "seconds",
)


def write_page(
    store: Store,
    results: Sequence[RunResult | ResultDetails],
    path: Path,
    sections: Sequence[Section] = (),
    compared: Sequence[Section | None] = (),
    names: AgentNames = AS_LABELLED,
) -> None:
    """Write a page: first `sections`, then rankings across several runs where these are comparable,
    then each run, with the comparison in `compared` at the run's index.

    `names` are the new names that `results` and `sections` use already. Judgings are read from the
    store again for results without `ResultDetails`. ConfigError where the file cannot be written.
    """
    plain = [item.result if isinstance(item, ResultDetails) else item for item in results]
    rankings = make_boards(plain) if len(plain) > 1 else ()
    ranked = with_steps(store, rankings, lambda run: names.values(values_of(store, run)))
    beside = (boards_section(ranked),) if len(plain) > 1 else ()
    runs = [shown_run(store, item, names) for item in results]
    for i, section in enumerate(compared):
        runs[i] = replace(runs[i], compared=section)
    write_html(path, runs, (*sections, *beside))


def shown_run(
    store: Store, loaded: RunResult | ResultDetails, names: AgentNames = AS_LABELLED
) -> ShownRun:
    """A run as its page shows it: with score distributions, some episodes evenly spaced in the
    plan, and the extreme episodes of the leading agents."""
    if isinstance(loaded, ResultDetails):
        result, spreads = loaded.result, distributions_of(loaded.columns)
    else:
        result, spreads = loaded, read_distributions(store, loaded)
    chosen = {
        *evenly_chosen(store, result.run, EPISODES),
        *(
            point.trial
            for extreme in extremes(leading(result, spreads))[:AGENTS]
            for point in (extreme.lowest, extreme.highest)
        ),
    }
    in_plan = [trial for trial in store.trial_ids(result.run) if trial in chosen]
    world = world_of(result.world)
    transcript_of = add_credit(store, result.run, world.transcript, names.judge)
    views = views_of(store, result.run, transcript_of, in_plan)
    return ShownRun(result, tuple(names.view(result.run, view) for view in views), spreads)


def write_site(
    store: Store,
    results: Sequence[RunResult],
    folder: Path,
    towns: Mapping[str, Sequence[tuple[str, str]]] | None = None,
) -> None:
    """Write a site, or update one; pages of runs that are no longer in it are deleted.

    `towns` holds replays of days in town by run, as title and HTML. ConfigError where the folder
    holds anything but a site of sociolab, or cannot be written.
    """
    old = _old_pages(folder)
    links = {result.run: f"runs/{slug(result.run)}.html" for result in results}
    replays = {
        run: [
            (title, f"towns/{slug(run)}-{i}.html", text) for i, (title, text) in enumerate(all_, 1)
        ]
        for run, all_ in (towns or {}).items()
    }
    own = [(file, text) for files in replays.values() for _, file, text in files]
    new = ["index.html", "charts.js", *links.values(), *(file for file, _ in own)]
    existing = [name for name in new if name not in old and (folder / name).exists()]
    if existing:
        raise ConfigError(
            f"{folder / existing[0]} is not of this site; move it, or name a new folder"
        )
    _make_folder(folder / "runs")
    if own:
        _make_folder(folder / "towns")
    # If this is interrupted, the next call knows both old and new pages as its own.
    _write_marker(folder, [*new, *(name for name in old if name not in new)])
    write_report(folder / "charts.js", chart_scripts())
    for result in results:
        view = shown_run(store, result)
        text = render_page([view], home="../index.html", scripts="../charts.js")
        write_report(folder / links[result.run], text)
    for file, text in own:
        write_report(folder / file, text)
    ranked = with_steps(store, make_boards(results), partial(values_of, store))
    town_links = {run: [(title, file) for title, file, _ in all_] for run, all_ in replays.items()}
    write_report(folder / "index.html", index(results, links, ranked, town_links))
    for name in old:
        if name not in new:
            (folder / name).unlink(missing_ok=True)
    _write_marker(folder, new)


def slug(run: str) -> str:
    """A file name for a run: lower-case letters, digits and dashes, with a hash if that changed the
    name, so that two runs never share a file."""
    plain = re.sub(r"[^a-z0-9]+", "-", run.lower()).strip("-")[:60]
    if plain == run:
        return plain
    suffix = blake2b(run.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"{plain}-{suffix}".strip("-")


def _old_pages(folder: Path) -> list[str]:
    """The pages of the site in a folder, [] for a new or empty one; ConfigError for a folder with
    other files."""
    if not folder.exists():
        return []
    if not folder.is_dir():
        raise ConfigError(f"{folder} is not a folder; name one for the site")
    marker = folder / MARKER
    if not marker.is_file():
        if any(folder.iterdir()):
            raise ConfigError(
                f"{folder} holds files that are not of a site of sociolab; name a new or an empty "
                "folder"
            )
        return []
    try:
        names = json.loads(marker.read_text("utf-8"))["pages"]
        return [name for name in names if _OURS.fullmatch(name)]
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(
            f"{marker} cannot be read ({error}); name a new or an empty folder"
        ) from error


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{folder} cannot be made ({error.strerror}); name another") from error


def _write_marker(folder: Path, names: Sequence[str]) -> None:
    write_report(folder / MARKER, json.dumps({"pages": sorted(names)}, indent=2) + "\n")


def write_csv(store: Store, results: Sequence[RunResult], path: Path) -> tuple[Path, ...]:
    """Write mean scores to a .csv file; or scores.csv, plays.csv and runs.csv into a folder.

    Returns the files. ConfigError where they cannot be written.
    """
    if path.suffix.lower() == ".csv" and not path.is_dir():
        write_report(path, entries_csv(results))
        return (path,)
    if path.suffix and not path.is_dir():
        form = "a name that ends in .csv, or a folder"
        raise ConfigError(f"--csv: expected {form}, found {path}; rename it, or make the folder")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(
            f"the folder {path} cannot be made ({error.strerror}); name another, or a .csv file"
        ) from error
    texts = {
        "scores.csv": entries_csv(results),
        "plays.csv": csv_text(_PLAYS, _play_rows(store, results)),
        "runs.csv": csv_text(_RUNS, (_run_row(result) for result in results)),
    }
    for name, text in texts.items():
        write_report(path / name, text)
    return tuple(path / name for name in texts)


def _play_rows(
    store: Store, results: Iterable[RunResult]
) -> Iterable[tuple[str | float | None, ...]]:
    """A row for each seat of an episode, judge and metric; a missing score is an empty cell."""
    for result in results:
        scores = values_of(store, result.run)
        for value in scores.values:
            row = value._asdict() | {"method": scores.judges[value.judge].method}
            yield tuple(row[name] for name in _PLAYS)


def _run_row(result: RunResult) -> tuple[str | float | None, ...]:
    data, tokens = result.data, result.tokens
    cells: dict[str, Any] = dict(result) | {
        "data": data and data.name,
        "data_version": data and data.version,
        "data_hash": data and data.hash,
        "prompt_tokens": tokens.prompt,
        "completion_tokens": tokens.completion,
        "cached_tokens": tokens.cached,
    }
    return tuple(cells[column] for column in _RUNS)


def write_pairs(pairs: ComparedPairs, path: Path) -> int:
    """Write all pairs of a comparison, in all metrics, as CSV, and return their number.

    ConfigError where the file exists already or cannot be written.
    """
    rows = list(pairs_rows(pairs))
    write_new(path, "--pairs", csv_text(COLUMNS, rows))
    return len(rows)
