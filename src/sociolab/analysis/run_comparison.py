"""`sociolab compare`: picks two agents of stored runs, and checks that they can be compared."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from sociolab.analysis.agent_labels import agent_names
from sociolab.analysis.all_pairs import AgentPairs, compare_all, pairs_section
from sociolab.analysis.compare_sides import (
    NAME_BOTH,
    CompareRequest,
    OpenedRun,
    ReadRuns,
    build_sides,
    name_sides,
    open_runs,
    pool_prompts,
    read_runs,
    select_metrics,
    turns_by_run,
)
from sociolab.analysis.comparison import ComparedAgents, compare_agents, seat_comparisons
from sociolab.analysis.comparison_notes import comparison_verdict, failed_turns_notes
from sociolab.analysis.comparison_tables import (
    comparison_document,
    comparison_findings,
    comparison_overview,
    comparison_section,
    metric_row,
    overview_table,
    seat_section,
)
from sociolab.analysis.consistency import (
    Passing,
    consistency_section,
    consistency_verdict,
    passing,
    passing_document,
    passing_matched,
    thresholds,
)
from sociolab.analysis.matching import ComparedSide
from sociolab.analysis.values import check_tasks, settings_apart
from sociolab.core.errors import ConfigError, StoreError
from sociolab.core.instructions import INSTRUCTIONS, parse_instructions
from sociolab.core.score import Measure
from sociolab.report.catalogue import Catalogue
from sociolab.report.difference_charts import forest
from sociolab.report.exam import ExamNotes, exam_notes, judge_notes
from sociolab.report.finding import Count, Sentence
from sociolab.report.formatting import rounded
from sociolab.report.result import notes_on
from sociolab.report.run_facts import evaluated, not_played
from sociolab.report.schema import RunNote, RunResult
from sociolab.report.score_tables import judges_of, leading_means, overview_measures
from sociolab.report.section import Section, Spec, noted
from sociolab.report.served import judge_served_apart
from sociolab.report.verdict import caveat
from sociolab.report.words import (
    by_rules,
    instructions_notes,
    nature,
    notes_of_runs,
    sanitize,
    scripted_play,
    stand_in_words,
)
from sociolab.store.store import Store

SCHEMA = 1
SAY = Catalogue("compare_runs")


def compare(
    store: Store,
    runs: str | Sequence[str],
    *,
    agent: str | None = None,
    other: str | None = None,
    judge: str | None = None,
    measures: Sequence[str] = (),
) -> ComparedRuns:
    """Compare two runs, or two agents of one run (`agent` and `other`), over the plays they share.

    The dict, which a notebook shows as a table, is what `sociolab compare --json` prints, without
    single pairs (docs/compare.md):
    `["comparison"]["measures"]` has, by metric, the means of both sides, the difference a - b with
    its 95 % interval clustered by scenario, and p corrected over the metrics (`holm_p`). Figures
    that cannot be computed are None. `measures` limits the metrics. ConfigError where the runs
    cannot be compared, or an agent or a judge must be named.

    >>> from sociolab import RunConfig, compare, open_store, run
    >>> for name, turns in (("long", "20"), ("short", "4")):
    ...     result = run(RunConfig(tasks="bargain", limit=2, settings={"turns": turns}, name=name,
    ...                            store=f"{folder}/lab.db"))
    >>> with open_store(f"{folder}/lab.db") as store:
    ...     found = compare(store, ["long", "short"], judge="outcome")
    >>> goal = found["comparison"]["measures"]["goal_checked"]
    >>> goal["pairs"], goal["clusters"], goal["mean_a"] > goal["mean_b"]
    (4, 2, True)
    """
    names = (runs,) if isinstance(runs, str) else tuple(runs)
    request = CompareRequest(names, agent, other, judge, tuple(measures))
    return ComparedRuns(compare_runs(store, request))


class ComparedRuns(dict[str, Any]):
    """A comparison as `sociolab compare --json` prints it, which a notebook shows as a table."""

    def __init__(self, conclusions: Conclusions) -> None:
        super().__init__(conclusions.document())
        self.sections = conclusions.overview

    def _repr_html_(self) -> str:
        from sociolab.report.html import sections_fragment

        return sections_fragment(self.sections)


@dataclass(frozen=True, slots=True)
class Conclusions:
    """What was found: a comparison (None for agents that are only looked at), and pass^k.

    `outlines` are the runs' results without scores, which a comparison has no use for; `seats`
    holds the comparisons seat by seat, where they were wanted; `led_by` says whose scores these
    are, and whose else there are, where nobody named a judge.
    """

    outlines: tuple[RunResult, ...]
    comparison: ComparedAgents | None
    passing: tuple[Passing, ...]
    sections: tuple[Section, ...]
    seats: Mapping[str, ComparedAgents] = field(default_factory=dict)
    led_by: str = ""
    every: AgentPairs | None = None
    notes: tuple[RunNote, ...] = ()

    @property
    def verdict(self) -> str:
        """The result in one sentence."""
        return self.sections[0].verdict

    @property
    def noted(self) -> tuple[Section, ...]:
        """The notes on the comparison, if there are any."""
        return (
            (Section("Notes", tuple(sanitize(str(note)) for note in self.notes)),)
            if self.notes
            else ()
        )

    @property
    def overview(self) -> tuple[Section, ...]:
        """What the terminal shows first: of two agents the findings and the differences, and by
        seat where that was wanted; of agents alone all there is."""
        if self.comparison is None:
            return (*self.sections, *self.noted)
        first, *seats, _ = self.sections
        return (comparison_overview(first), *seats, *self.noted)

    @property
    def paper(self) -> tuple[Section, ...]:
        """What goes into a paper: tables whose columns are named by the agents, and sentences."""
        if self.comparison is None:
            return self.sections
        a, b = self.comparison.a.name, self.comparison.b.name
        heads = {"A": a, "B": b, "A \N{MINUS SIGN} B": "difference"}
        note = SAY("paper", a=a, b=b)
        return tuple(
            replace(
                section,
                tables=tuple(
                    replace(
                        table,
                        columns=tuple(heads.get(head, head) for head in table.columns),
                        heading=table.heading.replace("Differences", f"{a} vs. {b}", 1),
                        notes=(note, *table.notes),
                    )
                    for table in section.tables
                    if "A" in table.columns
                ),
            )
            for section in self.sections
        )

    def two(self, flag: str) -> ComparedAgents:
        """The comparison; ConfigError where there is none and `flag` needs one."""
        if self.comparison is None:
            raise ConfigError(f"{flag} is for two agents; {NAME_BOTH}")
        return self.comparison

    def forest(self) -> Spec:
        """The differences as a figure for a paper; ConfigError where no two agents are compared."""
        comparison = self.two("--figure")
        return forest(
            comparison_findings(comparison),
            comparison.declared,
            comparison.a.name,
            comparison.b.name,
        )

    def rows(self) -> list[dict[str, Any]]:
        """The comparison as rows of a CSV file: a metric each, of all plays and of single seats."""
        if self.every is not None:
            return [
                {**row, "a": row["a"]["agent"], "b": row["b"]["agent"]}
                for row in self.every.document()
            ]
        comparisons = {"": self.two("--csv"), **self.seats}
        return [
            {
                "agent_a": comparison.a.name,
                "agent_b": comparison.b.name,
                "judge": comparison.judge,
                "seat": seat,
                "metric": name,
                "better": comparison.declared.metric(name).better or "neither",
                **metric_row(metric),
            }
            for seat, comparison in comparisons.items()
            for name, metric in comparison.metrics.items()
        ]

    def document(self) -> dict[str, Any]:
        """All of it as one JSON object: see docs/compare.md."""
        sentences = [sentence for section in self.sections for sentence in section.sentences]
        cautions = [sentence for section in self.sections for sentence in section.all_cautions]
        seats = {seat: comparison_document(row) for seat, row in self.seats.items()}
        return {
            "schema": SCHEMA,
            "runs": [result.run for result in self.outlines],
            "world": self.outlines[0].world,
            "verdict": str(self.verdict),
            **({"all_pairs": rounded(self.every.document())} if self.every else {}),
            "comparison": self.comparison and rounded(comparison_document(self.comparison)),
            "consistency": rounded([passing_document(row) for row in self.passing]),
            "said": sentences,
            "cautions": cautions,
            **({"seats": rounded(seats)} if seats else {}),
            **({"notes": [note.model_dump() for note in self.notes]} if self.notes else {}),
        }


def compare_runs(store: Store, request: CompareRequest) -> Conclusions:
    """Compare two agents, or look at the consistency of one run's, with the notes on the comparison
    of two runs; ConfigError where it cannot be done: the world, tasks or judge differ, or an agent
    must be named."""
    notes = notes_on(store, *request.runs) if len(request.runs) == 2 else ()
    return replace(_conclude(store, request), notes=notes)


def _conclude(store: Store, request: CompareRequest) -> Conclusions:
    if request.prompts and len(request.runs) == 1:
        return _prompts_of_judge(store, request)
    runs, judge, led_by = open_runs(store, request)
    turns = turns_by_run(store, request.runs)
    opened = runs
    if request.over_prompts:
        if request.match not in (None, "exact"):
            raise ConfigError("--over prompts compares pairs of episodes; leave --match out")
        request = replace(request, match="exact")
        runs = (pool_prompts(runs),)
        turns = {runs[0].result.run: {key: n for run in turns.values() for key, n in run.items()}}
    sides = build_sides(runs, request, turns)
    measures = select_metrics(runs, request.measures)
    if len(sides) > 2:
        return replace(_all_pairs(store, request, runs, judge, sides, measures), led_by=led_by)
    fixed = held_fixed(runs, sides, (judge,)) if request.prompts else ""
    if len(sides) != 2 or (len(runs) == 1 and request.agent and not request.other):
        return replace(_alone(request, runs[0], judge, sides, measures), led_by=led_by)
    a, b = name_sides(sides, request.rename)
    check_tasks({run.result.run: run.trials for run in runs})
    try:
        comparison = _compared(runs[0], judge, (a, b), measures, request)
    except ConfigError as error:
        if len(runs) == 2 or request.other:
            raise
        why = SAY("alone", why=str(error))
        return replace(_alone(request, runs[0], judge, sides, measures, why), led_by=led_by)
    kinds = (fixed, judged_by(runs, judge), *_rules_players(runs, (a, b)), *same_agent(runs, a, b))
    concluded = _concluded(store, request, opened, (judge,), comparison, kinds)
    return replace(concluded, led_by=led_by)


def _concluded(
    store: Store,
    request: CompareRequest,
    runs: Sequence[OpenedRun],
    judges: Sequence[str],
    comparison: ComparedAgents,
    kinds: Sequence[str],
) -> Conclusions:
    """Conclusions on two agents: differences, by seat if requested, and pass^k. `kinds`: what is
    compared here, in sentences."""
    declared, measures = comparison.declared, comparison.measures
    comparison = replace(comparison, exams=_exams(runs, judges))
    cautions = (
        *agent_names(store, request.runs).notes,
        *run_cautions(runs),
        *_judge_apart(runs, judges[0]),
        *side_cautions(runs, comparison),
    )
    seats = seat_comparisons(comparison) if request.seats else {}
    limits = thresholds(measures, request.threshold, declared, named=bool(request.measures))
    if comparison.match == "exact":
        passed = passing_matched(comparison, limits, request.ks)
    else:
        passed = passing(comparison.matched_sides(), limits, request.ks, declared)
    sections = (
        comparison_section(
            comparison,
            " ".join(filter(None, kinds)),
            cautions,
            _caveat(runs, (comparison.a, comparison.b), judges[0]),
        ),
        *((seat_section(seats),) if seats else ()),
        consistency_section(passed, measures, declared),
    )
    return Conclusions(
        tuple(run.result for run in runs),
        comparison,
        tuple(passed),
        _with_notes(runs, judges, *sections),
        seats,
    )


def _alone(
    request: CompareRequest,
    run: OpenedRun,
    judge: str,
    sides: Sequence[ComparedSide],
    measures: Mapping[str, Measure],
    why: str = "",
) -> Conclusions:
    """pass^k of agents that are not compared; `why` says why not."""
    if request.seats:
        raise ConfigError(f"{NAME_BOTH}; --by-seat compares two agents seat by seat")
    declared = run.values.declared
    limits = thresholds(measures, request.threshold, declared, named=bool(request.measures))
    passed = passing(sides, limits, request.ks, declared)
    _check_repeated(run, passed, why)
    section = consistency_section(passed, measures, declared)
    judged = SAY("in_run", run=run.result.run, judged=judged_by([run], judge))
    failed = tuple(failed_turns_notes({side.name: side.turn_counts for side in sides}))
    section = replace(
        section,
        verdict=consistency_verdict(passed, measures, judge, _caveat([run], sides, judge)),
        sentences=(judged, *section.sentences, *filter(None, [why])),
        cautions=(*section.cautions, *failed),
    )
    sections = _with_notes([run], (judge,), section)
    return Conclusions((run.result,), None, tuple(passed), sections)


def with_looks(store: Store, conclusions: Conclusions) -> Conclusions:
    """The conclusions of a comparison whose looks are planned, with a caution where the same two
    agents were compared with more numbers of pairs than that: each look is another chance of a
    false alarm. The look is kept in the store, unless that cannot be written."""
    comparison = conclusions.comparison
    if comparison is None:
        return conclusions
    (run, agent), (other, against) = sorted(
        (side.run, side.agent) for side in (comparison.a, comparison.b)
    )
    about = json.dumps([agent, against, comparison.judge, comparison.match])
    pairs = max(metric.test.pairs for metric in comparison.metrics.values())
    try:
        sizes = store.record_look((run, other), about, pairs)
    except StoreError:
        return conclusions
    if len(sizes) <= comparison.looks:
        return conclusions
    first, *rest = conclusions.sections
    planned = Count("look", comparison.looks)
    caution = SAY("looks", looks=len(sizes), sizes=sizes, planned=planned)
    first = replace(first, cautions=(*first.cautions, caution))
    return replace(conclusions, sections=(first, *rest))


def _check_repeated(run: OpenedRun, passed: Sequence[Passing], why_not: str) -> None:
    """ConfigError where there is no second agent and no pass^k either; `why_not` says why the two
    agents of the run are not compared."""
    if any(row.most > 1 for row in passed):
        return
    name, world, (agent, *other_agents) = run.result.run, run.result.world, run.agents
    repeats = (
        "no task was played twice (--repeats 4)"
        if passed
        else "no metric has a threshold of success (set --threshold, for a run with --repeats)"
    )
    if why_not:
        what = why_not.removesuffix(".")
        do = f"name a second run, sociolab compare {name} RUN"
    elif other_agents:
        what = f"{name}: expected two agents to compare, found one"
        do = f"name the second by --with, one of {', '.join(run.agents)}"
    else:
        what = f"{name}: expected two agents to compare, found {agent} alone"
        do = (
            f"play another on the same tasks, sociolab run {world} --agent B --name OTHER, then "
            f"sociolab compare {name} OTHER; sociolab report {name} shows this one"
        )
    raise ConfigError(f"{what}, and no pass^k, since {repeats}; {do}")


def _prompts_of_judge(store: Store, request: CompareRequest) -> Conclusions:
    """One judge under two sets of instructions, as two sides."""
    runs, judges, (a, b) = _judged_twice(read_runs(store, request), request.judge)
    (run,) = runs
    measures, judge = select_metrics(runs, request.measures), run.values.judges[judges[0]]
    judged_as = judge.name, judge
    declared = run.values.declared
    comparison = compare_agents(run.result.world, a, b, judged_as, measures, declared, "exact")
    kinds = (judged_by(runs, judges[0]), held_fixed(runs, (a, b), judges))
    return _concluded(store, request, runs, judges, comparison, kinds)


def _judged_twice(
    read: ReadRuns, judge_name: str | None
) -> tuple[tuple[OpenedRun, ...], tuple[str, ...], tuple[ComparedSide, ...]]:
    """One judge model's scores of the same episodes under two sets of instructions, as two sides
    whose plays are paired by episode and seat; ConfigError where it has not judged under two."""
    (values,), (result,), (trials,) = read.values, read.outlines, read.trials
    by_model: dict[str, dict[str, str]] = {}
    for label, judge in values.judges.items():
        if judge.prompts and judge.method == "model" and judge_name in (None, judge.label, label):
            by_model.setdefault(judge.label, {})[label] = f"set {judge.prompts}"
    twice = {name: sets for name, sets in by_model.items() if len(sets) > 1}
    if len(twice) != 1 or len(next(iter(twice.values()))) != 2:
        models = "; ".join(
            f"{name}: {' and '.join(sets.values())}" for name, sets in by_model.items()
        )
        raise ConfigError(
            "--by prompts: expected one judge model that judged this run under two sets of prompts "
            f"(--judge names it), found {models or 'none'}; sociolab judge {result.run} --judge "
            "MODEL --set prompts=NAME judges it under another"
        )
    (sets,) = twice.values()
    judged = tuple(value for value in values.values if value.judge in sets)
    casts = {trial.id: trial.cast for trial in trials}

    def side(label: str, name: str) -> ComparedSide:
        side_values, unscored = (
            tuple(v._replace(task=v.trial, agent="") for v in some if v.judge == label)
            for some in (values.values, values.unscored)
        )
        return ComparedSide(name, result.run, "", side_values, casts, unscored=unscored)

    run = OpenedRun(result, replace(values, values=judged), trials)
    return (run,), tuple(sets), tuple(side(label, name) for label, name in sets.items())


def held_fixed(
    runs: Sequence[OpenedRun], sides: Sequence[ComparedSide], judges: Sequence[str]
) -> str:
    """What is the same on both sides of a comparison of instructions, in a sentence; ConfigError
    where two runs were played under the same set, or by different agents."""
    if len(runs) == 1:
        name = runs[0].values.judges[judges[0]].name
        return SAY("prompts_of_judge", run=runs[0].result.run, judge=name)
    a, b = (parse_instructions(run.result.recorded.get(INSTRUCTIONS)) for run in runs)
    if a is None or b is None or a.hash == b.hash:
        raise ConfigError(
            "--by prompts: expected two runs that were played under two sets of prompts, found "
            f"{a or 'none'} and {b or 'none'}"
        )
    # Agents of one name that differ otherwise (here by a set's temperature) end in @ and a hash.
    agents = {side.agent.rsplit("@", 1)[0] for side in sides}
    if len(agents) != 1:
        raise ConfigError(
            "--by prompts: expected one agent in both runs, found "
            f"{' and '.join(side.agent for side in sides)}; name it by --agent"
        )
    (agent,) = agents
    return SAY("prompts_of_players", a=str(a), b=str(b), agent=agent, judge=judges[0])


def _all_pairs(
    store: Store,
    request: CompareRequest,
    runs: Sequence[OpenedRun],
    judge: str,
    sides: Sequence[ComparedSide],
    measures: Mapping[str, Measure],
) -> Conclusions:
    """Each two of several agents in the world's main metric, or in those that are named: with
    more, one correction for all would leave little to be shown."""
    if request.seats or request.prompts:
        raise ConfigError(f"{NAME_BOTH}; --by-seat and --by prompts are for two agents")
    first, *rest = runs
    for other in rest:
        check_tasks({run.result.run: run.trials for run in (first, other)})
    declared = first.values.declared
    main = next((name for name in declared.main if name in measures), next(iter(measures)))
    chosen = measures if request.measures else {main: measures[main]}
    named = name_sides(sides, request.rename)
    judged = judge, first.values.judges[judge]
    world = first.result.world
    every = compare_all(world, named, judged, chosen, declared, request.match, request.looks)
    notes = agent_names(store, request.runs).notes
    cautions = dict.fromkeys((*notes, *run_cautions(runs), *_judge_apart(runs, judge)))
    by_run = {run.result.run: run for run in runs}
    for comparison in every.compared:
        of = tuple(by_run[name] for name in dict.fromkeys((comparison.a.run, comparison.b.run)))
        cautions |= dict.fromkeys(
            label_cautions(side_cautions(of, comparison), comparison.a.name, comparison.b.name)
        )
    limits = thresholds(chosen, request.threshold, declared, named=bool(request.measures))
    passed = passing(named, limits, request.ks, declared) if len(runs) == 1 else []
    kinds = " ".join((judged_by(runs, judge), *_rules_players(runs, named)))
    lost = tuple(failed_turns_notes({side.name: side.turn_counts for side in named}))
    sections = _with_notes(
        runs,
        (judge,),
        pairs_section(every, kinds, (*cautions, *lost), _caveat(runs, named, judge)),
        *([consistency_section(passed, chosen, declared)] if passed else []),
    )
    outlines = tuple(run.result for run in runs)
    return Conclusions(outlines, None, tuple(passed), sections, every=every)


def two_agents(
    store: Store, result: RunResult, rename: Mapping[str, str] | None = None
) -> Section | None:
    """A run's two agents side by side in the main metrics of each judge, the main judge first, with
    the verdict on them in the metric that leads; None where it has not two, or they cannot be
    compared. `rename`: what the result calls them."""
    agents = evaluated(result)
    if len(agents) != 2:
        return None
    request = CompareRequest((result.run,), *agents, rename=rename or {})
    notes = dict[str, None]()
    every: list[ComparedAgents] = []
    with suppress(ConfigError):
        by_judge = {
            judge: overview_measures(
                result,
                [e for e in result.scores if e.judge == judge and e.agent in agents and not e.by],
            )
            for judge in judges_of(result)
        }
        only = {metric.measure for metrics in by_judge.values() for metric in metrics}
        read, turns = read_runs(store, request, only), turns_by_run(store, request.runs)
        for judge, metrics in by_judge.items():
            for metric in metrics:
                with suppress(ConfigError):
                    runs = read.judged_by(judge)
                    sides = build_sides(runs, request, turns)
                    measures = select_metrics(runs, (metric.measure,))
                    comparison = _compared(
                        runs[0], judge, name_sides(sides, request.rename), measures, request
                    )
                    every.append(comparison)
                    notes |= dict.fromkeys(judge_notes(result, (judge,)))
    if not every:
        return None
    table = overview_table(every, *agents, notes=notes)
    led = leading_means(result)
    leads = [(e.judge, e.measure) for e in led[:1]]
    first = [c for c in every if (c.judge, *c.metrics) in leads]
    led_by = [*first, *every]
    label = caveat([result], agents, led_by[0].judge)
    verdict = comparison_verdict(led_by, label)
    return Section(table.heading, tables=(table,), verdict=verdict)


def _compared(
    run: OpenedRun,
    judge: str,
    sides: Sequence[ComparedSide],
    measures: Mapping[str, Measure],
    request: CompareRequest,
) -> ComparedAgents:
    """The two sides by the judge's figures; `run` holds the judge, and the world's metrics."""
    a, b = sides
    judged_as = judge, run.values.judges[judge]
    declared = run.values.declared
    return compare_agents(
        run.result.world, a, b, judged_as, measures, declared, request.match, request.looks
    )


def _caveat(runs: Sequence[OpenedRun], sides: Sequence[ComparedSide], judge: str) -> str:
    return caveat([run.result for run in runs], [side.agent for side in sides], judge)


def judged_by(runs: Sequence[OpenedRun], judge: str) -> str:
    """Sentences on the judge's method, one for each that its runs declare."""
    texts = dict.fromkeys(nature(run.result, judge) for run in runs)
    return " ".join(f"{text[0].upper()}{text[1:]}." for text in texts)


def _rules_players(runs: Sequence[OpenedRun], sides: Sequence[ComparedSide]) -> Iterator[Sentence]:
    rules = sorted({side.agent for side in sides if by_rules(runs[0].result, side.agent)})
    if rules:
        yield SAY("scripted", agents=rules, what=scripted_play(runs[0].result))


def side_cautions(runs: Sequence[OpenedRun], comparison: ComparedAgents) -> Iterator[Sentence]:
    """Cautions for what differs between the sides besides the agents."""
    if comparison.by == "role" or not comparison.partners:
        a, b = comparison.a, comparison.b
        if a.partners == (a.agent,) and b.partners == (b.agent,):
            yield SAY("self_play")
        else:
            yield SAY("other_partners", a=a.partners, b=b.partners)
    if comparison.match == "none":
        yield SAY("other_clusters", clusters=comparison.clusters)
    if len(runs) == 2:
        yield from _note_settings(runs[0], runs[1], comparison)


def label_cautions(cautions: Iterable[Sentence], a: str, b: str) -> Iterator[Sentence]:
    """Cautions that say who A and B are, where several comparisons stand together."""
    return (SAY("of_sides", a=a, b=b, caution=caution) for caution in cautions)


def run_cautions(runs: Sequence[OpenedRun]) -> Iterator[Sentence]:
    """Whom no language model played, what differs between the runs, and what is not there yet."""
    for words in stand_in_words(*(run.result.settings for run in runs)):
        yield SAY("stand_in", words=words)
    for settings in _conditions(runs):
        yield SAY("runs_differ", settings=settings)
    for result in (run.result for run in runs):
        yield from not_played(result)


def _judge_apart(runs: Sequence[OpenedRun], judge: str) -> Iterator[str]:
    """Notes on runs in which the judge's model was served differently."""
    model = runs[0].values.judges[judge].name
    return judge_served_apart({run.result.run: run.result.served for run in runs}, model)


def same_agent(runs: Sequence[OpenedRun], a: ComparedSide, b: ComparedSide) -> Iterator[Sentence]:
    """That both sides are one agent, played twice: what a difference is then."""
    first, last = runs[0].values.agents, runs[-1].values.agents
    if a.agent != b.agent or first[a.agent] != last[b.agent]:
        return
    seeds = [str(run.result.seed) for run in runs]
    if _conditions(runs):
        yield SAY("same_agent_otherwise", seeds=seeds)
    else:
        yield SAY("same_agent", seeds=seeds)


def _note_settings(a: OpenedRun, b: OpenedRun, comparison: ComparedAgents) -> Iterator[Sentence]:
    agents_a, agents_b = a.values.agents, b.values.agents
    labels = {
        *comparison.a.partners,
        *comparison.b.partners,
        comparison.a.agent,
        comparison.b.agent,
    }
    for label in sorted(labels & agents_a.keys() & agents_b.keys()):
        if agents_a[label] != agents_b[label]:
            yield SAY("other_settings", agent=label)


def _conditions(runs: Sequence[OpenedRun]) -> tuple[str, ...]:
    return settings_apart({run.result.run: run.result.settings for run in runs})


def _with_notes(
    runs: Sequence[OpenedRun], judges: Sequence[str], *sections: Section
) -> tuple[Section, ...]:
    """The sections with what stands below all tables of these judges, and who failed an exam first
    of all."""
    instructions = {run.result.run: instructions_notes(run.result, judges) for run in runs}
    exams = _exams(runs, judges)
    below = (*notes_of_runs(instructions), *exams.below)
    first, *rest = (noted(section, below) for section in sections)
    return replace(first, warnings=exams.failed), *rest


def _exams(runs: Sequence[OpenedRun], judges: Sequence[str]) -> ExamNotes:
    return exam_notes({run.values.run: run.values.exams for run in runs}, judges)
