"""Names of agents and judges: their labels, the user's names for them (`--rename`), and marks such
as "python:ver:V@3f2a" where several versions of code, or of model options, share a label."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sociolab.analysis.values import RunValues, Value
from sociolab.core.code_fingerprint import OPTIONS, UNKNOWN, short_code
from sociolab.core.episode import Json, Trial
from sociolab.core.errors import ConfigError
from sociolab.core.score import JudgeId
from sociolab.report.plays import PlayRow, labels_of
from sociolab.report.result import ResultDetails
from sociolab.report.schema import RunResult, ScoreEntry
from sociolab.report.transcript_views import TranscriptView
from sociolab.store.store import Store


@dataclass(frozen=True, slots=True)
class AgentNames:
    """Names of agents and judges that are not called by their labels.

    `renamed` has, by run and label, the name of an agent whose label stands for several codes or
    settings, or that the user renamed. `notes` say which labels are ambiguous, a sentence each.
    `judges` has the names of judges by label.
    """

    renamed: Mapping[str, Mapping[str, str]]
    notes: tuple[str, ...] = ()
    judges: Mapping[str, str] = field(default_factory=dict)

    def name(self, run: str, label: str) -> str:
        return self.renamed.get(run, {}).get(label, label)

    def judge(self, label: str) -> str:
        return self.judges.get(label, label)

    def _keeps_labels(self, run: str) -> bool:
        """Whether all agents and judges of a run keep their labels."""
        return not self.renamed.get(run) and not self.judges

    def values(self, run: RunValues) -> RunValues:
        """The values of a run under these names."""

        def named(values: Sequence[Value]) -> tuple[Value, ...]:
            return tuple(
                value._replace(
                    agent=value.agent and self.name(value.run, value.agent),
                    partner=value.partner and self.name(value.run, value.partner),
                    judge=self.judge(value.judge),
                )
                for value in values
            )

        if self._keeps_labels(run.run):
            return run
        judges = {self.judge(label): judge for label, judge in run.judges.items()}
        return replace(
            run,
            values=named(run.values),
            unscored=named(run.unscored),
            judges=judges,
            exams=tuple(replace(exam, judge=self.judge(exam.judge)) for exam in run.exams),
            agents={self.name(run.run, label): agent for label, agent in run.agents.items()},
        )

    def result(self, result: RunResult) -> RunResult:
        """The result of a run under these names."""
        run = result.run
        if self._keeps_labels(run):
            return result
        partner = result.partner and self.name(run, result.partner)
        kinds = {self.name(run, agent): kind for agent, kind in result.declared.agents.items()}
        who = tuple(
            replace(identity, label=self.name(run, identity.label))
            for identity in result.identities
        )
        lost = tuple(
            failure.model_copy(update={"agent": self.name(run, failure.agent)})
            for failure in result.failures.agents
        )
        first = tuple(
            failure.model_copy(update={"judge": failure.judge and self.judge(failure.judge)})
            for failure in result.failures.first
        )
        return result.model_copy(
            update={
                "agents": tuple(self.name(run, agent) for agent in result.agents),
                "partner": partner,
                "scores": tuple(self._entry(run, entry) for entry in result.scores),
                "readings": tuple(
                    reading.model_copy(
                        update={
                            "agent": self.name(run, reading.agent),
                            "judge": self.judge(reading.judge),
                            "reader": self.judge(reading.reader),
                        }
                    )
                    for reading in result.readings
                ),
                "judges": tuple(
                    judge.model_copy(update={"judge": self.judge(judge.judge)})
                    for judge in result.judges
                ),
                "other_judges": tuple(map(self.judge, result.other_judges)),
                "failures": result.failures.model_copy(update={"agents": lost, "first": first}),
                "declared": replace(result.declared, agents=kinds),
                "identities": who,
                "renamed": {**self.judges, **self.renamed.get(run, {})},
            }
        )

    def details(self, details: ResultDetails) -> ResultDetails:
        """The result of a run, and what it is made of, under these names."""
        run = details.result.run

        def named(play: PlayRow) -> PlayRow:
            agent = play.agent and self.name(run, play.agent)
            return replace(play, agent=agent, partner=play.partner and self.name(run, play.partner))

        if self._keeps_labels(run):
            return details
        entries = tuple(
            replace(
                entry,
                plays=tuple(named(play) for play in entry.plays),
                column=replace(entry.column, label=self.judge(entry.column.label)),
            )
            for entry in details.columns
        )
        return ResultDetails(self.result(details.result), entries)

    def view(self, run: str, view: TranscriptView) -> TranscriptView:
        """A transcript under these names."""
        if self._keeps_labels(run):
            return view
        seats = tuple(replace(seat, agent=self.name(run, seat.agent)) for seat in view.seats)
        sheets = tuple(replace(sheet, label=self.judge(sheet.label)) for sheet in view.sheets)
        return replace(view, seats=seats, sheets=sheets)

    def _entry(self, run: str, entry: ScoreEntry) -> ScoreEntry:
        by = {
            key: self.name(run, value) if key == "partner" else value
            for key, value in entry.by.items()
        }
        agent = entry.agent and self.name(run, entry.agent)
        judge = self.judge(entry.judge)
        return entry.model_copy(update={"agent": agent, "by": by, "judge": judge})

    def trials(self, run: str, trials: Sequence[Trial]) -> tuple[Trial, ...]:
        """The trials of a run with a cast of these names."""
        if not self.renamed.get(run):
            return tuple(trials)
        return tuple(
            replace(
                trial,
                cast=tuple(
                    replace(m, identity=replace(m.identity, label=self.name(run, m.agent)))
                    for m in trial.cast
                ),
            )
            for trial in trials
        )


AS_LABELLED = AgentNames({})
"""All keep their labels."""


def agent_names(
    store: Store,
    runs: Sequence[str],
    rename: Mapping[str, str] | None = None,
    only: Collection[str] | None = None,
) -> AgentNames:
    """The names of the agents of these runs (`only` of these labels), by what these are, and
    renamed.

    `rename` holds new names by agent, by judge, or by run, which is for others to heed. ConfigError
    for one that is none of these, and where two agents or two judges would share a name.
    """
    codes: dict[str, dict[str, str]] = {}
    # By world, too: each has a temperature of its own where a spec names none.
    models: dict[tuple[str, str], dict[str, str]] = {}
    for row in map(store.run, dict.fromkeys(runs)):
        for label, agent in row.agents.items():
            if only is not None and label not in only:
                continue
            if agent.code is not None:
                codes.setdefault(label, {})[row.name] = agent.code
            elif agent.kind == "model":  # people and rules play as ever
                models.setdefault((label, row.world), {})[row.name] = agent.settings
    codes = {label: by_run for label, by_run in codes.items() if _several(by_run)}
    several = [(label, by_run) for (label, _), by_run in models.items() if _several(by_run)]
    marks: dict[str, dict[str, str]] = {}
    for label, by_run in (*codes.items(), *several):
        for run, code in by_run.items():
            unknown = f" ({run})" if code == UNKNOWN else ""
            marks.setdefault(run, {})[label] = f"@{short_code(code)}{unknown}"
    options = {run: _options(store, run) for run in marks}
    renamed = {
        run: {label: label + suffix for label, suffix in of.items()} for run, of in marks.items()
    }
    names = AgentNames(
        renamed,
        (*_code_notes(codes), *_option_notes(several, options)),
        _unmark_judges(store, runs),
    )
    return _renamed(store, runs, names, marks, rename) if rename else names


def _unmark_judges(store: Store, runs: Sequence[str]) -> dict[str, str]:
    """The labels that carry a mark in one run, since another judge there shares their name, and
    none in another, with the name alone: so one judge is called alike in all of these runs."""
    labels = [labels_of(store.verdicts.judges(run)) for run in runs]
    plain: dict[str, set[JudgeId]] = {}
    for judge, label in ((judge, label) for judges in labels for judge, label in judges.items()):
        if label == judge.label:
            plain.setdefault(label, set()).add(judge)
    return {
        label: judge.label
        for judges in labels
        for judge, label in judges.items()
        if label != judge.label and plain.get(judge.label) == {judge}
    }


def _renamed(
    store: Store,
    runs: Sequence[str],
    names: AgentNames,
    marks: Mapping[str, Mapping[str, str]],
    rename: Mapping[str, str],
) -> AgentNames:
    """The names with those of the user; the marks of labels that several agents share stay."""
    renamed = {run: dict(names.renamed.get(run, {})) for run in runs}
    whose: dict[str, set[str]] = {}
    judges: dict[str, str] = {}
    models: set[str] = set()
    choices = set(runs)
    for run in runs:
        scored = labels_of(store.verdicts.judges(run))
        models |= {judge.name for judge in scored}
        judges |= {
            label: _judge(judge, names.judge(label), rename) for judge, label in scored.items()
        }
        for label in sorted(store.run(run).agents):
            name = names.name(run, label)
            choices |= {label, name}
            new = rename.get(name) or rename.get(label, label) + marks.get(run, {}).get(label, "")
            if new != label:
                renamed[run][label] = new
            whose.setdefault(new, set()).add(name)
    choices |= models | {*judges}
    for old in rename:
        if old not in choices:
            raise ConfigError(
                "--rename: expected an agent, a judge or a run, one of "
                f'{", ".join(sorted(choices))}; found "{old}"'
            )
    called: dict[str, set[str]] = {}
    for label, new in judges.items():
        called.setdefault(new, set()).add(names.judge(label))
    for what, names_of in (("agent", whose), ("judge", called)):
        for new, labels in names_of.items():
            if len(labels) > 1:
                raise ConfigError(
                    f'--rename: {" and ".join(sorted(labels))} would both be called "{new}"; give '
                    f"each {what} a name of its own"
                )
    changed = {label: new for label, new in judges.items() if new != label}
    return AgentNames(renamed, names.notes, changed)


def _judge(judge: JudgeId, label: str, rename: Mapping[str, str]) -> str:
    """The name of a judge; a reader, or who fills in a sheet, remains that, whether it is renamed
    or the model that it is. What tells its label from others stays, unless it is itself renamed."""
    model = judge.name + label[len(judge.label) :]
    return judge.prefix + (rename.get(label) or rename.get(model, model)).removeprefix(judge.prefix)


def _several(by_run: Mapping[str, str]) -> bool:
    """Whether a label is not known to stand for one code, or for one set of settings."""
    return len(by_run) > 1 and (len(set(by_run.values())) > 1 or UNKNOWN in by_run.values())


def _options(store: Store, run: str) -> Mapping[str, Json]:
    """By label, what models.toml added to a spec in a run, as far as that is on record."""
    settings = store.run(run).settings
    options = settings.get(OPTIONS) if isinstance(settings, dict) else None
    return options if isinstance(options, dict) else {}


def _code_notes(shared: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    for label, by_run in sorted(shared.items()):
        where = ", ".join(f"@{short_code(code)} in {run}" for run, code in by_run.items())
        recorded = set(by_run.values()) - {UNKNOWN}
        if len(recorded) > 1:
            yield (
                f"{label} ran other code from run to run ({where}): these are several agents that "
                "share a label."
            )
        if UNKNOWN in by_run.values():
            yield (
                f"Nobody can tell whether {label} was the same agent in all these runs, since its "
                f"code was not recorded in each ({where}, ? being unknown); each such run's stands "
                "for itself."
            )


def _option_notes(
    shared: Sequence[tuple[str, Mapping[str, str]]], options: Mapping[str, Mapping[str, Json]]
) -> Iterator[str]:
    for label, by_run in sorted(shared, key=lambda item: item[0]):
        recorded = {run: options[run].get(label) for run in by_run}
        where = ", ".join(
            f"@{short_code(hash_)} in {run}" + (f": {recorded[run]}" if recorded[run] else "")
            for run, hash_ in by_run.items()
        )
        yield (
            f"{label} was not set up the same way from run to run ({where}): its options in "
            "models.toml, the address of its server or its prompts differ, so these are several "
            "agents that share a label."
        )
