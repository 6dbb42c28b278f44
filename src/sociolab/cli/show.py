"""`sociolab show`: an episode to read, or two side by side."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import typer
from rich.console import Console

from sociolab.analysis.credit import credit_of, with_credit
from sociolab.app.queries import FoundEpisode, find_episode, open_store
from sociolab.app.transcripts import seat_called, world_of
from sociolab.cli.output import say
from sociolab.core.errors import ConfigError
from sociolab.report.export import play_markdown, write_whole
from sociolab.report.html import pair_page
from sociolab.report.terminal import play, side_by_side
from sociolab.report.transcript_view import EpisodeSide, TranscriptView, transcript_view
from sociolab.report.words import about
from sociolab.store.calls import CallRow
from sociolab.store.store import Store

_LONG = 1_000
"""Characters of a message that is shown once."""


@dataclass(frozen=True, slots=True)
class View:
    """How episodes are shown: as what one seat saw, as prompts, as Markdown, as a page."""

    seat: str | None = None
    prompts: bool = False
    markdown: bool = False
    html: Path | None = None


def show(wanted: Sequence[str], runs: Sequence[str], view: View, store: Path | None) -> None:
    """Print the transcript with its scores; or what one seat saw; or every prompt and reply."""
    if len(wanted) > 2:
        raise ConfigError(f"expected one episode or two, found {len(wanted)}")
    if view.prompts and (len(wanted) > 1 or view.html):
        raise ConfigError("--prompts is for one episode in the terminal: leave out the others")
    with open_store(store) as opened:
        found = _found(opened, wanted, runs)
        seats = [view.seat and seat_called(one.episode, view.seat) for one in found]
        if view.prompts:
            _print_prompts(opened, found[0], seats[0])
            return
        read = [_read(opened, one, seat) for one, seat in zip(found, seats, strict=True)]
    heads = _heads(found)
    _show([EpisodeSide(head, one) for head, one in zip(heads, read, strict=True)], view)
    for one, head in zip(found, heads, strict=True):
        if one.status == "failed":
            which = "This trial" if len(found) == 1 else f"The trial {head}"
            typer.echo(f"{which} failed: {one.problem}")


def _found(store: Store, wanted: Sequence[str], runs: Sequence[str]) -> tuple[FoundEpisode, ...]:
    """The episodes; of two, each in its run where two are named."""
    if len(runs) > len(wanted):
        raise ConfigError(
            f"expected as many --run as episodes, or one, found {len(runs)} for {len(wanted)}"
        )
    own = list(runs) if len(runs) == len(wanted) else [*runs, None][:1] * len(wanted)
    return tuple(find_episode(store, one, run) for one, run in zip(wanted, own, strict=True))


def _heads(found: Sequence[FoundEpisode]) -> list[str]:
    return [f"{one.episode.trial.id} of {one.run}" for one in found]


def _read(store: Store, found: FoundEpisode, seat: str | None) -> TranscriptView:
    trial = found.episode.trial
    transcript = world_of(trial.world).transcript(found.episode, seat)
    if seat is None:
        transcript = with_credit(transcript, credit_of(store, found.run, trial.id))
    judgings = () if seat else tuple(store.verdicts.judgings(found.run, trial=trial.id))
    return transcript_view(found.episode, transcript, judgings)


def _show(readers: Sequence[EpisodeSide], view: View) -> None:
    if view.html is not None:
        write_whole(view.html, pair_page(readers))
        say(f"wrote {view.html}")
    elif view.markdown:
        typer.echo("\n".join(play_markdown(one.shown) for one in readers))
    elif len(readers) == 1:
        Console().print(play(readers[0].shown))
    else:
        console = Console()
        console.print(side_by_side(readers, console.width if console.is_terminal else None))


def _print_prompts(store: Store, found: FoundEpisode, seat: str | None) -> None:
    trial = found.episode.trial
    calls = [c for c in store.calls.all(found.run, trial.id) if seat in (None, c.call.seat)]
    if not calls:
        raise ConfigError(f"no model was called in {trial.id}: there is no prompt to show")
    told: dict[str, int] = {}
    for number, call in enumerate(calls, 1):
        typer.echo(_call(store, number, call, told))


def _call(store: Store, number: int, row: CallRow, told: dict[str, int]) -> str:
    """One call, word for word, as a heading and what was sent and received.

    `told` numbers the long messages that were shown already: these are named, not repeated.
    """
    call, prompt, usage = row.call, store.calls.prompt(row), row.reply.usage
    who, mark = f"{call.role} {call.seat}".strip(), about(usage.estimated)
    parts = [
        f"==== {number}. {who}, turn {call.turn + 1}, {call.name}, attempt {call.attempt}: "
        f"{row.model}, {mark}{usage.prompt} tokens read ({usage.cached} cached), "
        f"{mark}{usage.completion} written, {row.reply.seconds:.2f} s, prompt "
        f"{row.prompt_hash[:12]}"
    ]
    if row.reply.fault:
        parts.append(f"---- fault\n{row.reply.fault}")
    for message in prompt.messages:
        known = told.get(message.text)
        text = message.text if known is None else f"(as in prompt {known}, word for word)"
        parts.append(f"---- {message.role}\n{text}")
        if len(message.text) > _LONG:
            told.setdefault(message.text, number)
    if prompt.schema is not None:
        schema = json.dumps(json.loads(prompt.schema.text))
        parts.append(f"---- schema {prompt.schema.name}\n{schema}")
    parts.append(f"---- reply ({row.reply.finish})\n{row.reply.text}\n")
    return "\n".join(parts)
