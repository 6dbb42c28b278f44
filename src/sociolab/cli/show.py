"""`sociolab show`: an episode to read."""

from __future__ import annotations

from pathlib import Path

import typer

from sociolab.app.stored import find_episode, open_store, world_of
from sociolab.core.errors import ConfigError


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
            raise ConfigError(
                f'--as: expected one of {", ".join(trial.task.seats)}, found "{seat}"'
            )
        if prompts:
            for call in opened.calls(found.run, trial.id):
                if seat is None or call.seat == seat:
                    typer.echo(_call_text(opened, call))
            return
        transcript = world_of(trial.world).transcript(found.episode, seat)
        verdicts = () if seat else tuple(opened.verdicts_of(found.run, trial.id))
        del markdown, transcript, verdicts
