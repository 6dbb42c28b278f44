"""Write stored runs to training files, and describe in sentences what is in them."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from io import TextIOWrapper
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TypeAlias

from sociolab.analysis.agent_labels import agent_names
from sociolab.analysis.values import values_of
from sociolab.core.errors import ConfigError
from sociolab.core.seeding import stream
from sociolab.core.user_files import atomic_file, require_new_file
from sociolab.report.run_facts import recorded_labels
from sociolab.report.words import percent, plural
from sociolab.store.checking import verify_runs
from sociolab.store.database import replace_surrogates
from sociolab.store.store import Store, open_store
from sociolab.training.examples import (
    ExportOptions,
    ExportSource,
    TrainingExample,
    chat_examples,
    check_names,
    pair_examples,
    turn_examples,
    whole_examples,
)
from sociolab.training.rewards import RunRewards
from sociolab.training.turns import Skipped


@dataclass(frozen=True, slots=True)
class ExportedFiles:
    """The files written, and what was left out, counted by reason."""

    form: str
    files: tuple[WrittenFile, ...]
    skipped: Skipped
    notes: tuple[str, ...] = ()

    def sentences(self) -> list[str]:
        """One per file, then what was held out, what was left out, and cautions."""
        lines = [_describe_file(self.form, file) for file in self.files]
        if len(self.files) > 1:
            train, heldout = self.files
            held, every = len(heldout.scenarios), len(heldout.scenarios) + len(train.scenarios)
            share = percent(held / every)
            lines.append(f"{held} of {plural(every, 'scenario')} held out ({share})")
        skipped = self.skipped.sentence()
        return [*lines, f"left out: {skipped}" if skipped else "nothing was left out", *self.notes]


def export_training(
    runs: Sequence[str],
    file: Path,
    options: ExportOptions,
    store: Path | None = None,
    *,
    replace: bool = False,
) -> ExportedFiles:
    """Write examples from stored runs to JSON lines; files appear only when complete.

    ConfigError, and no file, where a run, an agent, a judge or a metric is missing, nothing
    matches, a file exists (unless `replace`) or cannot be written.

    >>> from pathlib import Path
    >>> from sociolab import RunConfig, run
    >>> from sociolab.training import ExportOptions, export_training
    >>> store, file = Path(folder, "lab.db"), Path(folder, "turns.jsonl")
    >>> result = run(RunConfig(limit=1, settings={"turns": "4"}, name="first", store=store))
    >>> exported = export_training(["first"], file, ExportOptions("sft"), store)
    >>> [(file.path.name, file.examples) for file in exported.files]
    [('turns.jsonl', 4)]
    """
    with open_store(store) as opened:
        require_not_a_run(file, opened, runs)
        for path in output_files(file, options).values():
            require_free_path(path, replace=replace)
        source, skipped = source_of(opened, runs, options), Skipped()
        make = whole_examples if options.whole else _MAKERS[options.form]
        written = write_examples(
            file,
            options,
            make(source, skipped),
            lambda: f"nothing fits: no example was found ({skipped.sentence() or 'no turns'})",
        )
        notes = (
            *source.rewards.cautions(source.judges),
            *_cautions(opened, runs, options, written),
        )
    return ExportedFiles(options.form, tuple(written), skipped, notes)


_MAKERS: Mapping[str, Callable[[ExportSource, Skipped], Iterator[TrainingExample]]] = {
    "turns": turn_examples,
    "sft": chat_examples,
    "pairs": pair_examples,
}


def source_of(store: Store, runs: Sequence[str], options: ExportOptions) -> ExportSource:
    """The runs, once each, with their scores and judges; ConfigError as above."""
    names = list(dict.fromkeys(runs))
    verify_runs(store, *names)
    plans = [store.trials(name) for name in names]
    check_names(options, [store.run(n) for n in names], [trial for plan in plans for trial in plan])
    rewards = RunRewards(
        [
            values_of(store, name, plan)
            for name, plan in zip(names, plans, strict=True)
            if options.world in (None, store.run(name).world)
        ]
    )
    measures = options.measures
    if options.form == "pairs" and not measures:
        measures = (rewards.main(),)
    judges = {measure: rewards.judge_of(measure, options.by) for measure in measures}
    evaluated = {
        name: frozenset(recorded_labels(settings.get("agents")))
        for name in names
        if isinstance(settings := store.run(name).settings, dict) and settings.get("agents")
    }
    return ExportSource(store, names, rewards, judges, options, evaluated)


def _cautions(
    store: Store, runs: Sequence[str], options: ExportOptions, written: Sequence[WrittenFile]
) -> Iterator[str]:
    """Cautions for whoever trains on the files: whose turns they hold."""
    agents = sorted({agent for file in written for agent in file.agents})
    if options.form == "sft" and options.agent is None and len(agents) > 1:
        yield f"turns of {len(agents)} agents are included: {', '.join(agents)}; --agent keeps one"
    labels = agents if options.agent is None else [options.agent]
    only = None if options.form == "pairs" else labels
    for note in agent_names(store, list(dict.fromkeys(runs)), only=only).notes:
        yield f"{note} --agent LABEL@MARK keeps one."


def _describe_file(form: str, file: WrittenFile) -> str:
    what = "pair" if form == "pairs" else "example"
    runs = len({run for run, _ in file.episodes})
    text = (
        f"wrote {file.path}: {plural(file.examples, what)} from "
        f"{plural(len(file.episodes), 'episode')} of {plural(runs, 'run')}, "
        f"{plural(len(file.scenarios), 'scenario')}"
    )
    return f"{text}; {file.rebuilt:,} rebuilt for players without a model" if file.rebuilt else text


TRAIN, HELDOUT = "train", "heldout"
Scenario: TypeAlias = tuple[str, str]
"""World and name."""


@dataclass(slots=True)
class WrittenFile:
    path: Path
    examples: int = 0
    rebuilt: int = 0
    episodes: set[tuple[str, str]] = field(default_factory=set)
    scenarios: Counter[Scenario] = field(default_factory=Counter)
    agents: set[str] = field(default_factory=set)


def output_files(file: Path, options: ExportOptions) -> dict[str, Path]:
    """The files to write, by part ("" for a single file): `a.jsonl` becomes `a.train.jsonl` and
    `a.heldout.jsonl` where it is split, and ends with `.gz` where it is compressed."""
    packed = options.gzip or file.suffix == ".gz"
    bare = file.with_suffix("") if file.suffix == ".gz" else file
    end = ".gz" if packed else ""
    if options.heldout is None:
        return {"": bare.with_name(f"{bare.name}{end}")}
    return {
        part: bare.with_name(f"{bare.stem}.{part}{bare.suffix}{end}") for part in (TRAIN, HELDOUT)
    }


def write_examples(
    file: Path,
    options: ExportOptions,
    examples: Iterable[TrainingExample],
    why_none: Callable[[], str],
) -> list[WrittenFile]:
    """Write all examples; returns what is in each file.

    ConfigError if a file cannot be written, or would be empty (`why_none` explains why all are).
    """
    written = {part: WrittenFile(path) for part, path in output_files(file, options).items()}
    with ExitStack() as stack:
        parts = {p: stack.enter_context(_new_file(f.path)) for p, f in written.items()}
        for example, line, part in _with_parts(file, options, examples):
            parts[part].write(line)
            summary = written[part]
            summary.examples += 1
            summary.rebuilt += example.rebuilt
            summary.episodes |= example.episodes
            summary.scenarios[example.scenario] += 1
            if example.agent is not None:
                summary.agents.add(example.agent)
        _check_parts(written, options, why_none)
    return list(written.values())


def draw_heldout(scenarios: Collection[Scenario], share: float, seed: int) -> frozenset[Scenario]:
    """The held-out scenarios, as close to the share as possible.

    Scenarios are ordered by the seed and their names alone, and cut at the share: a larger share
    only adds to the set. With other scenarios in the export only the cut moves, never the order.
    """
    order = sorted(scenarios, key=lambda scenario: (stream(seed, *scenario).random(), scenario))
    return frozenset(order[: int(len(order) * share + 0.5)])


def _with_parts(
    file: Path, options: ExportOptions, examples: Iterable[TrainingExample]
) -> Iterator[tuple[TrainingExample, str, str]]:
    """Each example, its line, and its part, which is known only after the last example."""
    if options.heldout is None:
        for example in examples:
            yield example, _line(example), ""
        return
    with TemporaryFile("w+", encoding="utf-8", newline="\n", dir=file.parent) as aside:
        pending: list[TrainingExample] = []
        for example in examples:
            aside.write(_line(example))
            pending.append(replace(example, line={}))
        aside.seek(0)
        heldout = draw_heldout({item.scenario for item in pending}, options.heldout, options.seed)
        for example, line in zip(pending, aside, strict=True):
            yield example, line, HELDOUT if example.scenario in heldout else TRAIN


def _line(example: TrainingExample) -> str:
    return replace_surrogates(json.dumps(example.line, ensure_ascii=False)) + "\n"


def _check_parts(
    written: dict[str, WrittenFile], options: ExportOptions, why_none: Callable[[], str]
) -> None:
    empty = [part for part, file in written.items() if not file.examples]
    if len(empty) == len(written):
        raise ConfigError(why_none())
    if empty:
        (full,) = (file for file in written.values() if file.examples)
        raise ConfigError(
            f"--split scenario:{options.heldout} leaves nothing in {empty[0]}: all "
            f"{len(full.scenarios)} scenarios with examples go to the other part; give another "
            "share, or export more scenarios"
        )


@contextmanager
def _new_file(path: Path) -> Iterator[IO[str]]:
    """A file that gets its name when it is complete; ConfigError where it cannot be written."""
    try:
        if path.is_dir():
            raise ConfigError(f"{path} is a folder; name a file")
        with atomic_file(path) as part, _open_lines(part, packed=path.suffix == ".gz") as lines:
            yield lines
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be written ({error.strerror}); name a file in a folder that exists"
        ) from error


@contextmanager
def _open_lines(path: Path, *, packed: bool) -> Iterator[IO[str]]:
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


def require_not_a_run(path: Path, store: Store, runs: Sequence[str]) -> None:
    """ConfigError where the last argument, that of the file, is the name of a run."""
    if str(path) in {row.name for row in store.runs()}:
        raise ConfigError(
            f'FILE: "{path}" is the name of a run, and the file to write comes last: expected '
            f"RUN... FILE, such as {' '.join(dict.fromkeys((*runs, str(path))))} out.jsonl"
        )


def require_free_path(path: Path, *, replace: bool) -> None:
    """ConfigError where the file exists and is kept, or its folder does not exist."""
    if path.is_dir():
        raise ConfigError(f"{path} is a folder; name a file")
    if replace and path.is_file():
        return
    try:
        require_new_file(path, "FILE")
    except ConfigError as error:
        hint = "; --replace writes over it" if path.is_file() else ""
        raise ConfigError(f"{error}{hint}") from error
