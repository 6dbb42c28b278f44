"""The intention gap of stored runs and files: what `sociolab gap` does."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field

from sociolab.core.episode import Trial
from sociolab.core.errors import ConfigError
from sociolab.core.seeding import digest
from sociolab.plugin.context import Context, Findings
from sociolab.plugin.options import Flag, ModelAccess, Several
from sociolab.report.catalogue import Catalogue
from sociolab.report.finding import Count, Sentence
from sociolab.report.result import result_of
from sociolab.report.schema import RunResult
from sociolab.report.score_tables import judges_of
from sociolab.report.section import Section
from sociolab.stats.intervals import Estimate, as_record
from sociolab.store.checking import verify_runs
from sociolab.store.store import Store
from sociolab.worlds.anteval.gap import IN_FORMAT, GapSettings, UnusableReplies, measure_gap
from sociolab.worlds.anteval.gap_intervals import count_labels
from sociolab.worlds.anteval.gap_ladder import CutPlay
from sociolab.worlds.anteval.gap_tables import by_dm, csv_rows, gap_sections, raters_section
from sociolab.worlds.anteval.importing.dnd import EXAMPLES, examples_file, read_examples
from sociolab.worlds.anteval.intention import cut_examples, example_of
from sociolab.worlds.anteval.rating import DIMENSIONS
from sociolab.worlds.anteval.real_play import SAMPLE, real_play
from sociolab.worlds.anteval.scene import party_moved
from sociolab.worlds.anteval.session import NPC, session_from
from sociolab.worlds.anteval.virtual_dm.example import Example, Label, windows
from sociolab.worlds.anteval.virtual_dm.specs import LINEAR, DMFactory

SAY = Catalogue("gap", "sociolab.worlds.anteval.notes")

_INTENTION, RATED = "anteval-intention", DIMENSIONS["intention"]
_REFITS = 12


class DMConfig(BaseModel):
    """Which virtual DMs measure a gap, and how. `refits` None: 12 for linear DMs, 0 for those
    whose training takes long or costs money."""

    test: Annotated[
        str | None, Flag("--test", "DATA", "Real episodes to test on; default: a fifth.")
    ] = None
    dm: Annotated[
        Several,
        Flag(
            "--dm",
            "SPEC",
            "linear (default), linear:endpoint/model or linear:DIR (with embeddings), "
            "encoder[:DIR], lora:DIR, endpoint/model?examples=8, tuned:endpoint/model. Repeatable.",
        ),
    ] = Field(default=(LINEAR,), min_length=1)
    most: Annotated[int, Flag("--most", "N", "Maximum labels per row.")] = Field(default=1, ge=1)
    all_rows: Annotated[bool, Flag("--all-rows", "", "Also test on rows that name the skill.")] = (
        False
    )
    all_real: Annotated[
        bool, Flag("--all-real", "", "Train on all real episodes, whatever the run's size.")
    ] = False
    refits: Annotated[
        int | None, Flag("--refits", "N", "Refits on resampled play (intervals).")
    ] = Field(default=None, ge=0)


class GapConfig(ModelAccess, DMConfig):
    """What to compare with what, and by which virtual DMs.

    `real` and `test` are imported data sets, files, or "sample"; without `test` a fifth of the
    real episodes is kept for it. `generated` and `pair` are runs of the store, or files in the open
    format; the two sets of play of `pair` are compared with each other, over the sessions that both
    hold. `information` are runs of the store.
    """

    pair: Annotated[
        Several,
        Flag("PLAY", "PLAY", "Two agents to compare: two runs or files, or a run of two."),
    ] = ()
    real: Annotated[str, Flag("--real", "DATA", "Real episodes: an import, a file, or sample.")]
    generated: Annotated[
        Several,
        Flag("--generated", "RUN|FILE", "Play to compare. Repeatable, or separated by commas."),
    ] = ()
    information: Annotated[
        Several, Flag("--information", "RUN", "A run with IEP scores. Repeatable.")
    ] = ()
    seed: Annotated[int, Flag("--seed", "N", "Random seed of samples and intervals.")] = 0


async def gap(lab: Context, config: GapConfig) -> Findings:
    """Measure the gap; ConfigError where a run, file or data set is missing."""
    notes: list[Sentence] = []
    if not config.generated and not config.pair:
        raise ConfigError("gap: expected play to compare, found none; name it with --generated")
    real, test = real_play(config.real, config.test, notes)
    generated = _load_play(lab, config, notes)
    seats = {row.name: (row.agent, row.npc) for row in generated if row.agent}
    information: Mapping[str, Estimate] = {}
    if config.information:
        information = information_of(lab.store, config.information, seats, notes)
    control = windows(real)
    if not control:
        notes.append(SAY("no_control", control=IN_FORMAT))
    factory = DMFactory(lab, config.seed)
    tables, all_notes = [], list(notes)
    sections: list[Section] = []
    verdicts: list[str] = []
    play = SAY("sample_play" if SAMPLE in (config.real, config.test) else "real_play")
    try:
        for dm in config.dm:
            kind, own = factory.kind(dm), list(notes)
            settings = GapSettings(
                most=config.most,
                strict=not config.all_rows,
                matched=not config.all_real,
                refits=_refits(config, dm),
                seed=config.seed,
            )
            about = {"dm": dm, "base_url": lab.base_url}
            if kind.keeps != "of any play":
                about |= {"real": config.real, "test": config.test}
            stored = kind.keeps != "no"
            model = dm.removeprefix("tuned:").partition("?")[0]
            if stored and ":" not in model and await lab.stand_ins([model]):
                own.insert(0, SAY("smoke", dm=dm))
            with lab.keep_replies(_INTENTION, ("gap", about)) if stored else nullcontext():
                table = await measure_gap(
                    real,
                    test,
                    {row.name: row.examples for row in generated},
                    kind.make,
                    untrained=kind.untuned,
                    information=information,
                    control=control,
                    cut={row.name: row.cut_play for row in generated},
                    settings=settings,
                    tell=partial(_report_step, lab, kind.name),
                )
            own += _note_unusable(table.failures)
            all_notes += [note for note in own if note not in all_notes]
            tables.append(table)
            sections += gap_sections(table, play, own)
            verdicts.append(sections[-2].sentences[0])
    finally:
        await factory.close()
    if len(tables) > 1:
        sections.append(by_dm(tables))
    runs = dict.fromkeys(row.run for row in generated if row.run)
    results = {run: result_of(lab.store, run) for run in runs}
    rated = _rated(results, generated)
    if rated:
        sections.append(raters_section(tables, rated))
    figures = {
        "schema": 2,
        "kind": "gap",
        "play": play,
        "verdicts": verdicts,
        "tables": [as_record(table) for table in tables],
        "rated": {name: as_record(estimate) for name, estimate in rated.items()},
        "notes": all_notes,
    }
    return Findings(tuple(sections), tuple(results.values()), figures, tuple(csv_rows(tables)))


def _rated(
    results: Mapping[str, RunResult], generated: Sequence[_Generated]
) -> Mapping[str, Estimate]:
    """How expressive people found the play of runs, by its name in the table; the first set of
    raters where there are several."""
    return {
        row.name: score.estimate
        for row in reversed(generated)
        if row.run
        for score in reversed(results[row.run].scores)
        if (score.measure, score.agent, score.by) == (RATED, row.agent, {})
    }


def _report_step(lab: Context, name: str, step: str) -> None:
    lab.tell(f"{name}: {step}")


def _refits(config: DMConfig, dm: str) -> int:
    if config.refits is not None:
        return config.refits
    return _REFITS if dm.partition(":")[0] == LINEAR else 0


def _note_unusable(failures: Sequence[UnusableReplies]) -> Iterator[Sentence]:
    """For each cause, how many replies could not be used, and what that does to the figures."""
    lost: Counter[str] = Counter()
    for failure in failures:
        lost[failure.what] += failure.count
    for failure in failures:
        effect = SAY("no_prediction" if lost[failure.what] == failure.of else "empty_predictions")
        yield SAY(
            "unusable",
            play=failure.what,
            n=failure.count,
            of=failure.of,
            cause=failure.cause,
            effect=effect,
        )


# ------------------------------------------------------------------ generated play


@dataclass(frozen=True, slots=True)
class _Generated:
    """The play of one agent in one run, or of a file: its name in the table, and its examples.

    `examples` are whole sessions, `cut` the same sessions cut at the moves that show an intention;
    the examples of a file are both. `source` is the run or file as it was given. `sessions` says by
    group what was played: two of the same value share characters, scene and intentions. `planned`
    counts the sessions that did not end well, too, and each once, however often it was played.
    """

    name: str
    examples: tuple[Example, ...]
    cut: tuple[Example, ...]
    sessions: Mapping[str, str]
    planned: int
    source: str
    run: str = ""
    agent: str = ""
    npc: str = ""

    @property
    def cut_play(self) -> CutPlay:
        return CutPlay(self.cut, self.planned, count_labels(self.examples))


def _load_play(lab: Context, config: GapConfig, notes: list[Sentence]) -> list[_Generated]:
    """All sets of generated play, under names of their own, the two of `pair` cut to the sessions
    that both played."""
    names = tuple(dict.fromkeys((*config.pair, *config.generated)))
    sets: dict[str, list[_Generated]] = {}
    for name in names:
        file = examples_file(Path(name))
        if file.is_file() or name.endswith((".jsonl", ".jsonl.gz")):
            sets[name] = [_load_file(file)]
        else:
            sets[name] = _load_run(lab.store, name, notes)
    every = [row for name in names for row in sets[name]]
    times = Counter(row.name for row in every)
    agents = [(lab.store.run(row.run).declared.agents, row.agent) for row in every if row.run]
    if any(kinds.get(agent) == "rules" for kinds, agent in agents):
        notes.append(SAY("scripted"))

    def named(row: _Generated) -> _Generated:
        unique = row.name if times[row.name] == 1 else f"{row.name} ({row.source})"
        return replace(row, name=unique)

    pair = [named(row) for name in dict.fromkeys(config.pair) for row in sets[name]]
    unpaired = [named(row) for name in names if name not in config.pair for row in sets[name]]
    if not pair:
        return unpaired
    if len(pair) != 2:
        agent_names = ", ".join(row.name for row in pair)
        raise ConfigError(
            f"gap {' '.join(config.pair)}: expected two agents to compare, found {len(pair)}: "
            f"{agent_names}; name two runs of one agent each, or one run of two agents"
        )
    return [*_keep_shared_sessions(pair[0], pair[1], notes), *unpaired]


def _keep_shared_sessions(
    first: _Generated, second: _Generated, notes: list[Sentence]
) -> tuple[_Generated, _Generated]:
    """Both sets, cut to the sessions that both played."""
    shared = {
        name for name, played in first.sessions.items() if second.sessions.get(name) == played
    }
    if not shared:
        raise ConfigError(
            f"gap: expected {first.name} and {second.name} to have played the same sessions "
            "(characters, scene and intentions), found none that both played; run both with the "
            "same --seed and settings, or from the same --data"
        )
    notes.append(
        SAY(
            "paired",
            agent=first.name,
            other=second.name,
            sessions=Count("session", len(shared)),
            alone=len(first.sessions) - len(shared),
            other_alone=len(second.sessions) - len(shared),
        )
    )
    first, second = (
        replace(
            row,
            examples=tuple(example for example in row.examples if example.group in shared),
            cut=tuple(example for example in row.cut if example.group in shared),
            planned=len(shared),
        )
        for row in (first, second)
    )
    return first, second


def _load_file(path: Path) -> _Generated:
    examples = read_examples(path)
    sessions: dict[str, list[tuple[tuple[str, ...], list[Label]]]] = {}
    for example in examples:
        sessions.setdefault(example.group, []).append((example.candidates, sorted(example.labels)))
    played = {group: digest(repr(sorted(rows))) for group, rows in sessions.items()}
    name = path.parent.name if path.name == EXAMPLES and path.parent.name else path.name
    return _Generated(name.split(".jsonl")[0], examples, examples, played, len(sessions), str(path))


def _load_run(store: Store, run: str, notes: list[Sentence]) -> list[_Generated]:
    verify_runs(store, run)
    row = store.run(run)
    if row.world != _INTENTION:
        raise ConfigError(
            f'--generated: expected a run of {_INTENTION}, found "{run}", a run of {row.world}'
        )
    whole: defaultdict[tuple[str, str], list[Example]] = defaultdict(list)
    cut: defaultdict[tuple[str, str], list[Example]] = defaultdict(list)
    sessions: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    planned: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for trial in store.trials(run):  # a session that is played again is no other session
        planned[cast_of(trial.trial)].add(trial.trial.task.id)
    left_out, failed_turns = row.trials - row.played, 0
    for episode in store.episodes(run, "played"):
        ended = episode.ended
        if ended is None or ended.reason == "failed turn" or not party_moved(episode):
            left_out += 1
            continue
        cast, session = cast_of(episode.trial), session_from(episode.trial.task.content)
        failed_turns += len(episode.failed_turns)
        whole[cast].append(example_of(episode))
        cut[cast].extend(cut_examples(episode))
        content = session.model_dump_json(include={"characters", "situation", "intentions"})
        sessions[cast][session.id] = digest(content)
    if left_out:
        notes.append(SAY("left_out", run=run, n=left_out, sessions=Count("session", row.trials)))
    if failed_turns:
        notes.append(SAY("failed_turns", run=run, turns=Count("failed turn", failed_turns)))
    if not whole:
        raise ConfigError(f"--generated: no session was played in {run}")
    return [
        _Generated(
            agent if agent == npc else f"{agent} (NPC: {npc})",
            tuple(examples),
            tuple(cut[agent, npc]),
            sessions[agent, npc],
            len(planned[agent, npc]),
            run,
            run,
            agent,
            npc,
        )
        for (agent, npc), examples in whole.items()
    ]


# ------------------------------------------------------------------ the IEP beside the gap

_INFORMATION = "anteval-information"


def cast_of(trial: Trial) -> tuple[str, str]:
    """The agents of the players, joined by " + ", and the agent of the NPC."""
    party = (m.agent for m in trial.cast if m.seat != NPC)
    return " + ".join(dict.fromkeys(party)), trial.agent(NPC)


def information_of(
    store: Store,
    runs: Sequence[str],
    seats: Mapping[str, tuple[str, str]],
    notes: list[Sentence],
) -> Mapping[str, Estimate]:
    """The IEP of those who play the `seats` (party and NPC), by their names in the table."""
    of_cast: dict[tuple[str, str], Estimate] = {}
    for run in dict.fromkeys(runs):
        result = result_of(store, run)
        if result.world != _INFORMATION:
            raise ConfigError(
                f"--information: expected a run of {_INFORMATION}, found "
                f'"{run}", a run of {result.world}'
            )
        judges = [j for j in judges_of(result) if any(s.judge == j for s in result.scores)]
        npcs = dict(cast_of(row.trial) for row in store.trials(run))
        lost = 0
        for entry in result.scores:
            is_iep = entry.measure == "iep" and not entry.by and entry.agent is not None
            if is_iep and entry.judge == judges[0]:
                assert entry.agent is not None
                cast = (entry.agent, npcs.get(entry.agent, ""))
                if cast in of_cast:
                    raise ConfigError(
                        f"--information: {entry.agent} is in more than one run; name one of them"
                    )
                of_cast[cast] = entry.estimate
                lost += entry.failures
        if judges and set(seats.values()) & set(npcs.items()):
            unscored = SAY("iep_unscored", n=lost) if lost else ""
            notes.append(SAY("iep", run=run, judge=judges[0], unscored=unscored))
        else:
            notes.append(SAY("no_iep", run=run))
    estimates = {name: of_cast.get(cast) for name, cast in seats.items()}
    return {name: estimate for name, estimate in estimates.items() if estimate is not None}
