"""Pages as single files that need neither server nor network: the replay of an episode in town, and
the first page of `sociolab demo`."""

from __future__ import annotations

import base64
import gzip
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from markupsafe import Markup
from PIL import Image

import sociolab
from sociolab.app.registry import town_of, world_plugin, worlds_that
from sociolab.app.transcripts import transcript_of
from sociolab.core.errors import ConfigError
from sociolab.plugin.town import Replay
from sociolab.report.export import write_report
from sociolab.report.html import pages
from sociolab.report.result import RunResult, read_distributions
from sociolab.report.score_tables import headline
from sociolab.report.transcript_views import TranscriptView, extremes, goal_part, leading, views_of
from sociolab.report.words import sanitize
from sociolab.store.store import Store
from sociolab.town.picture import draw_moment
from sociolab.web.pages import STATIC, templates
from sociolab.web.town import encode_replay, replay_texts, scripted_note

PREVIEW = (1200, 630)
"""Width and height in pixels of the picture for link previews."""

_IMPORT = re.compile(r'^import (?:\* as (\w+)|\{([^}]*)\}) from "\./(\w+)\.js";$', re.M)
_EXPORT = re.compile(r"^export (?:const|class|function|async function) (\w+)", re.M)
"""The forms in which the scripts import (`* as name` or `{names}`) and export."""


@dataclass(frozen=True, slots=True)
class TownPage:
    """A page, and its picture (PNG) for link previews."""

    html: str
    picture: bytes


def town_page(replay: Replay, scripted: str = "", url: str = "") -> TownPage:
    """The page of a replay. `scripted`: the world's note on scripted players, if there were any.

    `url`: the https address of the published page; link previews accept only an address, so the
    picture is then expected beside the page, as a PNG of the same name. Without one the page embeds
    the picture.
    """
    words = replay_texts(replay) | {"scripted": scripted}
    picture = _draw_preview(replay)
    inside = f"data:image/png;base64,{base64.b64encode(picture).decode()}"
    days = json.dumps(encode_replay(replay), separators=(",", ":")).encode()
    html = (
        templates()
        .get_template("town/page.html")
        .render(
            told=words,
            about=f"{words['goal']} {words['why']}",
            url=url,
            picture=f"{url.removesuffix('.html')}.png" if url else inside,
            styles=Markup(_styles()),
            script=Markup(script()),
            days=base64.b64encode(gzip.compress(days, 9, mtime=0)).decode(),
            version=sociolab.__version__,
        )
    )
    return TownPage(html, picture)


def write_town_page(path: Path, page: TownPage, *, beside: bool = False) -> tuple[Path, ...]:
    """Write the page, and its picture beside it if `beside`; returns the files written.

    ConfigError where the name does not end in .html, or the file cannot be written.
    """
    if path.suffix.lower() != ".html":
        raise ConfigError(f'--out: expected a name that ends in .html, found "{path.name}"')
    write_report(path, page.html)
    if not beside:
        return (path,)
    picture = path.with_suffix(".png")
    try:
        picture.write_bytes(page.picture)
    except OSError as error:
        raise ConfigError(f"{picture} cannot be written: {error.strerror or error}") from error
    return (path, picture)


def _draw_preview(replay: Replay) -> bytes:
    """The town at the first conversation about the task, or else at noon of the first day."""
    lived = replay.lived
    trajectory, noon = lived.trajectory, lived.trajectory.clock.steps_per_day // 2
    step = replay.about[0].step if replay.about else min(noon, trajectory.trace.steps - 1)
    people = {resident.name: trajectory.tile_at(resident.id, step) for resident in replay.residents}
    large = draw_moment(lived.town, people)
    scale = max(PREVIEW[0] / large.width, PREVIEW[1] / large.height)
    size = (round(large.width * scale), round(large.height * scale))
    preview = large.resize(size, Image.Resampling.LANCZOS).crop((0, 0, *PREVIEW))
    file = io.BytesIO()
    preview.quantize(64, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return file.getvalue()


@cache
def _styles() -> str:
    names = ("app.css", "town.css")
    return "\n".join((STATIC / "css" / name).read_text("utf-8") for name in names)


@cache
def script() -> str:
    """The page's scripts as one: browsers load no modules from a file.

    Each of our modules becomes a function that is called once, after those that it imports. Imports
    and exports must have the two forms of the patterns above, each on a line of its own.
    """
    bundled: dict[str, str] = {}

    def assign_import(match: re.Match[str]) -> str:
        namespace, names, module = match.groups()
        return f"const {namespace or f'{{{names}}}'} = _{module};"

    def bundle(name: str) -> None:
        if name in bundled:
            return
        text = (STATIC / "js" / "town" / f"{name}.js").read_text("utf-8")
        for _, _, other in _IMPORT.findall(text):
            bundle(other)
        names = ", ".join(_EXPORT.findall(text))
        body = re.sub(r"^export ", "", _IMPORT.sub(assign_import, text), flags=re.M)
        bundled[name] = f"const _{name} = (() => {{\n{body}\nreturn {{ {names} }};\n}})();"

    bundle("main")
    return '"use strict";\n' + "\n".join(bundled.values()).replace("</", "<\\/")


# ------------------------------------------------------------------ best days, and a first page


CONSIDERED = 8
"""Of this many top episodes, the one with the most conversations about its task is shown."""
FOR_SITE = 4
"""Agents whose best episodes in town a site shows."""
LINES = (6, 14)
"""Fewest and most turns of an episode that can be read at a glance."""


@dataclass(frozen=True, slots=True)
class ReplayFile:
    """A replay as a file: its page, and facts for the page that links to it."""

    trial: str
    title: str
    goal: str
    people: int
    html: str


def town_files(store: Store, result: RunResult) -> Iterator[ReplayFile]:
    """The best episode in town of each of a run's first agents; none for other worlds."""
    if result.world not in worlds_that(lambda plugin: plugin.town is not None):
        return
    written: set[str] = set()
    for spread in leading(result, read_distributions(store, result))[:FOR_SITE]:
        top = max(point.value for point in spread.points)
        best = [point.trial for point in spread.points if point.value == top][:CONSIDERED]
        town = town_of(result.world)
        replays = [(town.replay(store, result.run, trial), trial) for trial in best]
        replay, trial = max(replays, key=lambda entry: len(entry[0].about))
        if trial not in written:
            written.add(trial)
            html = town_page(replay, scripted_note(store, result.run, trial)).html
            title, goal = sanitize(replay.task.title), sanitize(replay.task.goal)
            yield ReplayFile(trial, title, goal, len(replay.residents), html)


def town_name(page: Path) -> Path:
    """The file of the town beside the demo's first page."""
    return page.with_stem(f"{page.stem}-town")


def write_demo_page(
    store: Store, results: Sequence[RunResult], path: Path, tables: Path, option: str
) -> None:
    """Write the demo's first page, and the replay of the town beside it.

    `tables` is the page with all tables of these runs, in this order; `option` is the command-line
    option that names the store.
    """
    town = next((file for result in results for file in town_files(store, result)), None)
    beside = town_name(path)
    if town is not None:
        write_report(beside, town.html)
    cards = [
        {
            "world": result.world,
            "about": world_plugin(result.world).about,
            "headline": headline(result),
            "run": result.run,
            "played": result.played,
            "anchor": f"run-{i}",
        }
        for i, result in enumerate(results, 1)
    ]
    episode = next(
        (candidate for result in results if (candidate := _pick_episode(store, result))), None
    )
    text = (
        pages()
        .get_template("demo.html")
        .render(
            worlds=len(results),
            tables=tables.name,
            town=None
            if town is None
            else {
                "title": town.title,
                "goal": town.goal,
                "people": town.people,
                "file": beside.name,
            },
            cards=cards,
            episode=episode,
            scene=[text for _, text in episode.scene if not goal_part(text)][:1] if episode else (),
            goals=list(_goals(episode)) if episode else (),
            store=option,
        )
    )
    write_report(path, sanitize(text))


def _pick_episode(store: Store, result: RunResult) -> TranscriptView | None:
    """The best short episode in which several seats have goals of their own; None if none."""
    main = leading(result, read_distributions(store, result))
    best = [extreme.highest.trial for extreme in extremes(main)]
    points = [point for spread in main for point in spread.points]
    order = [*best, *(p.trial for p in sorted(points, key=lambda p: -p.value)[:40])]
    for view in views_of(store, result.run, transcript_of, list(dict.fromkeys(order))):
        if LINES[0] <= len(view.course) <= LINES[1] and len(list(_goals(view))) > 1:
            return view
    return None


def _goals(view: TranscriptView) -> Iterator[tuple[str, str]]:
    for heading, text in view.scene:
        if goal := goal_part(text):
            yield heading, goal
