"""The intention gap of stored runs against imported play: what `sociolab gap` does and prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field, replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from pydantic import Field

from sociolab.analysis.formatting import NOTHING
from sociolab.core.episode import Ended, Trial
from sociolab.core.errors import ConfigError
from sociolab.core.seeding import digest
from sociolab.core.user_files import data_home, imported_folder, imported_names
from sociolab.plugin.context import Context, Findings
from sociolab.plugin.options import Flag, ModelAccess, Several
from sociolab.report.result import result_of
from sociolab.report.score_tables import judges_of
from sociolab.report.section import Section, TextTable
from sociolab.report.words import minus, plural
from sociolab.stats.intervals import Estimate
from sociolab.store.store import Store
from sociolab.worlds.anteval.gap import (
    FEWEST_GROUPS,
    DMScores,
    Gap,
    GapFigure,
    GapRow,
    GapSettings,
    GapTable,
    NoiseFloor,
    UnusableReplies,
    measure_gap,
)
from sociolab.worlds.anteval.importing.dnd import read_examples
from sociolab.worlds.anteval.intention import example_of
from sociolab.worlds.anteval.scene import party_moved
from sociolab.worlds.anteval.session import NPC
from sociolab.worlds.anteval.virtual_dm.example import AsyncVirtualDM, Example, LocalDM

if TYPE_CHECKING:
    from sociolab.models.finetuning import FineTuningClient


_INTENTION = "anteval-intention"
_SPLITS = 10


class GapConfig(ModelAccess):
    """What to compare with what, and by which virtual DM.

    `real` and `test` are imported data sets, files, or "sample"; without `test` a fifth of the
    real episodes is kept for it. `generated` and `information` are runs of the store. `splits`
    None: 10 for the linear DM, 0 for those whose training takes long or costs money.
    """

    real: Annotated[str, Flag("--real", "DATA", "Real episodes: an import, a file, or sample.")]
    generated: Annotated[
        Several,
        Flag("--generated", "RUN", "A run to compare. Repeatable, or separated by commas."),
    ] = Field(min_length=1)
    test: Annotated[
        str | None, Flag("--test", "DATA", "Real episodes to test on; default: a fifth.")
    ] = None
    information: Annotated[
        Several, Flag("--information", "RUN", "A run with IEP scores. Repeatable.")
    ] = ()
    dm: Annotated[
        str,
        Flag(
            "--dm",
            "SPEC",
            "linear, encoder[:DIR], lora:DIR, endpoint/model?examples=8, tuned:endpoint/model",
        ),
    ] = "linear"
    most: Annotated[int, Flag("--most", "N", "Maximum labels per row.")] = Field(default=1, ge=1)
    all_rows: Annotated[bool, Flag("--all-rows", "", "Also test on rows that name the skill.")] = (
        False
    )
    all_real: Annotated[
        bool, Flag("--all-real", "", "Train on all real episodes, whatever the run's size.")
    ] = False
    splits: Annotated[int | None, Flag("--splits", "N", "Pairs of real samples (noise floor).")] = (
        Field(default=None, ge=0)
    )
    seed: Annotated[int, Flag("--seed", "N", "Random seed of samples and intervals.")] = 0


async def gap(lab: Context, config: GapConfig) -> Findings:
    """Measure the gap; ConfigError where something is not there."""
    notes: list[str] = []
    real, test = real_play(config.real, config.test, notes)
    store = lab.store
    generated = _generated(store, config, notes)
    seats = {row.name: (row.agent, row.npc) for row in generated}
    information = information_of(store, config.information, seats, notes)
    factory = DMFactory(lab, config.seed)
    kind = factory.kind(config.dm)
    settings = GapSettings(
        most=config.most,
        strict=not config.all_rows,
        matched=not config.all_real,
        splits=_splits(config, notes),
        seed=config.seed,
    )
    about = {"dm": config.dm, "real": config.real, "test": config.test, "base_url": lab.base_url}
    with lab.kept(_INTENTION, ("gap", about)) if kind.keeps else nullcontext():
        try:
            table = await measure_gap(
                real,
                test,
                {row.name: row.examples for row in generated},
                kind.make,
                untrained=kind.untuned,
                information=information,
                settings=settings,
                tell=lambda step: lab.tell(f"{kind.name}: {step}"),
            )
        finally:
            await factory.close()
    notes.extend(_unusable(table.failures))
    play = "sample data" if SAMPLE in (config.real, config.test) else "real play"
    figures = {"schema": 1, "kind": "gap", "play": play, "table": asdict(table), "notes": notes}
    return Findings((gap_section(table, play, notes),), figures=figures)


def _unusable(failures: Sequence[UnusableReplies]) -> Iterator[str]:
    """What replies that were of no use do to the figures."""
    lost: Counter[str] = Counter()
    for one in failures:
        lost[one.what] += one.count
    for one in failures:
        means = "each counts as an empty prediction, so F is too low and G may be wrong"
        if lost[one.what] == one.of:
            means = "nothing was predicted, so there is no F and no G"
        yield (
            f"{one.what}: {one.count} of {one.of} replies of the virtual DM could not be used "
            f"({one.cause}); {means}"
        )


# ------------------------------------------------------------------ runs


@dataclass(frozen=True, slots=True)
class _Generated:
    """The play of one agent in one run: its name in the table, and its examples."""

    name: str
    agent: str
    npc: str
    examples: tuple[Example, ...]


def _generated(store: Store, config: GapConfig, notes: list[str]) -> tuple[_Generated, ...]:
    found: dict[tuple[str, str, str], list[Example]] = {}
    for run in dict.fromkeys(config.generated):
        row = store.run(run)
        if row.world != _INTENTION:
            raise ConfigError(
                f'--generated: expected a run of {_INTENTION}, found "{run}", a run of {row.world}'
            )
        left_out = row.trials - row.played
        failed_turns = 0
        for episode in store.episodes(run, "played"):
            if not party_moved(episode) or episode.ended is None or _broke_off(episode.ended):
                left_out += 1
                continue
            failed_turns += len(episode.failed_turns)
            found.setdefault((run, *cast_of(episode.trial)), []).append(example_of(episode))
        if left_out:
            notes.append(
                f"{run}: {left_out} of {row.trials} sessions are left out: not played to the end, "
                "or the players took no turn"
            )
        if failed_turns:
            notes.append(f"{run}: {plural(failed_turns, 'failed turn')} in the sessions compared")
    if not found:
        raise ConfigError(f"--generated: no session was played in {', '.join(config.generated)}")
    names = Counter(_name(agent, npc) for _, agent, npc in found)
    rows = tuple(
        _Generated(
            _name(agent, npc) if names[_name(agent, npc)] == 1 else f"{_name(agent, npc)} ({run})",
            agent,
            npc,
            tuple(examples),
        )
        for (run, agent, npc), examples in found.items()
    )
    if any(row.agent == "scripted" for row in rows):
        notes.append("scripted: rule-based players; not to be compared with a paper's figures")
    return rows


def _broke_off(ended: Ended) -> bool:
    """Whether a session stopped because a turn failed."""
    return ended.reason == "failed turn"


def _name(agent: str, npc: str) -> str:
    return agent if agent == npc else f"{agent} (NPC: {npc})"


def _splits(config: GapConfig, notes: list[str]) -> int:
    if config.splits is not None:
        return config.splits
    if config.dm == "linear":
        return _SPLITS
    notes.append(
        "no noise floor, so these gaps cannot be told from chance in the training samples; "
        "--splits N computes one (two more trainings per split)"
    )
    return 0


# ------------------------------------------------------------------ the IEP beside the gap

_INFORMATION = "anteval-information"


def cast_of(trial: Trial) -> tuple[str, str]:
    """Who played the party, and who the NPC."""
    party = (m.agent for m in trial.cast if m.seat != NPC)
    return " + ".join(dict.fromkeys(party)), trial.agent(NPC)


def information_of(
    store: Store,
    runs: Sequence[str],
    seats: Mapping[str, tuple[str, str]],
    notes: list[str],
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
            mine = entry.measure == "iep" and not entry.by and entry.agent is not None
            if mine and entry.judge == judges[0]:
                assert entry.agent is not None
                cast = (entry.agent, npcs.get(entry.agent, ""))
                if cast in of_cast:
                    raise ConfigError(
                        f"--information: {entry.agent} is in more than one run; name one of them"
                    )
                of_cast[cast] = Estimate(
                    entry.value, entry.n, entry.clusters, entry.low, entry.high, entry.interval
                )
                lost += entry.failures
        if judges and set(seats.values()) & set(npcs.items()):
            without = f"; {lost} answers have no score" if lost else ""
            notes.append(f"IEP of {run}: judged by {judges[0]}{without}")
        else:
            notes.append(
                f"no IEP from {run}: no agent in it is cast as in a generated run, or nothing was "
                f"judged"
            )
    found = {name: of_cast.get(cast) for name, cast in seats.items()}
    return {name: estimate for name, estimate in found.items() if estimate is not None}


# ------------------------------------------------------------------ real play, by name

SAMPLE = "sample"
"""The name of the sample data that comes with the package."""

_TEST_SHARE = 5
"""One in so many episodes of the real play is kept for the test, where no test set is named."""


def real_play(
    real_name: str, test_name: str | None, notes: list[str]
) -> tuple[tuple[Example, ...], tuple[Example, ...]]:
    """The real play to learn from and to test on; what to know of it is added to `notes`.

    Without a test set one in five of the real episodes is kept for it. ConfigError where one is not
    there, or there are too few episodes.
    """
    real = examples_called(real_name, "--real")
    if SAMPLE in (real_name, test_name):
        notes.append(
            "the real play is sample data written for this package, not human play: these figures "
            "do not show how human-like an agent plays"
        )
    if test_name is not None:
        return real, examples_called(test_name, "--test")
    groups = sorted({example.group for example in real}, key=lambda group: digest("test", group))
    if len(groups) < _TEST_SHARE:
        raise ConfigError(
            f"--real {real_name}: expected at least {_TEST_SHARE} episodes, to keep one in "
            f"{_TEST_SHARE} for the test, found {len(groups)}; name a --test set"
        )
    kept = set(groups[: len(groups) // _TEST_SHARE])
    notes.append(f"{len(kept)} of the {len(groups)} real episodes are held out for the test")
    train = tuple(example for example in real if example.group not in kept)
    return train, tuple(example for example in real if example.group in kept)


def examples_called(name: str, flag: str) -> tuple[Example, ...]:
    """The examples of an imported data set, a file, or the sample; ConfigError if none is there."""
    if name == SAMPLE:
        with as_file(files("sociolab.worlds.anteval") / "data" / "sample_play.jsonl") as path:
            return read_examples(path)
    if name in imported_names("dnd"):
        return read_examples(imported_folder("dnd", name))
    if Path(name).exists():
        return read_examples(Path(name))
    known = ", ".join((SAMPLE, *imported_names("dnd")))
    raise ConfigError(
        f'{flag}: there is no data set or file "{name}"; there is: {known}; import one with '
        "sociolab import crd3 or dnd"
    )


# ------------------------------------------------------------------ virtual DMs, by spec

KINDS = "linear, encoder, encoder:DIR, lora:DIR, endpoint/model?examples=8 or tuned:endpoint/model"


@dataclass(frozen=True, slots=True)
class DMKind:
    """One kind of virtual DM.

    `make` makes one that has learned nothing yet; `untuned` is the one of the paper's f0, None
    where nothing can be read without learning. `keeps` says that replies of a model are kept.
    """

    name: str
    make: Callable[[], AsyncVirtualDM]
    untuned: AsyncVirtualDM | None = None
    keeps: bool = False


@dataclass(frozen=True, slots=True)
class DMFactory:
    """What virtual DMs are made with."""

    lab: Context
    seed: int
    _clients: list[FineTuningClient] = field(default_factory=list)

    async def close(self) -> None:
        """Let go of all connections."""
        for client in self._clients:
            await client.close()

    def kind(self, text: str) -> DMKind:
        """The virtual DMs of a spec; ConfigError if it is none."""
        if text == "linear":
            from sociolab.worlds.anteval.virtual_dm.linear import LinearDM

            return DMKind(text, lambda: LocalDM(LinearDM()))
        if text == "encoder" or text.startswith("encoder:"):
            return _encoder(Path(text.removeprefix("encoder:")) if ":" in text else None)
        if text.startswith("lora:"):
            return _lora(Path(text.removeprefix("lora:")))
        if text.startswith("tuned:"):
            return self._tuned(text)
        return self._chat(text)

    def _chat(self, text: str) -> DMKind:
        from sociolab.worlds.anteval.virtual_dm.chat import ChatDM

        plain, shots = _number_after(text, "examples")
        spec = _spec(plain, text)
        if shots is None:
            raise ConfigError(
                f"--dm {text}: an untuned model learns nothing from play, so there is no gap; add "
                f"?examples=8 for few-shot examples (its zero-shot F, f0, is shown too), or use "
                f"tuned:"
            )
        model = self.lab.model(spec, "dm")
        return DMKind(
            f"{model.label}, {shots} examples",
            lambda: ChatDM(model, shots, seed=self.seed, run="shown"),
            ChatDM(model, run="f0"),
            keeps=True,
        )

    def _tuned(self, text: str) -> DMKind:
        from sociolab.models.finetuning import FineTuningClient, TuningOrder
        from sociolab.worlds.anteval.virtual_dm.chat import ChatDM
        from sociolab.worlds.anteval.virtual_dm.openai_tuning import OpenAITunedDM

        plain, epochs = _number_after(text.removeprefix("tuned:"), "epochs")
        spec = _spec(plain, text)
        endpoint, base = self.lab.endpoint(spec, "dm")
        client = FineTuningClient(endpoint, base)
        self._clients.append(client)
        order = TuningOrder(seed=self.seed, epochs=epochs)

        def tuned() -> AsyncVirtualDM:
            return OpenAITunedDM(
                client,
                lambda model: self.lab.model(spec.replace(base, model, 1), "dm"),
                data_home() / "tuning",
                order,
                tell=self.lab.tell,
                run="tuned",
            )

        name = f"tuned:{endpoint.name}/{base}"
        return DMKind(name, tuned, ChatDM(self.lab.model(spec, "dm"), run="f0"), keeps=True)


def _encoder(folder: Path | None) -> DMKind:
    from sociolab.worlds.anteval.virtual_dm.finetune import EncoderDM, require_finetune

    require_finetune("--dm encoder")
    return DMKind(EncoderDM(folder).name, lambda: LocalDM(EncoderDM(folder)))


def _lora(folder: Path) -> DMKind:
    from sociolab.worlds.anteval.virtual_dm.finetune import LoraDM, require_finetune

    require_finetune(f"--dm lora:{folder}")

    def adapted() -> AsyncVirtualDM:
        dm = LoraDM(folder)
        at_once = LocalDM(dm)
        at_once.failures = dm.failures
        return at_once

    return DMKind(LoraDM(folder).name, adapted)


def _spec(plain: str, text: str) -> str:
    """A model's spec; ConfigError if this is none."""
    if "/" in plain:
        return plain
    raise ConfigError(f'--dm: there is no virtual DM "{text}"; expected {KINDS}')


def _number_after(text: str, name: str) -> tuple[str, int | None]:
    """The spec without `name=NUMBER` after its question mark, and the number; None: not there."""
    plain, _, query = text.partition("?")
    kept, number = [], None
    for part in filter(None, query.split("&")):
        key, _, value = part.partition("=")
        if key != name:
            kept.append(part)
        elif not value.isdecimal() or int(value) < 1:
            raise ConfigError(
                f'--dm {text}: {name}: expected a whole number from 1, found "{value}"'
            )
        else:
            number = int(value)
    return plain + ("?" + "&".join(kept) if kept else ""), number


# ------------------------------------------------------------------ tables: a row for each agent

_Parts: TypeAlias = tuple[GapFigure, GapFigure, Gap, NoiseFloor | None, bool | None]
"""fr, fg, G, the noise floor, and whether G is above it."""


def gap_section(table: GapTable, play: str, notes: Sequence[str]) -> Section:
    """The tables, and what to know of them; `play` says what the virtual DMs were tested on."""
    tables = [_reading(table, play)]
    if any(row.information for row in table.rows):
        tables.append(_exchange(table))
    tables.append(_gaps(table, "Who makes a check: F_c and G_c in percent", _characters))
    last = _gaps(table, "Who makes which check: F_o and G_o in percent", _tuples)
    last = replace(last, notes=(*_explained(table), *notes))
    return Section(f"Intention gap: virtual DM {table.virtual_dm}", tables=(*tables, last))


def _reading(table: GapTable, play: str) -> TextTable:
    """How well virtual DM and baselines read the test rows (f0 and fr of the paper's Table 2)."""
    rows = []
    if table.f0 is not None:
        rows.append(("nothing (f0)" + _failed(table.f0), *_scores(table.f0)))
    label = f"{table.real_examples} examples of {play} (fr)"
    rows.append((label + _failed(table.fr), *_scores(table.fr)))
    for row in table.baselines:
        f_c, *others = _scores(row.scores)
        named = others if row.names_skills else [NOTHING, NOTHING]
        rows.append((f"baseline: {row.name}", f_c, *named))
    return TextTable(
        f"Virtual DM {table.virtual_dm} on {play}, {table.measured_on}",
        ("trained on", "F_c %", "F_o %", "F_s %"),
        tuple(rows),
    )


def _exchange(table: GapTable) -> TextTable:
    """IEP beside IEG, as in the paper's Table 1."""
    rows = tuple(
        (row.name, _percent(GapFigure(iep.value, iep.low, iep.high)), f"{iep.n}", f"{iep.clusters}")
        for row in table.rows
        if (iep := row.information) is not None
    )
    return TextTable("Information exchange", ("agent", "IEP %", "answers", "sessions"), rows)


def _gaps(table: GapTable, title: str, parts: Callable[[GapRow], _Parts]) -> TextTable:
    """A row for each agent (the paper's Tables 1 and 2)."""
    rows = []
    for row in table.rows:
        real, generated, gap, floor, above = parts(row)
        below = (
            NOTHING
            if floor is None or floor.q95 is None
            else f"{floor.q95:.1f}\nG {'above' if above else 'within'}"
        )
        figures = (
            _percent(real) + _failed(row.fr),
            _percent(generated) + _failed(row.fg),
            _plain(gap.printed),
            _plain(gap.signed),
        )
        rows.append((row.name, str(row.examples), *figures, below))
    columns = ("agent", "n", "fr", "fg", "G", "signed G", "noise floor")
    return TextTable(title, columns, tuple(rows))


def _characters(row: GapRow) -> _Parts:
    return row.fr.f_c, row.fg.f_c, row.g_c, row.floor_c, row.above_floor_c


def _tuples(row: GapRow) -> _Parts:
    return row.fr.f_o, row.fg.f_o, row.g_o, row.floor_o, row.above_floor_o


def _explained(table: GapTable) -> tuple[str, ...]:
    few = table.test_groups < FEWEST_GROUPS
    lines = [
        f"no intervals: {table.test_groups} groups of test rows are too few, expected at least "
        f"{FEWEST_GROUPS}"
        if few
        else "below each figure, its 95 % interval: bootstrap over the groups of test rows, paired "
        "for G; chance in the training samples shows in the noise floor, not here",
        "F1 over the characters who make a check (F_c), over characters with their skills (F_o), "
        "over skills alone (F_s)",
        "G = |fr - fg| / (fr + fg) x 100; signed G: positive where a virtual DM learns more from "
        "real play",
        f"each prediction: at most {table.most} label{'s' if table.most > 1 else ''} a row",
    ]
    if table.matched:
        lines.append(
            "fr, fg: F of virtual DMs trained on equally many (n) real and generated examples"
        )
    floors = [row.floor_o for row in table.rows if row.floor_o is not None and row.floor_o.values]
    if floors:
        sizes = ", ".join(dict.fromkeys(str(floor.size) for floor in floors))
        lines.append(
            f"noise floor: 95 % of the G between two disjoint real samples of {sizes} examples lie "
            f"below it ({len(floors[0].values)} splits); a G below it shows nothing, nor does one "
            "whose signed interval holds 0"
        )
    return tuple(lines)


def _scores(scores: DMScores) -> tuple[str, ...]:
    return tuple(_percent(figure) for figure in (scores.f_c, scores.f_o, scores.f_s))


def _failed(scores: DMScores) -> str:
    """A line of its own for the replies that were of no use."""
    return f"\n{scores.failed} failed" if scores.failed else ""


def _percent(figure: GapFigure) -> str:
    return _text(figure.value, figure.low, figure.high, 100)


def _plain(figure: GapFigure) -> str:
    return _text(figure.value, figure.low, figure.high, 1)


def _text(value: float | None, low: float | None, high: float | None, by: int) -> str:
    if value is None:
        return NOTHING
    shown = minus(f"{value * by:z.1f}")
    if low is None or high is None:
        return shown
    return minus(f"{shown}\n{low * by:z.0f} to {high * by:z.0f}")
