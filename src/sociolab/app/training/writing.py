"""Examples as JSON lines in one file, or in two by scenario; nothing is left half-written."""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from io import TextIOWrapper
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TypeAlias

from sociolab.app.training.examples import Example
from sociolab.app.training.wanted import Wanted
from sociolab.core.errors import ConfigError
from sociolab.core.seeding import stream
from sociolab.store.database import replaced

TRAIN, HELDOUT = "train", "heldout"

Scenario: TypeAlias = tuple[str, str]
"""World and name."""


@dataclass(slots=True)
class Written:
    """What is in one file."""

    path: Path
    examples: int = 0
    rebuilt: int = 0
    episodes: set[tuple[str, str]] = field(default_factory=set)
    scenarios: Counter[Scenario] = field(default_factory=Counter)
    agents: set[str] = field(default_factory=set)


def files_of(file: Path, wanted: Wanted) -> dict[str, Path]:
    """The files to write, by their part ("" where there is one): `a.jsonl` is `a.train.jsonl` and
    `a.heldout.jsonl` where it is split, and ends with `.gz` where it is compressed."""
    packed = wanted.gzip or file.suffix == ".gz"
    bare = file.with_suffix("") if file.suffix == ".gz" else file
    end = ".gz" if packed else ""
    if wanted.heldout is None:
        return {"": bare.with_name(f"{bare.name}{end}")}
    return {
        part: bare.with_name(f"{bare.stem}.{part}{bare.suffix}{end}") for part in (TRAIN, HELDOUT)
    }


def write_examples(
    file: Path, wanted: Wanted, examples: Iterable[Example], why_none: Callable[[], str]
) -> list[Written]:
    """Write all examples; what is in each file.

    ConfigError if a file cannot be written, or would be empty (`why_none` says why all are).
    """
    written = {part: Written(path) for part, path in files_of(file, wanted).items()}
    with ExitStack() as stack:
        parts = {part: stack.enter_context(_beside(one.path)) for part, one in written.items()}
        for example, line, part in _with_parts(file, wanted, examples):
            parts[part].write(line)
            _count(written[part], example)
        _check(written, wanted, why_none)
    return list(written.values())


def heldout_of(scenarios: Collection[Scenario], share: float, seed: int) -> frozenset[Scenario]:
    """The scenarios that are held out: as many as come nearest to the share.

    They are put in an order that hangs on the seed and their names alone, and cut at the share: a
    larger share only adds to them. With other scenarios in the export the cut may move, and those
    near to it change sides; none change places.
    """
    order = sorted(scenarios, key=lambda one: (stream(seed, *one).random(), one))
    return frozenset(order[: int(len(order) * share + 0.5)])


def _with_parts(
    file: Path, wanted: Wanted, examples: Iterable[Example]
) -> Iterator[tuple[Example, str, str]]:
    """Each example, its line, and the part that it goes to: known when all scenarios are."""
    if wanted.heldout is None:
        for example in examples:
            yield example, _line(example), ""
        return
    with TemporaryFile("w+", encoding="utf-8", newline="\n", dir=file.parent) as aside:
        kept: list[Example] = []
        for example in examples:
            aside.write(_line(example))
            kept.append(replace(example, line={}))
        aside.seek(0)
        heldout = heldout_of({one.scenario for one in kept}, wanted.heldout, wanted.seed)
        for example, line in zip(kept, aside, strict=True):
            yield example, line, HELDOUT if example.scenario in heldout else TRAIN


def _line(example: Example) -> str:
    return replaced(json.dumps(example.line, ensure_ascii=False)) + "\n"


def _count(one: Written, example: Example) -> None:
    one.examples += 1
    one.rebuilt += example.rebuilt
    one.episodes |= example.episodes
    one.scenarios[example.scenario] += 1
    if example.agent is not None:
        one.agents.add(example.agent)


def _check(written: dict[str, Written], wanted: Wanted, why_none: Callable[[], str]) -> None:
    empty = [part for part, one in written.items() if not one.examples]
    if len(empty) == len(written):
        raise ConfigError(why_none())
    if empty:
        (full,) = (one for one in written.values() if one.examples)
        raise ConfigError(
            f"--split scenario:{wanted.heldout} leaves nothing in {empty[0]}: all "
            f"{len(full.scenarios)} scenarios with examples fall to the other part; give another "
            "share, or export more scenarios"
        )


@contextmanager
def _beside(path: Path) -> Iterator[IO[str]]:
    """A file that gets its name when all is written; ConfigError where it cannot be written."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        if path.is_dir():
            raise ConfigError(f"{path} is a folder; name a file")
        with _opened(part, packed=path.suffix == ".gz") as lines:
            yield lines
        os.replace(part, path)
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be written ({error.strerror}); name a file in a folder that exists"
        ) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


@contextmanager
def _opened(path: Path, *, packed: bool) -> Iterator[IO[str]]:
    if not packed:
        with path.open("w", encoding="utf-8", newline="\n") as lines:
            yield lines
        return
    # Neither name nor time in the header: the same examples are the same bytes.
    with (
        path.open("wb") as raw,
        gzip.GzipFile("", "wb", 6, raw, 0) as zipped,
        TextIOWrapper(zipped, encoding="utf-8", newline="\n") as lines,
    ):
        yield lines
