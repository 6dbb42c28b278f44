"""A site of some runs: rankings, and a page for each run; static files, linked relatively."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import partial
from hashlib import blake2b
from pathlib import Path

from sociolab.analysis.values import values_of
from sociolab.app.conclusions.neighbours import with_steps
from sociolab.app.results.page import shown_run
from sociolab.core.errors import ConfigError
from sociolab.report.export import write_whole
from sociolab.report.html import chart_scripts, page
from sociolab.report.leaderboard import boards, index
from sociolab.report.result import RunResult
from sociolab.store.store import Store

MARKER = ".sociolab-site"
"""The file that makes a folder a site of ours: it names the pages, as JSON."""
_OURS = re.compile(r"index\.html|charts\.js|runs/[a-z0-9-]+\.html")


def write_site(store: Store, results: Sequence[RunResult], folder: Path) -> None:
    """Write or renew the site; pages of runs that are no longer in it are removed.

    ConfigError where the folder holds anything else but a site, or cannot be written.
    """
    old = _old_pages(folder)
    links = {result.run: f"runs/{slug(result.run)}.html" for result in results}
    new = ["index.html", "charts.js", *links.values()]
    taken = [name for name in new if name not in old and (folder / name).exists()]
    if taken:
        raise ConfigError(f"{folder / taken[0]} is not of this site; move it, or name a new folder")
    _make(folder / "runs")
    # Should this be interrupted, the marker knows the pages of both.
    _mark(folder, [*new, *(name for name in old if name not in new)])
    write_whole(folder / "charts.js", chart_scripts())
    for result in results:
        shown = shown_run(store, result)
        text = page([shown], home="../index.html", scripts="../charts.js")
        write_whole(folder / links[result.run], text)
    ranked = with_steps(store, boards(results), partial(values_of, store))
    write_whole(folder / "index.html", index(results, links, ranked))
    for name in old:
        if name not in new:
            (folder / name).unlink(missing_ok=True)
    _mark(folder, new)


def slug(run: str) -> str:
    """A run's name as a file's: small letters, digits and dashes; a hash where others were left."""
    plain = re.sub(r"[^a-z0-9]+", "-", run.lower()).strip("-")[:60]
    if plain == run:
        return plain
    told = blake2b(run.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"{plain}-{told}".strip("-")


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
    write_whole(folder / MARKER, json.dumps({"pages": sorted(names)}, indent=2) + "\n")
