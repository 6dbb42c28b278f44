"""The replay of an episode in town as one file: it plays without a server and asks no network."""

from __future__ import annotations

import base64
import gzip
import io
import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from markupsafe import Markup
from PIL import Image

import sociolab
from sociolab.core.errors import ConfigError
from sociolab.plugin.town import Replay
from sociolab.report.export import write_report
from sociolab.town.picture import draw_moment
from sociolab.web.pages import STATIC, templates
from sociolab.web.town import compact, words_of

PREVIEW = (1200, 630)
"""Pixels of the picture that others show beside a link."""

_IMPORT = re.compile(r'^import (?:\* as (\w+)|\{([^}]*)\}) from "\./(\w+)\.js";$', re.M)
_EXPORT = re.compile(r"^export (?:const|class|function|async function) (\w+)", re.M)


@dataclass(frozen=True, slots=True)
class TownPage:
    """A page and the picture (PNG) for previews of links to it."""

    html: str
    picture: bytes


def town_page(replay: Replay, scripted: str = "", url: str = "") -> TownPage:
    """The page of a replay. `scripted`: what the world says of scripted play, if there was any.

    `url`: the https address at which the page will be found; the picture is then expected beside
    it, as PNG of the same name, since previews of links take no other. Without one the page holds
    the picture itself.
    """
    told = words_of(replay) | {"scripted": scripted}
    picture = _preview(replay)
    inside = f"data:image/png;base64,{base64.b64encode(picture).decode()}"
    days = json.dumps(compact(replay), separators=(",", ":")).encode()
    html = (
        templates()
        .get_template("town/page.html")
        .render(
            told=told,
            about=f"{told['goal']} {told['why']}",
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
    """Write the page, and its picture beside it if asked; what was written. ConfigError where the
    name ends in anything but .html or cannot be written."""
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


def _preview(replay: Replay) -> bytes:
    """The town at the first conversation about the task, or else at noon of the first day."""
    lived = replay.lived
    trajectory, noon = lived.trajectory, lived.trajectory.clock.a_day // 2
    step = replay.about[0].step if replay.about else min(noon, trajectory.trace.steps - 1)
    people = {one.name: trajectory.tile_at(one.id, step) for one in replay.residents}
    large = draw_moment(lived.town, people)
    scale = max(PREVIEW[0] / large.width, PREVIEW[1] / large.height)
    size = (round(large.width * scale), round(large.height * scale))
    seen = large.resize(size, Image.Resampling.LANCZOS).crop((0, 0, *PREVIEW))
    file = io.BytesIO()
    seen.quantize(64, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return file.getvalue()


@cache
def _styles() -> str:
    names = ("app.css", "town.css")
    return "\n".join((STATIC / "css" / name).read_text("utf-8") for name in names)


@cache
def script() -> str:
    """The scripts of the page as one: a browser takes no modules from a file.

    Each of our modules becomes a function that is called once, after those that it imports; they
    import and export in the two forms that the patterns know, each on a line of its own.
    """
    done: dict[str, str] = {}

    def take(name: str) -> None:
        if name in done:
            return
        text = (STATIC / "js" / "town" / f"{name}.js").read_text("utf-8")
        for _, _, other in _IMPORT.findall(text):
            take(other)
        names = ", ".join(_EXPORT.findall(text))
        body = re.sub(r"^export ", "", _IMPORT.sub(_taken, text), flags=re.M)
        done[name] = f"const _{name} = (() => {{\n{body}\nreturn {{ {names} }};\n}})();"

    take("main")
    return '"use strict";\n' + "\n".join(done.values()).replace("</", "<\\/")


def _taken(found: re.Match[str]) -> str:
    whole, some, name = found.groups()
    return f"const {whole or f'{{{some}}}'} = _{name};"
