"""A run in facts and plain sentences: what was played, what went wrong, what may be concluded."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from sociolab.core.score import BY_FORMULA, judge_title
from sociolab.report.schema import FailedKind, Failures, FirstFailure, JudgeEntry, RunResult
from sociolab.report.served import possible_words, served_facts, served_warnings
from sociolab.report.words import (
    OWN,
    about,
    agent_kind,
    by_rules,
    counted,
    listed,
    money,
    percent,
    plural,
    sanitize,
    scripted_play,
    share,
    stand_in_words,
)
from sociolab.store.store import world_settings_in


def setting(result: RunResult) -> tuple[tuple[str, str], ...]:
    """What was played, by whom, and who judged."""
    agents = "; ".join(
        f"{label} ({agent_kind(result, label)}{', the partner' if label == result.partner else ''})"
        for label in partner_last(result)
    )
    judges = "; ".join(_judge(judge) for judge in result.judges if judge.judge in _heard(result))
    found = [("World", result.world)]
    if result.data:
        data = result.data
        found.append(("Data", f"{data.name} {data.version} (hash {data.hash})"))
    if settings := world_settings_in(result.settings):
        named = ", ".join(f"{name}={value}" for name, value in settings.items())
        found.append(("Settings", named))
    found += [
        ("Agents", agents or "none"),
        ("Judges", judges or "none"),
        ("Seed", "not recorded" if result.seed is None else str(result.seed)),
        ("Started", date(result)),
    ]
    if made := made_with(result):
        found.append(("Made with", made))
    if tags := _tags(result):
        found.append(("Tags", tags))
    return tuple(found)


def _judge(judge: JudgeEntry) -> str:
    own = "" if judge.code is None else ", as its Python class declares"
    return judge_title(judge.judge, judge.method) + own


def _tags(result: RunResult) -> str:
    tags = result.recorded.get("tags")
    return ", ".join(map(str, tags)) if isinstance(tags, list) else ""


def date(result: RunResult) -> str:
    """When the run was begun, to the minute."""
    return f"{result.created[:10]} {result.created[11:16]} UTC"


def evaluated(result: RunResult) -> tuple[str, ...]:
    """The agents that are evaluated: all but a partner that is not also one of them."""
    asked = [result.renamed.get(one, one) for one in recorded_labels(result.recorded.get("agents"))]
    found = tuple(one for one in result.agents if one != result.partner or one in asked)
    return found or result.agents


def partner_last(result: RunResult) -> tuple[str, ...]:
    """All agents, those that are evaluated first."""
    return tuple(dict.fromkeys((*evaluated(result), *result.agents)))


def outline(result: RunResult) -> tuple[tuple[str, str], ...]:
    """What failed and what it cost, a line each."""
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
    """What became of the trials, how episodes ended, what failed, and what it took."""
    return course(result) + failed(result) + taken(result)


def course(result: RunResult) -> tuple[tuple[str, str], ...]:
    """What became of the trials, and how episodes ended."""
    left = result.trials - result.played - result.failed
    trials = f"{result.played:,} of {result.trials:,} played, {result.failed:,} failed"
    ends = {result.declared.ends.get(why, why): count for why, count in result.ends.items()}
    return (
        ("Episodes", trials + (f", {left:,} not played yet" if left else "")),
        ("Ended by", counted(ends)),
    )


def failed(result: RunResult) -> tuple[tuple[str, str], ...]:
    """What failed, by cause."""
    failures = result.failures
    return (
        ("Failed episodes", counted(failures.trials)),
        *_unanswered(failures),
        ("Retries of players", f"{failures.replies_asked_again:,}"),
        ("Missing scores", counted(failures.scores)),
        ("Failed calls", counted(failures.calls)),
        *((("Impossible token counts", counted(failures.usage)),) if failures.usage else ()),
    )


def _unanswered(failures: Failures) -> Iterator[tuple[str, str]]:
    """Turns and questions that failed; of a town, where nobody takes turns, questions alone."""
    if failures.turns or not failures.questions:
        yield "Invalid turns", counted(failures.turns)
    if failures.questions:
        yield "Unanswered questions", counted(failures.questions)
    if failures.went_without:
        yield "Continued without", counted(failures.went_without)


def taken(result: RunResult) -> tuple[tuple[str, str], ...]:
    """What the run took: calls, tokens, money, time."""
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
    """Hashes of what was played and how it was judged, prompts included, and the version."""
    found = [("sociolab", result.versions.get("sociolab", "not recorded"))]
    if result.data:
        found.append((f"Data {result.data.name} {result.data.version}", result.data.hash))
    own = evaluated(result)
    for one in sorted(result.identities, key=lambda one: one.label not in own):
        role = "Agent" if one.label in own else "Partner"
        hashes = [one.settings, *([f"code {one.code}"] if one.code else [])]
        found.append((f"{role} {one.label}", ", ".join(filter(None, hashes)) or "none"))
    found += [(f"Judge {judge.judge}", judge.id.version or "none") for judge in result.judges]
    return tuple(found)


def made_with(result: RunResult) -> str:
    """The versions of the run, and of its later parts where they are others; "" if none is
    recorded."""
    return "; then ".join(_words(one) for one in _made_parts(result))


def changed_versions(result: RunResult) -> str:
    """That parts of a run were played by different versions, as a sentence; "" where they were not.

    Of sociolab and of Python; other commits are other work of the user, which `made_with` names.
    """
    parts = [(one.get("sociolab"), one.get("python")) for one in _made_parts(result)]
    if len(set(parts)) < 2:
        return ""
    told = ", then ".join(_versions(*part) for part in dict.fromkeys(parts))
    return f"parts of the run were played with different versions ({told}), which may affect scores"


_SHORT = 10
"""Characters of a commit's hash that are shown."""


def _made_parts(result: RunResult) -> list[Mapping[str, Any]]:
    later, first = result.recorded.get("resumed_with"), result.recorded.get("made_with")
    found = [*([first] if first else []), *(later if isinstance(later, list) else [])]
    if later and not first:
        found.insert(0, {})
    return [one for one in found if isinstance(one, dict)]


def _words(part: Mapping[str, Any]) -> str:
    git = part.get("git")
    if not isinstance(git, dict):
        return _versions(part.get("sociolab"), part.get("python"))
    state = " with changes" if git.get("changed") else ""
    where = f"commit {str(git.get('commit'))[:_SHORT]}{state}"
    return f"{_versions(part.get('sociolab'), part.get('python'))}, {where}"


def _versions(sociolab: object, python: object) -> str:
    return f"sociolab {sociolab}, Python {python}" if sociolab else "versions not recorded"


# ------------------------------------------------------------------ what was played, in sentences


def summary(result: RunResult) -> str:
    """What was played, by whom, and who judged."""
    data = result.data
    of_data = f" ({data.name} {data.version})" if data else ""
    failed = f", {result.failed:,} failed" if result.failed else ""
    return (
        f"{result.world}{of_data}: {result.played:,} of {plural(result.trials, 'episode')} "
        f"completed{failed}. {_pairing(result)} {_judging(result)}"
    )


def _pairing(result: RunResult) -> str:
    named = {label: f"{label} ({agent_kind(result, label)})" for label in result.agents}
    if not named:
        return "No agent took part."
    if people := _people(result):
        kinds = result.declared.agents
        others = [name for label, name in named.items() if kinds.get(label) != "person"]
        with_others = f" with {' or '.join(others)} in the other seats" if others else ""
        return f"Each episode had {people}{with_others}, as the study specifies."
    own, part = [named[label] for label in evaluated(result)], result.declared.partner
    each = ", each" if len(own) > 1 else ""
    if result.partner is not None and result.partner in named:
        where = f"as {part}" if part else "in every seat"
        return f"{listed(own)}{each} with the partner {named[result.partner]}, {where}."
    if len(own) == 1 or part:
        too = f", {part} included" if part else ""
        return f"Self-play: {listed(own)}{each} in every seat{too}."
    return f"All ordered pairs of {listed(own)}, self-play included."


def _people(result: RunResult) -> str:
    """How many people sat in each episode of a study's run, in words; "" for other runs."""
    people = result.recorded.get("people")
    if not isinstance(people, int):
        return ""
    return ("up to " if result.recorded.get("stand_in") else "") + plural(
        people, "person", "people"
    )


def _judging(result: RunResult) -> str:
    names = [judge.judge for judge in result.judges if judge.judge in _heard(result)]
    if result.other_judges:
        others = ", ".join(result.other_judges)
        return f"Judges shown: {', '.join(names)}; others (--judge NAME or all): {others}."
    return f"Judges: {', '.join(names)}." if names else "Nothing was judged."


# ------------------------------------------------------------------ what the figures do not show


FEW_CLUSTERS = 30
"""Below so many a page says that its intervals are too short (coverage: benchmarks/RESULTS.md)."""


def cautions(result: RunResult) -> tuple[str, ...]:
    """What the figures do not show, a sentence or two each."""
    methods = {judge.method for judge in result.judges}
    rules = [label for label in result.agents if by_rules(result, label)]
    found = []
    if rules:
        found.append(
            f"{listed(rules)} {'is' if len(rules) == 1 else 'are'} "
            f"{scripted_play(result)}. Such scores are a baseline; they say "
            "nothing about any language model."
        )
    if "heuristic" in methods:
        found.append(
            "The heuristic judge scores only what scripted players put on record, and leaves all "
            "else unscored. Its scores are not comparable with those of an LLM judge, of people or "
            "of the paper."
        )
    if "model" in methods:
        found.append(
            "An LLM judge is not a person and may favour text like its own. Compare scores only "
            "where judge and prompt are the same."
        )
    if "scripted" in methods and "scripted" not in result.declared.judges:
        found.append("A scripted judge invents its scores, to test the software.")
    if any(e.unscored and e.n and e.method in BY_FORMULA for e in result.scores):
        found.append(
            "Outcomes that could not be established do not count as zero: means are over the "
            "others, so an agent may gain by disputing what it lost. The bounds show by how much."
        )
    found += _design(result)
    if result.failed or result.failures.scores:
        found.append(
            "Failures do not count as zero: means are over what was scored, which may flatter an "
            "agent that fails on hard tasks. Each figure shows how many failed."
        )
    return tuple(found)


def _design(result: RunResult) -> list[str]:
    """What so few tasks, single plays and means beside each other cannot show."""
    found = []
    of_agents = [e for e in result.scores if e.agent and not e.by and e.judge not in OWN and e.n]
    word = result.declared.cluster
    most = max((entry.clusters for entry in of_agents), default=0)
    if most == 1:
        found.append(
            f"All scores come from one {word}, so there is no interval: how much they would vary "
            f"across {word}s is unknown."
        )
    elif 1 < most < FEW_CLUSTERS:
        found.append(
            f"Scores come from at most {plural(most, word)}. With so few, a 95 % interval is too "
            "short: it covers the true mean in about 90 of 100 studies."
        )
    if most > 1 and len(result.agents) > 1:
        found.append(
            f"Intervals reflect variation across {word}s with these partners only. Other partners "
            "would change means, too (see sociolab variance)."
        )
    if of_agents and result.recorded.get("repeats") == 1:
        found.append("Each cast played each task once, so variation between repeats is unknown.")
    if len({entry.agent for entry in of_agents}) > 1:
        found.append(
            "Overlap of two agents' intervals does not tell whether they differ: compare them on "
            "the same tasks (see sociolab compare)."
        )
    return found


# ------------------------------------------------------------------ what went wrong


def warnings(result: RunResult) -> tuple[str, ...]:
    """What went wrong, in sentences that must be seen; empty if nothing did."""
    found = [*([smoke_words(result)] if result.smoke else []), *stand_in_words(result.settings)]
    failures = result.failures
    if result.stopped:
        found.append(f"the run stopped early: {result.stopped}")
    if versions := changed_versions(result):
        found.append(versions)
    if result.failed:
        causes = counted(failures.trials)
        found.append(f"{result.failed} of {plural(result.trials, 'episode')} failed: {causes}")
        found += first_words(result, "trials")
        if "plugin" in failures.trials:
            found.append(ANEW)
        if "failed turns" in failures.trials:
            found.append(FINAL)
    left = result.trials - result.played - result.failed
    if left:
        found.append(f"{left} of {plural(result.trials, 'episode')} not played yet")
    if failures.turns:
        turns = plural(sum(failures.turns.values()), "turn")
        found.append(f"{turns} without a usable reply: {counted(failures.turns)}")
        found += first_words(result, "turns")
    if failures.questions:
        questions = plural(sum(failures.questions.values()), "question")
        found.append(f"{questions} without a usable answer: {counted(failures.questions)}")
        found += first_words(result, "questions")
    found += agent_failures(result)
    if failures.went_without:
        without = failures.went_without.items()
        titles = result.declared.questions
        missed = [f"{n:,} without {titles.get(name, name)}" for name, n in without]
        found.append(f"of {plural(result.played, 'episode')}, played on: {', '.join(missed)}")
    if result.played and result.judges and not failures.scores and not _judged(result):
        found.append(
            "no judge scored these episodes; score them with: sociolab judge "
            f"{result.run} --judge endpoint/model"
        )
    if failures.scores:
        scores = plural(sum(failures.scores.values()), "score")
        found.append(f"{scores} missing: {counted(failures.scores)}")
        found += first_words(result, "scores")
    found += _contradicted_reports(result)
    if failures.calls:
        calls = plural(sum(failures.calls.values()), "call")
        found.append(f"{calls} failed after all retries: {counted(failures.calls)}")
    if result.estimated_calls:
        found.append(uncounted(result.estimated_calls, result.calls))
        found += first_words(result, "usage")
    if result.failed_attempts.possible:
        found.append(possible_words(result.failed_attempts))
    found += served_warnings(result.served)
    return tuple(found)


def _contradicted_reports(result: RunResult) -> Iterator[str]:
    """How often a reader reads another outcome than the players report, for each reader."""
    reported = {judge.judge for judge in result.judges if judge.method == "reported"}
    for reader in dict.fromkeys(entry.reader for entry in result.readings):
        entries = [
            entry for entry in result.readings if entry.reader == reader and entry.judge in reported
        ]
        differ = sum(entry.differ for entry in entries)
        if differ:
            seats = plural(differ + sum(entry.agree for entry in entries), "seat")
            yield (
                f"{reader} reads another outcome than the players report for {differ} of {seats} "
                "with both; its scores lead, and nothing is averaged"
            )


def _judged(result: RunResult) -> bool:
    """Whether a judge said anything of a play, be it that it cannot tell."""
    judges = {one.judge for one in result.judges}
    return any(entry.judge in judges and (entry.n or entry.unscored) for entry in result.scores)


def _heard(result: RunResult) -> set[str]:
    """The judges that had something to say, be it that a score is missing: no formula where no goal
    has one. All of them while nothing has been said."""
    heard = {one.judge for one in result.scores if one.n or one.unscored or one.failures}
    return heard or {one.judge for one in result.judges}


ANEW = (
    'an episode that failed with "plugin" is replayed from its beginning when the run is resumed '
    "with the same code; changed code needs a new --name"
)
FINAL = (
    'an episode that failed with "failed turns" stays failed when the run is resumed, since its '
    "replies are kept; another --max-failed-turns or more --attempts need a new --name"
)


def smoke_words(result: RunResult) -> str:
    """That a run is but a smoke test, without a full stop."""
    return (
        f"smoke test ({result.smoke}): {result.run} shows that the setup works, but its scores are "
        "not results, since scripted residents only understand each other. Let a model play them: "
        "--background openai/MODEL"
    )


def agent_failures(result: RunResult) -> tuple[str, ...]:
    """In a sentence each, without a full stop, which agents failed turns, and what share."""
    return tuple(
        f"{one.agent} failed {one.failed_turns:,} of "
        f"{plural(one.turns_asked, one.of.removesuffix('s'))} "
        f"({share(one.failed_turns, one.turns_asked)})"
        for one in result.failures.agents
    )


def uncounted(estimated: int, calls: int) -> str:
    """What "~" before tokens and money means, in a sentence."""
    return (
        f"{estimated:,} of {plural(calls, 'call')} came without a usable token count: their "
        "tokens and cost (~) are estimated from the texts, on the high side"
    )


_KINDS: Mapping[FailedKind, str] = {
    "trials": "Failed episodes",
    "turns": "Invalid turns",
    "questions": "Unanswered questions",
    "scores": "Missing scores",
    "calls": "Failed calls",
    "usage": "Impossible token counts",
}


def first_words(result: RunResult, kind: FailedKind) -> Iterator[str]:
    """The first cases of a kind, in a sentence each."""
    for one in result.failures.first:
        if one.kind == kind:
            yield f"{_who(one)}, {_where(one)}: {sanitize(one.problem)}"


def first_pairs(result: RunResult) -> dict[str, str]:
    """The first cases of all kinds as labels and texts, for a page."""
    return {
        f"{_KINDS[one.kind]}: {_who(one)}": f"{sanitize(one.problem)} ({_where(one)})"
        for one in result.failures.first
    }


def _who(one: FirstFailure) -> str:
    by = f" of {one.judge}" if one.judge else ""
    return f"{one.cause} {one.count:,}{by}"


def _where(one: FirstFailure) -> str:
    if one.episode is None:
        return "in no particular episode"
    return f"in episode {one.episode}" if one.count == 1 else f"first in episode {one.episode}"


# ------------------------------------------------------------------ how to play it again


def command(result: RunResult) -> str:
    """The command line that plays this run again, as far as its settings tell; what people played
    in a study takes the study's file, and people."""
    if _people(result):
        return shlex.join(["sociolab", "study", "create", f"{result.run}.toml"])
    settings = result.recorded
    label_of = {name: label for label, name in result.renamed.items()}
    words = ["sociolab", "run", result.world]
    for name in evaluated(result):
        words += ["--agent", label_of.get(name, name)]
    if result.partner is not None:
        words += ["--partner", label_of.get(result.partner, result.partner)]
    # A formula comes with its world; other judges, and readers, are asked for.
    asked = [one for *_, one in settings.get("judges") or () if one["method"] not in BY_FORMULA]
    for judge in [one["model"] for one in asked if one["role"] == "judge"] or ["none"]:
        words += ["--judge", judge]
    for reader in [one["model"] for one in asked if one["role"] == "reader"]:
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
"""Settings that have an option of their own, with the values that need not be written."""


def recorded_labels(agents: object) -> list[str]:
    """The labels in a list of the settings: [[label, hash], ...]; what is not like that is
    passed over."""
    if not isinstance(agents, list):
        return []
    return [str(agent[0]) for agent in agents if isinstance(agent, list) and agent]
