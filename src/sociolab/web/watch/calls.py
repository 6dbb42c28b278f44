"""The page of an episode's model calls, with full prompts and replies."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse

from sociolab.core.errors import StoreError
from sociolab.core.ports import CallKey, Prompt
from sociolab.report.run_facts import uncounted
from sociolab.report.served import served_words
from sociolab.report.words import about, money
from sociolab.store.calls import CallFailureRow, CallRow, common_prefix_length
from sociolab.store.store import Store
from sociolab.web.pages import page
from sociolab.web.site import store_of
from sociolab.web.watch.episode import Cut, cut
from sociolab.web.watch.parameters import Label, PageNumber, RunName, TrialId, require_trial

PAGE = 25
"""Calls on a page."""
LONG = 1_000
"""A message that repeats at least this many characters of an earlier one has them folded."""
_LONGEST = 200_000
"""Characters of a message on a page."""


@dataclass(frozen=True, slots=True)
class MessageView:
    """A message: `same` repeats the call numbered `like`, and `rest` is new."""

    role: str
    length: int
    same: Cut
    like: int | None
    rest: Cut


@dataclass(frozen=True, slots=True)
class CallView:
    """A call: completed (`row`, with messages and reply) or failed for good (`failure`).

    `problem` says why the prompt cannot be shown.
    """

    number: int
    key: CallKey
    model: str
    row: CallRow | None
    failure: CallFailureRow | None
    messages: tuple[MessageView, ...]
    schema: tuple[str, Cut] | None
    reply: Cut
    problem: str = ""


@dataclass(frozen=True, slots=True)
class CallPage:
    """A page of calls. `of` counts those that fit the filter; `seats` are the (role, seat) pairs of
    the episode.

    `tokens` are prompt, cached and completion tokens; they and `usd` include the estimates of
    `estimated_calls`.
    """

    calls: tuple[CallView, ...]
    of: int
    page: int
    pages: int
    seats: tuple[tuple[str, str], ...]
    tokens: tuple[int, int, int]
    estimated_calls: int
    usd: float | None
    seconds: float


def call_page(
    store: Store, run: str, trial: str, seat: str = "", page: int = 1, at: int | None = None
) -> CallPage:
    """A page of an episode's calls, from 1; with `at`, the page of the call with this key."""
    rows: list[CallRow | CallFailureRow] = [
        *store.calls.all(run, trial),
        *(failure for failure in store.calls.failures(run) if failure.call.trial == trial),
    ]
    rows.sort(key=lambda row: row.at)
    seats = tuple(dict.fromkeys((row.call.role, row.call.seat) for row in rows))
    chosen = [row for row in rows if not seat or _role_and_seat(row.call) == seat]
    numbered = list(enumerate(chosen, 1))
    if at is not None:
        places = [i for i, row in numbered if isinstance(row, CallRow) and row.pk == at]
        page = (places[0] - 1) // PAGE + 1 if places else page
    pages = max(1, -(-len(chosen) // PAGE))
    page = min(page, pages)
    done = [row for row in chosen if isinstance(row, CallRow)]
    priced = [row.reply.usd for row in done if row.reply.usd is not None]
    return CallPage(
        tuple(_call_views(store, numbered[(page - 1) * PAGE : page * PAGE])),
        len(chosen),
        page,
        pages,
        seats,
        (
            sum(row.reply.usage.prompt for row in done),
            sum(row.reply.usage.cached for row in done),
            sum(row.reply.usage.completion for row in done),
        ),
        sum(row.reply.usage.estimated for row in done),
        sum(priced) if priced else None,
        sum(row.reply.seconds for row in done),
    )


def _role_and_seat(call: CallKey) -> str:
    return f"{call.role} {call.seat}".strip()


def _call_views(
    store: Store, numbered: Sequence[tuple[int, CallRow | CallFailureRow]]
) -> Iterator[CallView]:
    before: dict[str, tuple[int, Prompt]] = {}
    for number, row in numbered:
        if isinstance(row, CallFailureRow):
            yield CallView(number, row.call, row.model, None, row, (), None, Cut(""))
            continue
        reply = cut(row.reply.shown, _LONGEST)
        try:
            prompt = store.calls.prompt(row)
        except StoreError as error:
            yield CallView(number, row.call, row.model, row, None, (), None, reply, str(error))
            continue
        messages = tuple(_message_views(prompt, before.get(_role_and_seat(row.call))))
        before[_role_and_seat(row.call)] = (number, prompt)
        yield CallView(
            number, row.call, row.model, row, None, messages, _format_schema(prompt), reply
        )


def _message_views(prompt: Prompt, before: tuple[int, Prompt] | None) -> Iterator[MessageView]:
    like, earlier = before if before else (None, None)
    for index, message in enumerate(prompt.messages):
        text, folded = message.shown, 0
        if earlier is not None and index < len(earlier.messages):
            folded = _whole_lines(text, common_prefix_length(earlier.messages[index].shown, text))
        same = text[:folded]
        yield MessageView(
            message.role,
            len(text),
            cut(same, _LONGEST),
            like if same else None,
            cut(text[folded:], _LONGEST),
        )


def _whole_lines(text: str, folded: int) -> int:
    """How many of the repeated characters are folded: whole lines only, and none if they are
    few."""
    if folded < len(text):
        folded = text.rfind("\n", 0, folded) + 1
    return folded if folded >= LONG else 0


def _format_schema(prompt: Prompt) -> tuple[str, Cut] | None:
    if prompt.schema is None:
        return None
    try:
        text = json.dumps(json.loads(prompt.schema.text), indent=2, ensure_ascii=False)
    except ValueError:
        text = prompt.schema.text
    return prompt.schema.name, cut(text, _LONGEST)


router = APIRouter(tags=["watch"])


@router.get("/runs/{run}/episodes/{trial}/calls", response_class=HTMLResponse)
def calls(
    request: Request,
    run: RunName,
    trial: TrialId,
    who: Label = "",
    number: Annotated[PageNumber, Query(alias="page")] = 1,
    at: Annotated[int | None, Query(ge=0, le=2**62, description="A call to be led to.")] = None,
) -> HTMLResponse:
    """The calls of an episode, 25 to a page; `who` is a role and seat."""
    store = store_of(request)
    require_trial(store, run, trial)
    listing = call_page(store, run, trial, who, number, at)
    words = {
        "money": money,
        "about": about,
        "uncounted": uncounted,
        "served_words": served_words,
    }
    return page(request, "watch/calls.html", run=run, trial=trial, found=listing, who=who, **words)
