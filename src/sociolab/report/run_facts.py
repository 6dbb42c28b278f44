"""A run in labelled facts and in sentences: what was played, failures, usage and limitations."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from sociolab.core.errors import Cause
from sociolab.core.metrics import TRAINING_PARTNER
from sociolab.core.score import BY_FORMULA, JudgeId, judge_title
from sociolab.report.catalogue import Catalogue
from sociolab.report.exam import exam_notes
from sociolab.report.finding import Count, Sentence
from sociolab.report.schema import FailedKind, Failures, FirstFailure, RunResult
from sociolab.report.served import possible_words, served_facts, served_warnings
from sociolab.report.words import (
    OWN,
    about,
    agent_kind,
    by_rules,
    counted,
    money,
    percent,
    plural,
    sanitize,
    scripted_play,
    share,
    stand_in_words,
)
from sociolab.store.store import world_settings_in

SAY = Catalogue("run")


def setting_facts(result: RunResult) -> tuple[tuple[str, str], ...]:
    """World, data, settings, agents, judges, seed and provenance, as labels and values."""
    agents = "; ".join(
        f"{label} ({agent_kind(result, label)}{', the partner' if label == result.partner else ''})"
        for label in partner_last(result)
    )
    judges = "; ".join(
        judge_title(judge.judge, judge.method)
        + ("" if judge.code is None else ", as its Python class declares")
        for judge in result.judges
        if judge.judge in _scorers(result)
    )
    facts = [("World", result.world)]
    if result.data:
        data = result.data
        facts.append(("Data", f"{data.name} {data.version} (hash {data.hash})"))
    if settings := world_settings_in(result.settings):
        pairs = ", ".join(f"{name}={value}" for name, value in settings.items())
        facts.append(("Settings", pairs))
    facts += [
        ("Agents", agents or "none"),
        ("Judges", judges or "none"),
        ("Seed", "not recorded" if result.seed is None else str(result.seed)),
        ("Started", date(result)),
    ]
    if versions := made_with(result):
        facts.append(("Made with", versions))
    if isinstance(tags := result.recorded.get("tags"), list) and tags:
        facts.append(("Tags", ", ".join(map(str, tags))))
    return tuple(facts)


def note_facts(result: RunResult) -> tuple[tuple[str, str], ...]:
    """The notes on the run, as labels and values."""
    return tuple(("Note", sanitize(str(note))) for note in result.notes)


def date(result: RunResult) -> str:
    """The start of the run, such as "2026-11-29 14:05 UTC"."""
    return f"{result.created[:10]} {result.created[11:16]} UTC"


def evaluated(result: RunResult) -> tuple[str, ...]:
    """The agents that are evaluated: all except a partner that is not evaluated itself; all if that
    would leave none."""
    names = [result.renamed.get(a, a) for a in recorded_labels(result.recorded.get("agents"))]
    agents = tuple(label for label in result.agents if label != result.partner or label in names)
    return agents or result.agents


def partner_last(result: RunResult) -> tuple[str, ...]:
    """All agents, the evaluated ones first."""
    return tuple(dict.fromkeys((*evaluated(result), *result.agents)))


def outline(result: RunResult) -> tuple[tuple[str, str], ...]:
    """Failures and cost, a line each."""
    kinds = {
        "trial": result.failures.trials,
        "turn": result.failures.turns,
        "question": result.failures.questions,
        "score": result.failures.scores,
        "call": result.failures.calls,
    }
    counts = {kind: sum(causes.values()) for kind, causes in kinds.items() if causes}
    failed = "; ".join(
        f"{plural(count, kind)} ({counted(kinds[kind])})" for kind, count in counts.items()
    )
    calls = f"; {plural(result.calls, 'call')}" if result.calls else ""
    return (
        ("Failures", failed or "none"),
        ("Cost", f"{_cost(result)}{calls}; {result.seconds:,.1f} s"),
    )


def account(result: RunResult) -> tuple[tuple[str, str], ...]:
    """Progress, ends of episodes, failures and usage, as labels and values."""
    return course(result) + failed(result) + taken(result)


def course(result: RunResult) -> tuple[tuple[str, str], ...]:
    """Progress, and how episodes ended, as labels and values."""
    pending = result.trials - result.played - result.failed
    trials = f"{result.played:,} of {result.trials:,} played, {result.failed:,} failed"
    ends = {result.declared.ends.get(why, why): count for why, count in result.ends.items()}
    return (
        ("Episodes", trials + (f", {pending:,} not played yet" if pending else "")),
        ("Ended by", counted(ends)),
    )


def failed(result: RunResult) -> tuple[tuple[str, str], ...]:
    """Failures by cause, as labels and values."""
    failures = result.failures
    return (
        ("Failed episodes", counted(failures.trials)),
        *_failed_requests(failures),
        ("Retries of players", f"{failures.replies_asked_again:,}"),
        ("Missing scores", counted(failures.scores)),
        ("Failed calls", counted(failures.calls)),
        *((("Impossible token counts", counted(failures.usage)),) if failures.usage else ()),
    )


def _failed_requests(failures: Failures) -> Iterator[tuple[str, str]]:
    """Failed turns and questions; for a town, where nobody takes turns, questions alone."""
    if failures.turns or not failures.questions:
        yield "Invalid turns", counted(failures.turns)
    if failures.questions:
        yield "Unanswered questions", counted(failures.questions)
    if failures.went_without:
        yield "Continued without", counted(failures.went_without)


def taken(result: RunResult) -> tuple[tuple[str, str], ...]:
    """Usage: calls, tokens, cost and time, as labels and values."""
    return (
        ("Calls", f"{result.calls:,}{_each(result, result.calls)}"),
        ("Tokens", _tokens(result)),
        ("Cost", _cost(result)),
        *_failed_attempts(result),
        ("Time", f"{result.seconds:,.1f} s"),
        *served_facts(result.served),
    )


def _failed_attempts(result: RunResult) -> Iterator[tuple[str, str]]:
    attempts = result.failed_attempts
    if attempts.count:
        mark = about(attempts.estimated or attempts.possible)
        cost = f"; {mark}{money(attempts.cost_usd)} of the cost" if attempts.cost_usd else ""
        yield "Failed attempts", f"{attempts.count:,}{cost}"


def _tokens(result: RunResult) -> str:
    tokens = result.tokens
    if not tokens.prompt and not tokens.completion:
        return "0"
    share = tokens.cached / tokens.prompt if tokens.prompt else 0.0
    mark = about(result.estimated)
    return (
        f"{mark}{tokens.prompt:,} in (of which {percent(share)} cached), "
        f"{mark}{tokens.completion:,} out"
        f"{_each(result, tokens.prompt + tokens.completion, mark)}"
    )


def _cost(result: RunResult) -> str:
    if not result.calls and not result.failed_attempts.cost_usd:
        if result.failures.calls:
            return "none (no call succeeded)"
        own = "own code" in result.declared.agents.values()
        return f"none ({'calls of own code are not counted' if own else 'no model was called'})"
    if result.cost_usd is None:
        return "unknown (no price is known for the models at their addresses)"
    mark = about(result.estimated)
    each = f"; {mark}{money(result.cost_usd / result.played)} per episode" if result.played else ""
    return f"{mark}{money(result.cost_usd)}{each}"


def _each(result: RunResult, total: int, mark: str = "") -> str:
    if not result.played or not total:
        return ""
    return f"; {mark}{total / result.played:,.1f} per episode"


def identity(result: RunResult) -> tuple[tuple[str, str], ...]:
    """The version of sociolab, and hashes of data, agents and judges, prompts included."""
    pairs = [("sociolab", result.versions.get("sociolab", "not recorded"))]
    if result.data:
        pairs.append((f"Data {result.data.name} {result.data.version}", result.data.hash))
    own = evaluated(result)
    for agent in sorted(result.identities, key=lambda entry: entry.label not in own):
        role = "Agent" if agent.label in own else "Partner"
        hashes = [agent.settings, *([f"code {agent.code}"] if agent.code else [])]
        pairs.append((f"{role} {agent.label}", ", ".join(filter(None, hashes)) or "none"))
    pairs += [(f"Judge {judge.judge}", judge.id.version or "none") for judge in result.judges]
    return tuple(pairs)


def made_with(result: RunResult) -> str:
    """The versions with which the run was made and, if they are different, resumed; "" if none are
    recorded."""
    return "; then ".join(_describe_versions(part) for part in _made_parts(result))


def changed_versions(result: RunResult) -> str:
    """A sentence saying that parts of a run were played by different versions of sociolab or
    Python; "" if they were not. Commits of the user's own work do not count: `made_with` names
    these."""
    parts = [(part.get("sociolab"), part.get("python")) for part in _made_parts(result)]
    if len(set(parts)) < 2:
        return ""
    versions = ", then ".join(_versions(*part) for part in dict.fromkeys(parts))
    return SAY("versions", versions=versions)


_SHORT = 10
"""Number of characters of a commit's hash that are printed."""


def _made_parts(result: RunResult) -> list[Mapping[str, Any]]:
    later, first = result.recorded.get("resumed_with"), result.recorded.get("made_with")
    parts = [*([first] if first else []), *(later if isinstance(later, list) else [])]
    if later and not first:
        parts.insert(0, {})
    return [part for part in parts if isinstance(part, dict)]


def _describe_versions(part: Mapping[str, Any]) -> str:
    git = part.get("git")
    if not isinstance(git, dict):
        return _versions(part.get("sociolab"), part.get("python"))
    state = " with changes" if git.get("changed") else ""
    where = f"commit {str(git.get('commit'))[:_SHORT]}{state}"
    return f"{_versions(part.get('sociolab'), part.get('python'))}, {where}"


def _versions(sociolab: object, python: object) -> str:
    return f"sociolab {sociolab}, Python {python}" if sociolab else "versions not recorded"


# ------------------------------------------------------------------ summary


def not_played(result: RunResult) -> Iterator[Sentence]:
    """Sentences on trials that are not played yet, and on those that failed; none if there are
    none."""
    if pending := result.trials - result.played - result.failed:
        yield SAY("unfinished", run=result.run, trials=Count("trial", pending))
    if result.failed:
        yield SAY("some_failed", run=result.run, trials=Count("trial", result.failed))


def summary(result: RunResult) -> Sentence:
    """A sentence on what was played, by which agents, and with which judges."""
    data = result.data
    return SAY(
        "played",
        world=result.world,
        data=SAY("played_data", name=data.name, version=data.version) if data else "",
        played=result.played,
        trials=Count("episode", result.trials),
        failed=SAY("played_failed", failed=result.failed) if result.failed else "",
        agents=_pairing(result),
        judges=_judging(result),
    )


def _pairing(result: RunResult) -> Sentence:
    names = {
        label: SAY("agent_of_kind", agent=label, kind=agent_kind(result, label))
        for label in result.agents
    }
    if not names:
        return SAY("nobody_played")
    if people := _people(result):
        kinds = result.declared.agents
        partners = [name for label, name in names.items() if kinds.get(label) != "person"]
        if partners:
            return SAY("people_with", people=people, others=partners)
        return SAY("people_alone", people=people)
    own, part = [names[label] for label in evaluated(result)], result.declared.partner
    if result.partner is not None and result.partner in names:
        where = SAY("partner_part", part=part) if part else SAY("partner_everywhere")
        return SAY("with_partner", agents=own, partner=names[result.partner], where=where)
    if part:
        return SAY("self_play_partner", agents=own, part=part)
    return SAY("self_play", agents=own) if len(own) == 1 else SAY("all_pairs", agents=own)


def _people(result: RunResult) -> str:
    """The number of people in each episode of a study's run, in words; "" for other runs."""
    people = result.recorded.get("people")
    if not isinstance(people, int):
        return ""
    count = Count("person", people)
    return SAY("up_to_people", people=count) if result.recorded.get("stand_in") else str(count)


def _judging(result: RunResult) -> Sentence:
    names = [judge.judge for judge in result.judges if judge.judge in _scorers(result)]
    if result.other_judges:
        return SAY("judges_shown", judges=names, others=result.other_judges)
    return SAY("judges", judges=names) if names else SAY("no_judge")


# ------------------------------------------------------------------ limitations


FEW_CLUSTERS = 30
"""Number of clusters below which intervals are reported as too short (see benchmarks/RESULTS.md for
their coverage)."""


def cautions(result: RunResult) -> tuple[Sentence, ...]:
    """Limitations of the result: what not to conclude from it."""
    return tuple(_cautions(result))


def _cautions(result: RunResult) -> Iterator[Sentence]:
    methods = {judge.method for judge in result.judges}
    if rules := [label for label in result.agents if by_rules(result, label)]:
        yield SAY("baseline", agents=rules, kind=scripted_play(result))
    if "heuristic" in methods:
        yield SAY("heuristic_judge")
    if "model" in methods:
        yield SAY("llm_judge")
    if "scripted" in methods and "scripted" not in result.declared.judges:
        yield SAY("scripted_judge")
    if any(e.unscored and e.n and e.method in BY_FORMULA for e in result.scores):
        yield SAY("not_established")
    yield from _design(result)
    if result.failed or result.failures.scores:
        yield SAY("failures")


def _design(result: RunResult) -> Iterator[Sentence]:
    """Limitations of the design: few clusters, other partners, no repeats, unpaired intervals."""
    means = [e for e in result.scores if e.agent and not e.by and e.judge not in OWN and e.n]
    cluster = result.declared.cluster
    most = max((entry.clusters for entry in means), default=0)
    if most == 1:
        yield SAY("one_cluster", cluster=cluster)
    elif 1 < most < FEW_CLUSTERS:
        yield SAY("few_clusters", clusters=Count(cluster, most))
    if most > 1 and len(result.agents) > 1:
        yield SAY("other_partners", cluster=cluster)
    if means and result.recorded.get("repeats") == 1:
        yield SAY("no_repeats")
    if len({entry.agent for entry in means}) > 1:
        yield SAY("overlap")


# ------------------------------------------------------------------ warnings


def warnings(result: RunResult) -> tuple[str, ...]:
    """Sentences on everything that went wrong; empty if nothing did."""
    return tuple(_warnings(result))


def _warnings(result: RunResult) -> Iterator[str]:
    failures, trials = result.failures, Count("episode", result.trials)
    if result.stopped:
        yield SAY("stopped", why=result.stopped)
    if result.smoke:
        kind = "training_partner" if result.smoke == TRAINING_PARTNER else "smoke_test"
        yield SAY(kind, why=result.smoke, run=result.run)
    yield from exam_notes({result.run: result.judges}).failed
    yield from stand_in_words(result.settings)
    if versions := changed_versions(result):
        yield versions
    if result.failed:
        yield SAY(
            "episodes_failed", n=result.failed, trials=trials, causes=counted(failures.trials)
        )
        yield from first_words(result, "trials")
        if "plugin" in failures.trials:
            yield SAY("replayed")
        if "failed turns" in failures.trials:
            yield SAY("stays_failed")
    if pending := result.trials - result.played - result.failed:
        yield SAY("not_played", n=pending, trials=trials)
    if failures.turns:
        yield SAY("no_reply", turns=_total("turn", failures.turns), causes=counted(failures.turns))
        yield from first_words(result, "turns")
    if failures.questions:
        questions = _total("question", failures.questions)
        yield SAY("no_answer", questions=questions, causes=counted(failures.questions))
        yield from first_words(result, "questions")
    yield from agent_failures(result)
    if failures.went_without:
        titles = result.declared.questions
        missed = [
            SAY("played_without", n=n, question=titles.get(name, name))
            for name, n in failures.went_without.items()
        ]
        yield SAY("played_on", episodes=Count("episode", result.played), missed=missed)
    if result.played and result.judges and not failures.scores and not _judged(result):
        yield SAY("not_judged", run=result.run)
    if failures.scores:
        scores = _total("score", failures.scores)
        yield SAY("scores_missing", scores=scores, causes=counted(failures.scores))
        yield from first_words(result, "scores")
    yield from _contradicted_reports(result)
    if failures.calls:
        calls = _total("call", failures.calls)
        yield SAY("calls_failed", calls=calls, causes=counted(failures.calls))
    if result.estimated_calls:
        yield uncounted(result.estimated_calls, result.calls)
        yield from first_words(result, "usage")
    if result.failed_attempts.possible:
        yield possible_words(result.failed_attempts)
    yield from served_warnings(result.served)


def _total(of: str, causes: Mapping[str, int]) -> Count:
    return Count(of, sum(causes.values()))


def _contradicted_reports(result: RunResult) -> Iterator[Sentence]:
    """For each reader, how often it contradicts the outcome that the players reported."""
    reported = {judge.judge for judge in result.judges if judge.method == "reported"}
    for reader in dict.fromkeys(entry.reader for entry in result.readings):
        entries = [
            entry for entry in result.readings if entry.reader == reader and entry.judge in reported
        ]
        if differ := sum(entry.differ for entry in entries):
            seats = Count("seat", differ + sum(entry.agree for entry in entries))
            yield SAY("contradicted", reader=reader, n=differ, seats=seats)


def _judged(result: RunResult) -> bool:
    """Whether any judge has a score, or could not tell."""
    judges = {judge.judge for judge in result.judges}
    return any(entry.judge in judges and (entry.n or entry.unscored) for entry in result.scores)


def _scorers(result: RunResult) -> set[str]:
    """The judges with any outcome, even a failure; a formula has none where no goal has a formula.
    All judges as long as none has an outcome."""
    labels = {entry.judge for entry in result.scores if entry.n or entry.unscored or entry.failures}
    return labels or {judge.judge for judge in result.judges}


def agent_failures(result: RunResult) -> Iterator[Sentence]:
    """A sentence on the share of failed turns for each agent that failed some."""
    for row in result.failures.agents:
        turns = Count(row.of.removesuffix("s"), row.turns_asked)
        portion = share(row.failed_turns, row.turns_asked)
        yield SAY("agent_failed", agent=row.agent, n=row.failed_turns, turns=turns, share=portion)


_REPLIES: frozenset[Cause] = frozenset(
    ("unreadable", "not allowed", "truncated", "content filter", "context overflow", "incomplete"),
)
"""Causes for which the judge did answer, if unusably: they count, but do not mean a broken
judge."""


def judge_failures(
    result: RunResult, store: Path | None, only: Collection[JudgeId] | None = None
) -> Iterator[Sentence]:
    """A sentence for each judge that broke, was late, could not be reached, or gave no score at
    all.

    With `only`, other judges are left out. `store` is the file that the user named, to be repeated
    in the commands suggested.
    """
    scored = {entry.judge for entry in result.scores if entry.n}
    ids = {entry.judge: entry.id for entry in result.judges}
    for case in result.failures.first:
        if case.kind != "scores" or case.cause == "incomplete" or case.judge is None:
            continue
        if only is not None and ids[case.judge] not in only:
            continue
        gave_none = case.judge not in scored
        if gave_none or case.cause not in _REPLIES:
            yield SAY(
                "judge_failed",
                scores=Count("score", case.count),
                judge=case.judge,
                none=SAY("gave_no_score") if gave_none else "",
                cause=case.cause,
                problem=case.problem,
                run=result.run,
                store=SAY("in_store", file=str(store)) if store else "",
            )


def uncounted(estimated: int, calls: int) -> Sentence:
    """A sentence on what "~" before tokens and costs means."""
    return SAY("estimated_tokens", n=estimated, calls=Count("call", calls))


_KINDS: Mapping[FailedKind, str] = {
    "trials": "Failed episodes",
    "turns": "Invalid turns",
    "questions": "Unanswered questions",
    "scores": "Missing scores",
    "calls": "Failed calls",
    "usage": "Impossible token counts",
}


def first_words(result: RunResult, kind: FailedKind) -> Iterator[Sentence]:
    """A sentence for the first failure of each cause."""
    for case in result.failures.first:
        if case.kind == kind:
            problem = sanitize(case.problem)
            yield SAY("first_case", what=_who(case), where=_where(case), problem=problem)


def first_pairs(result: RunResult) -> dict[str, str]:
    """The first failure of every kind and cause, as labels and texts for a page."""
    return {
        f"{_KINDS[case.kind]}: {_who(case)}": f"{sanitize(case.problem)} ({_where(case)})"
        for case in result.failures.first
    }


def _who(case: FirstFailure) -> str:
    by = f" of {case.judge}" if case.judge else ""
    return f"{case.cause} {case.count:,}{by}"


def _where(case: FirstFailure) -> Sentence:
    if case.episode is None:
        return SAY("nowhere")
    if case.count == 1:
        return SAY("in_episode", episode=case.episode)
    return SAY("first_in_episode", episode=case.episode)


# ------------------------------------------------------------------ reproduction


def command(result: RunResult) -> str:
    """The command line that reproduces a run, as far as its settings record it; for a study with
    people, the command that sets up the study."""
    if _people(result):
        return shlex.join(["sociolab", "study", "create", f"{result.run}.toml"])
    settings = result.recorded
    label_of = {name: label for label, name in result.renamed.items()}
    words = ["sociolab", "run", result.world]
    for name in evaluated(result):
        words += ["--agent", label_of.get(name, name)]
    if result.partner is not None:
        words += ["--partner", label_of.get(result.partner, result.partner)]
    # A formula needs no option: it is a part of its world.
    judges = [row for *_, row in settings.get("judges") or () if row["method"] not in BY_FORMULA]
    for judge in [row["model"] for row in judges if row["role"] == "judge"] or ["none"]:
        words += ["--judge", judge]
    for reader in [row["model"] for row in judges if row["role"] == "reader"]:
        words += ["--reader", reader]
    for name, value in world_settings_in(result.settings).items():
        words += ["--set", f"{name}={value}"]
    for option, usual in _OPTIONS.items():
        chosen = settings.get("data_source" if option == "data" else option, usual)
        if chosen != usual:
            words += [f"--{option.replace('_', '-')}", str(chosen)]
    return shlex.join([*words, "--seed", str(result.seed or 0), "--name", result.run])


_OPTIONS = {
    "data": None,
    "tasks": None,
    "limit": None,
    "repeats": 1,
    "attempts": 3,
    "on_failed_turn": "skip",
    "max_failed_turns": 0.5,
}
"""Settings that have an option of their own, with the option's default."""


def recorded_labels(agents: object) -> list[str]:
    """The labels in a setting of the form [[label, hash], ...]; other items are skipped."""
    if not isinstance(agents, list):
        return []
    return [str(agent[0]) for agent in agents if isinstance(agent, list) and agent]
