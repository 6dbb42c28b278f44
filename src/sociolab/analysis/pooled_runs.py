"""Values of several runs in one pool: which runs may stand together, and who played in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sociolab.analysis.formatting import listed, title_of
from sociolab.analysis.values import RunValues, Value, chosen_judge, unscored_hint, values_of
from sociolab.core.episode import Json
from sociolab.core.errors import ConfigError, did_you_mean
from sociolab.core.metrics import UNDECLARED, Better, Declared
from sociolab.core.score import RULE_BASED, JudgeId, Measure, measure_called
from sociolab.report.result import each_once
from sociolab.report.words import plural
from sociolab.store.store import Store


@dataclass(frozen=True, slots=True)
class Pool:
    """What one judge gave the plays of some runs in one measure. `clusters` names what intervals
    cluster by; `notes` say what is odd about the runs beside each other; `untold` are plays that
    the judge cannot tell, and `hint` what to do about them; `instructions` says below tables from
    which instructions the values are."""

    world: str
    runs: tuple[str, ...]
    judge: str
    judge_id: JudgeId
    measure: Measure
    values: tuple[Value, ...]
    notes: tuple[str, ...] = ()
    untold: tuple[Value, ...] = ()
    hint: str = ""
    declared: Declared = UNDECLARED
    instructions: tuple[str, ...] = ()

    @property
    def clusters(self) -> str:
        """What a cluster is called in this world."""
        return self.declared.cluster

    @property
    def better(self) -> Better:
        """Which end of the measure is the better one."""
        return self.declared.metric(self.measure.name).better

    @property
    def title(self) -> str:
        """What the measure is called."""
        return title_of(self.measure)


def pooled(
    runs: Sequence[RunValues],
    judge: str | None,
    measure: str | None,
    settings: Mapping[str, Mapping[str, str]] | None = None,
) -> Pool:
    """The values of runs of one world; ConfigError where these, judge or measure do not agree.

    `settings`: by run and agent, a hash of its settings. An agent that played with other settings
    in another run is another agent, and is told apart by its run.
    """
    if len({run.world for run in runs}) > 1:
        told = ", ".join(f"{run.run} ({run.world})" for run in runs)
        raise ConfigError(f"expected runs of one world, found {told}")
    apart, odd = _told_apart(runs, settings or {})
    label = chosen_judge(apart, judge, () if measure is None else (measure,))
    chosen = chosen_measure(apart, label, measure)
    return Pool(
        apart[0].world,
        tuple(run.run for run in apart),
        label,
        apart[0].judges[label],
        chosen,
        _of((value for run in apart for value in run.values), label, chosen),
        (*odd, *_twice(apart)),
        _of((value for run in apart for value in run.untold), label, chosen),
        unscored_hint(apart, label, chosen.name),
        apart[0].declared,
    )


def _of(values: Iterable[Value], judge: str, measure: Measure) -> tuple[Value, ...]:
    return tuple(v for v in values if v.judge == judge and v.measure == measure.name)


def chosen_measure(runs: Sequence[RunValues], judge: str, wanted: str | None) -> Measure:
    """The measure that is wanted, or the main one of the world that the judge gave a value in.

    ConfigError where a run has none by this judge, or its scale differs between runs.
    """
    scored = [_scored(run, judge) for run in runs]
    shared = [name for name in scored[0] if all(name in one for one in scored)]
    if wanted is not None:
        wanted = measure_called(wanted, (runs[0].measures[name] for name in shared))
    if wanted is not None and wanted not in shared:
        known = ", ".join(shared) or "none"
        hint, near = unscored_hint(runs, judge, wanted), did_you_mean(wanted, shared)
        raise ConfigError(
            f'--metric: {judge} gave nothing in "{wanted}"{near} in all these runs; it gave: '
            f"{known}{hint}"
        )
    if not shared:
        hint = unscored_hint(runs, judge)
        raise ConfigError(f"{judge} gave no metric a value in all these runs{hint}")
    name = wanted or next((n for n in runs[0].declared.main if n in shared), "")
    if not name:
        main = " or ".join(runs[0].declared.main)
        raise ConfigError(
            f"{judge} gave nothing in {main} in all these runs; name a metric by --metric: "
            f"{', '.join(shared)}"
        )
    if len({run.measures[name] for run in runs}) > 1:
        raise ConfigError(f"the scale of {name} is not the same in all these runs")
    return runs[0].measures[name]


def judge_caution(pool: Pool) -> tuple[str, ...]:
    """What to think of a judge that is neither a person nor a model; empty for those."""
    if pool.judge_id.method not in RULE_BASED:
        return ()
    return (
        f"The judge ({pool.judge}) goes by rules, which see a part of what people see; a model "
        "judge or people may find otherwise.",
    )


def _scored(run: RunValues, judge: str) -> tuple[str, ...]:
    """The measures in which a judge gave a value, in the run's order."""
    found = {v.measure for v in run.values if v.judge == judge and v.value is not None}
    return tuple(name for name in run.measures if name in found)


def _told_apart(
    runs: Sequence[RunValues], settings: Mapping[str, Mapping[str, str]]
) -> tuple[list[RunValues], tuple[str, ...]]:
    """The runs, with agents of several settings named for their runs, and a note on these."""
    kinds: dict[str, set[str]] = {}
    for agents in settings.values():
        for agent, hash_ in agents.items():
            kinds.setdefault(agent, set()).add(hash_)
    several = {agent for agent, hashes in kinds.items() if len(hashes) > 1}
    if not several:
        return list(runs), ()

    def named(agent: str | None, run: str) -> str | None:
        return f"{agent} ({run})" if agent in several else agent

    def renamed(values: Sequence[Value]) -> tuple[Value, ...]:
        return tuple(
            v._replace(agent=named(v.agent, v.run), partner=named(v.partner, v.run)) for v in values
        )

    apart = [replace(run, values=renamed(run.values), untold=renamed(run.untold)) for run in runs]
    told = f"{listed(sorted(several))} has different settings across these runs, so"
    return apart, (f"{told} each run's stands for itself, as agent and as partner.",)


def _twice(runs: Sequence[RunValues]) -> tuple[str, ...]:
    trials = Counter(trial for run in runs for trial in {value.trial for value in run.values})
    twice = sum(count > 1 for count in trials.values())
    if not twice:
        return ()
    return (
        f"{plural(twice, 'trial')} of the same task, cast, repeat and seed stand in several of "
        "these runs and count each time; if one run is a copy of another, leave it out.",
    )


def run_values(store: Store, runs: Sequence[str]) -> tuple[RunValues, ...]:
    """The values of each run; ConfigError for one named twice, or different data sets.

    Runs whose data are not known (imported ones) pass: their tasks carry their own ids.
    """
    names = each_once(runs)
    found = {name: data_of(store.run(name).settings) for name in names}
    known = {name: data for name, data in found.items() if data is not None}
    if len({data[2] for data in known.values()}) > 1:
        told = ", ".join(f"{run} {data[0]} {data[1]} ({data[2]})" for run, data in known.items())
        raise ConfigError(
            f"expected runs that played the same data, found {told}; tasks of one id may differ"
        )
    return tuple(values_of(store, name) for name in names)


def data_of(settings: Json) -> tuple[str, str, str] | None:
    """Name, version and hash of the data set that a run played; None where it is not known."""
    data = settings.get("data") if isinstance(settings, dict) else None
    if isinstance(data, list) and len(data) == 3:
        return str(data[0]), str(data[1]), str(data[2])
    return None


def agent_settings(store: Store, runs: Sequence[str]) -> dict[str, dict[str, str]]:
    """By run and agent, the hash of the settings that it played with, as far as known."""
    return {name: recorded_agents(store.run(name).settings) for name in dict.fromkeys(runs)}


def recorded_agents(settings: Json) -> dict[str, str]:
    """The hash of each agent's and the partner's settings by label; empty for imported runs."""
    if not isinstance(settings, dict):
        return {}
    agents = settings.get("agents")
    named = [*(agents if isinstance(agents, list) else []), settings.get("partner")]
    pairs = [one for one in named if isinstance(one, list) and len(one) == 2]
    return {str(label): str(hash_) for label, hash_ in reversed(pairs)}
