"""`sociolab show`: an episode to read."""

from __future__ import annotations

import json
from pathlib import Path

import typer
from rich.console import Console

from sociolab.analysis.credit_words import with_credit
from sociolab.app.credited import credit_of
from sociolab.app.stored import find_episode, open_store, world_of
from sociolab.core.errors import ConfigError
from sociolab.report.shown import shown
from sociolab.report.transcript import play, play_markdown
from sociolab.store.calls import CallRow
from sociolab.store.sqlite import Store

_LONG = 1_000
"""Characters of a message that is shown once."""


def show(
    wanted: str,
    *,
    seat: str | None,
    run: str | None,
    prompts: bool,
    markdown: bool,
    store: Path | None,
) -> None:
    """Print the transcript with its scores; or what one seat saw; or every prompt and reply."""
    with open_store(store) as opened:
        found = find_episode(opened, wanted, run)
        trial = found.episode.trial
        if seat is not None and seat not in trial.task.seats:
            seats = ", ".join(trial.task.seats)
            raise ConfigError(f'--as: expected one of {seats}, found "{seat}"')
        if prompts:
            calls = [c for c in opened.calls(found.run, trial.id) if seat in (None, c.call.seat)]
            if not calls:
                raise ConfigError(f"no model was called in {trial.id}: there is no prompt to show")
            told: dict[str, int] = {}
            for number, call in enumerate(calls, 1):
                typer.echo(_call(opened, number, call, told))
            return
        transcript = world_of(trial.world).transcript(found.episode, seat)
        if seat is None:
            transcript = with_credit(transcript, credit_of(opened, found.run, trial.id))
        judgings = () if seat else tuple(opened.judgings(found.run))
        read = shown(found.episode, transcript, judgings)
    if markdown:
        typer.echo(play_markdown(read))
    else:
        Console().print(play(read))
    if found.status == "failed":
        typer.echo(f"This trial failed: {found.problem}")


def _call(store: Store, number: int, row: CallRow, told: dict[str, int]) -> str:
    """One call, word for word, as a heading and what was sent and received.

    `told` numbers the long messages that were shown already: these are named, not repeated.
    """
    call, prompt, usage = row.call, store.prompt_of(row), row.reply.usage
    who = f"{call.role} {call.seat}".strip()
    parts = [
        f"==== {number}. {who}, turn {call.turn + 1}, {call.name}, attempt {call.attempt}: "
        f"{row.model}, {usage.prompt} tokens read ({usage.cached} cached), {usage.completion} "
        f"written, {row.reply.seconds:.2f} s, prompt {row.prompt_hash[:12]}"
    ]
    for message in prompt.messages:
        known = told.get(message.text)
        shown = message.text if known is None else f"(as in prompt {known}, word for word)"
        parts.append(f"---- {message.role}\n{shown}")
        if len(message.text) > _LONG:
            told.setdefault(message.text, number)
    if prompt.schema is not None:
        schema = json.dumps(json.loads(prompt.schema.text))
        parts.append(f"---- schema {prompt.schema.name}\n{schema}")
    parts.append(f"---- reply ({row.reply.finish})\n{row.reply.text}\n")
    return "\n".join(parts)
