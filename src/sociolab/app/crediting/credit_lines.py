"""Turns with their credit as records for training: what a seat saw and did, and what that moved."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias

from sociolab.analysis.credits import play_credits
from sociolab.analysis.values import RunValues
from sociolab.app.replaying import observations
from sociolab.core.episode import Action, Episode
from sociolab.core.errors import ConfigError
from sociolab.core.ports import Observation, World
from sociolab.judging.credit_record import MEASURES, Credit, CreditRecord
from sociolab.judging.credit_story import Story
from sociolab.store.database import replaced

SCHEMA = 1

Score: TypeAlias = Mapping[str, Any]


def training_lines(
    run: str,
    world: World,
    episode: Episode,
    story: Story,
    record: CreditRecord,
    scores: Sequence[Score],
) -> Iterator[dict[str, Any]]:
    """A JSON object for each line of an episode, in order; its fields are those of docs/credit.md.

    `observation` is None where the world shows its players no text, or where the play cannot be
    repeated from its events.
    """
    trial = episode.trial
    totals = play_credits(trial, record)
    seen = observations(world, episode)
    for line, seat in zip(story.transcript.lines, story.by, strict=True):
        here = [one for one in record.credits if (one.turn, one.by) == (line.turn, seat)]
        moved = {
            play.seat: {
                other.measure: _amount(here, play.seat, other.measure, other.total)
                for other in totals
                if other.seat == play.seat
            }
            for play in totals
        }
        yield {
            "schema": SCHEMA,
            "kind": "credit",
            "run": run,
            "world": trial.world,
            "episode": trial.id,
            "task": trial.task.id,
            "cluster": trial.task.cluster,
            "repeat": trial.repeat,
            "seat": seat or None,
            "name": line.who,
            "agent": trial.agent(seat) if seat else None,
            "turn": line.turn + 1,
            "observation": _shown(seen.get((seat, line.turn))),
            "text": line.text,
            "actions": [_action(action) for action in line.actions],
            "credit": {m: moved.get(seat, {}).get(m) for m in MEASURES},
            "moved": moved,
            "why": [_why(one) for one in here],
            "judge": record.judge,
            "scores": [one for one in scores if one["seat"] in (seat, None)],
        }


def scores_by_trial(scores: RunValues) -> Mapping[str, Sequence[Score]]:
    """What the judges of a run gave each trial, a record each."""
    found: dict[str, list[Score]] = {}
    for value in scores.values:
        score = {
            "judge": value.judge,
            "method": scores.judges[value.judge].method,
            "measure": value.measure,
            "seat": value.seat,
            "value": value.value,
        }
        found.setdefault(value.trial, []).append(score)
    return found


def write_lines(path: Path, lines: Iterable[Mapping[str, Any]]) -> tuple[int, int]:
    """Write JSON lines, all or nothing; how many, and how many of them lack an observation.

    ConfigError if they cannot be written there.
    """
    count = unseen = 0
    with _beside(path) as part:
        with part.open("w", encoding="utf-8", newline="\n") as file:
            for line in lines:
                file.write(f"{replaced(json.dumps(line, ensure_ascii=False))}\n")
                count += 1
                unseen += line["observation"] is None
        part.replace(path)
    return count, unseen


def check_place(path: Path) -> None:
    """Nothing, where lines can be written to this file; ConfigError where they cannot.

    To be asked before anything is paid for.
    """
    with _beside(path) as part:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        part.touch()


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """A file beside this one to write first; it is removed, and what is refused a ConfigError."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield part
    except OSError as error:
        raise ConfigError(
            f"--out: {path} cannot be written ({error.strerror}); name a file in a folder that "
            "exists"
        ) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _shown(seen: Observation | None) -> dict[str, Any] | None:
    if seen is None or not seen.head:
        return None
    history = [line.text for line in seen.history]
    return {"head": seen.head, "history": history, "tail": seen.tail}


def _amount(here: Sequence[Credit], seat: str, measure: str, total: int | None) -> int | None:
    """What the turns gave to a measure of a seat; None where the judge failed."""
    if total is None:
        return None
    return sum(one.amount for one in here if (one.cell.seat, one.cell.measure) == (seat, measure))


def _action(action: Action) -> dict[str, Any]:
    return {"kind": action.kind, "text": action.text, "to": list(action.to)}


def _why(one: Credit) -> dict[str, Any]:
    return {
        "seat": one.cell.seat,
        "measure": one.cell.measure,
        "amount": one.amount,
        "quote": one.quote,
        "reason": one.reason,
    }
