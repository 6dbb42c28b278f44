"""Results of runs written out: the HTML page, a site of several runs, and CSV."""

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
from sociolab.analysis.credit import credited
from sociolab.analysis.episode_pairs import COLUMNS, ComparedPairs, pairs_rows
from sociolab.analysis.values import values_of
from sociolab.app.transcripts import world_of
from sociolab.core.errors import ConfigError
from sociolab.core.user_files import write_new
from sociolab.report.export import csv_text, entries_csv, write_report
from sociolab.report.html import ShownRun, chart_scripts, page, write_html
from sociolab.report.leaderboard import boards, boards_section, index
from sociolab.report.result import ResultDetails, RunResult, distributions_of, read_distributions
from sociolab.report.section import Section, TextTable
from sociolab.report.transcript_views import evenly_chosen, extremes, leading, views_of
from sociolab.store.store import Store

EPISODES = 6
"""How many transcripts of a run a page holds, chosen evenly from the plan."""
AGENTS = 4
"""Of how many agents the page also holds the lowest and the highest episode."""

MARKER = ".sociolab-site"
"""The file that makes a folder a site of ours: it names the pages, as JSON."""

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
    compared: Sequence[TextTable | None] = (),
    names: AgentNames = AS_LABELLED,
) -> None:
    """Write the page: `sections`, which somebody asked for, then several runs side by side where
    they can be compared, then each run, with its two agents `compared` if it has two. `names`:
    what the results call agents and judges. ConfigError where the place cannot be written.

    Of `ResultDetails`, judgings are not read once more.
    """
    plain = [item.result if isinstance(item, ResultDetails) else item for item in results]
    several = boards(plain) if len(plain) > 1 else ()
    ranked = with_steps(store, several, lambda run: names.values(values_of(store, run)))
    beside = (boards_section(ranked),) if len(plain) > 1 else ()
    runs = [shown_run(store, item, names) for item in results]
    for i, table in enumerate(compared):
        runs[i] = replace(runs[i], compared=table)
    write_html(path, runs, (*sections, *beside))


def shown_run(
    store: Store, loaded: RunResult | ResultDetails, names: AgentNames = AS_LABELLED
) -> ShownRun:
    """A run with the values of its plays (read, if they are not at hand), some episodes evenly
    chosen, and its extreme ones."""
    if isinstance(loaded, ResultDetails):
        result, spreads = loaded.result, distributions_of(loaded.said)
    else:
        result, spreads = loaded, read_distributions(store, loaded)
    picked = {
        *evenly_chosen(store, result.run, EPISODES),
        *(
            point.trial
            for extreme in extremes(leading(result, spreads))[:AGENTS]
            for point in (extreme.lowest, extreme.highest)
        ),
    }
    in_plan = [trial for trial in store.trial_ids(result.run) if trial in picked]
    world = world_of(result.world)
    transcript_of = credited(store, result.run, world.transcript, names.judge)
    views = views_of(store, result.run, transcript_of, in_plan)
    return ShownRun(result, tuple(names.view(result.run, view) for view in views), spreads)


def write_site(
    store: Store,
    results: Sequence[RunResult],
    folder: Path,
    towns: Mapping[str, Sequence[tuple[str, str]]] | None = None,
) -> None:
    """Write or renew the site; pages of runs that are no longer in it are removed. `towns` holds
    replays of days in town by run, each its title and its page.

    ConfigError where the folder holds anything else but a site, or cannot be written.
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
    _make(folder / "runs")
    if own:
        _make(folder / "towns")
    # Should this be interrupted, the marker knows the pages of both.
    _mark(folder, [*new, *(name for name in old if name not in new)])
    write_report(folder / "charts.js", chart_scripts())
    for result in results:
        view = shown_run(store, result)
        text = page([view], home="../index.html", scripts="../charts.js")
        write_report(folder / links[result.run], text)
    for file, text in own:
        write_report(folder / file, text)
    ranked = with_steps(store, boards(results), partial(values_of, store))
    shown_towns = {run: [(title, file) for title, file, _ in all_] for run, all_ in replays.items()}
    write_report(folder / "index.html", index(results, links, ranked, shown_towns))
    for name in old:
        if name not in new:
            (folder / name).unlink(missing_ok=True)
    _mark(folder, new)


def slug(run: str) -> str:
    """A run's name as a file's: small letters, digits and dashes; a hash where others were left."""
    plain = re.sub(r"[^a-z0-9]+", "-", run.lower()).strip("-")[:60]
    if plain == run:
        return plain
    suffix = blake2b(run.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"{plain}-{suffix}".strip("-")


def _old_pages(folder: Path) -> list[str]:
    """The pages that are there already; ConfigError if anything else is."""
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


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{folder} cannot be made ({error.strerror}); name another") from error


def _mark(folder: Path, names: Sequence[str]) -> None:
    write_report(folder / MARKER, json.dumps({"pages": sorted(names)}, indent=2) + "\n")


def write_csv(store: Store, results: Sequence[RunResult], path: Path) -> tuple[Path, ...]:
    """Write the entries to a file that ends in .csv; or scores.csv, plays.csv and runs.csv to a
    folder. ConfigError where it cannot be written. Returns what was written."""
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
        "plays.csv": csv_text(_PLAYS, _plays(store, results)),
        "runs.csv": csv_text(_RUNS, (_run(result) for result in results)),
    }
    for name, text in texts.items():
        write_report(path / name, text)
    return tuple(path / name for name in texts)


def _plays(store: Store, results: Iterable[RunResult]) -> Iterable[tuple[str | float | None, ...]]:
    """A row for each play, judge and measure; a missing value, which was due, is an empty cell."""
    for result in results:
        scores = values_of(store, result.run)
        for value in scores.values:
            row = value._asdict() | {"method": scores.judges[value.judge].method}
            yield tuple(row[name] for name in _PLAYS)


def _run(result: RunResult) -> tuple[str | float | None, ...]:
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
    """Write all pairs of all measures of a comparison as CSV, all or nothing; how many there are.

    ConfigError where the file is there already or cannot be written.
    """
    rows = list(pairs_rows(pairs))
    write_new(path, "--pairs", csv_text(COLUMNS, rows))
    return len(rows)
