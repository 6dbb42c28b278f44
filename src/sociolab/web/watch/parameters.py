"""Parameters of the pages of runs and episodes, and how they are resolved."""

from __future__ import annotations

import json
import math
import shlex
from typing import Annotated, Any, TypeAlias

from fastapi import Path, Query
from starlette.responses import Response

from sociolab.app.episode_list import EpisodeFilter, Order, State
from sociolab.core.errors import ConfigError, StoreError
from sociolab.store.connect import store_path
from sociolab.store.store import RunRow, Store
from sociolab.web.site import Missing

RunName: TypeAlias = Annotated[str, Path(max_length=80, description="The run's name.")]
TrialId: TypeAlias = Annotated[str, Path(max_length=200, description="The episode's id.")]
Words: TypeAlias = Annotated[str, Query(max_length=300, description="Words to search for.")]
PageNumber: TypeAlias = Annotated[int, Query(ge=1, le=1_000_000, description="From 1.")]
Label: TypeAlias = Annotated[str, Query(max_length=300)]
Figure: TypeAlias = Annotated[str, Query(max_length=40, description="A number, or nothing.")]


def require_run(store: Store, name: str) -> RunRow:
    """Missing if there is no run of episodes of this name."""
    if not store.has_run(name):
        raise Missing(f'There is no run "{name}" in this store.')
    row = store.run(name)
    if row.keeps:
        raise Missing(f'The run "{name}" has no episodes: it only keeps the replies of {row.work}.')
    return row


def require_trial(store: Store, run: str, trial: str) -> RunRow:
    """The run of an episode; Missing if the run or the episode does not exist."""
    row = require_run(store, run)
    try:
        store.trial_pk(run, trial)
    except StoreError as error:
        raise Missing(f'The run "{run}" has no episode "{trial}".') from error
    return row


def episode_filter(
    agent: Label = "",
    partner: Label = "",
    tag: Label = "",
    scenario: Label = "",
    status: State = "",
    ended: Label = "",
    failed: bool = False,
    score: Label = "",
    low: Figure = "",
    high: Figure = "",
    order: Order = "plan",
) -> EpisodeFilter:
    """The filter and order in an address: a dependency."""
    return EpisodeFilter(
        agent, partner, tag, scenario, status, ended, failed, score,
        _number(low), _number(high), order,
    )  # fmt: skip


def _number(text: str) -> float | None:
    if not text.strip():
        return None
    try:
        value = float(text.replace("\N{MINUS SIGN}", "-").replace(",", "."))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ConfigError(f'Expected a number as an end of the range, found "{text}".')
    return value


def store_option(store: Store) -> str:
    """The command-line option that names this store; "" for the default store."""
    return "" if store.path == store_path(None) else f" --store {shlex.quote(str(store.path))}"


def json_answer(value: Any, status: int = 200) -> Response:
    """A JSON response in ASCII: a lone surrogate, which UTF-8 cannot encode, is escaped."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False)
    return Response(text, status, media_type="application/json")


def file_answer(text: str, name: str, media: str) -> Response:
    """A text as a download; other characters than letters, digits, ".", "_" and "-" in `name` are
    replaced."""
    safe = "".join(letter if letter.isalnum() or letter in "._-" else "-" for letter in name)
    ascii_name = safe.encode("ascii", "replace").decode().replace("?", "-")
    headers = {"Content-Disposition": f'attachment; filename="{ascii_name}"'}
    return Response(text.encode("utf-8", "replace"), media_type=media, headers=headers)
