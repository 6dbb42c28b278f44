"""How figures, counts, judges and texts from elsewhere are written in a report."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from sociolab.core.episode import AgentKind, TurnCounts
from sociolab.core.instructions import (
    INSTRUCTIONS,
    STAND_INS,
    Prompts,
    parse_instructions,
)
from sociolab.core.metrics import Declared, Metric, describe_directions, format_range
from sociolab.core.score import JudgeId, Measure, Method
from sociolab.report.schema import JudgeEntry, MeasureEntry, RunResult, ScoreEntry, macro_of

if TYPE_CHECKING:
    from sociolab.stats.correlation import Correlation
    from sociolab.stats.intervals import Estimate

# ------------------------------------------------------------------ numbers


def number(value: float, measure: MeasureEntry) -> str:
    """A value of a measure: two decimals, or the first three digits of money; never "-0.00"."""
    return first_digits(value) if measure.measure == "cost_usd" else f"{value:z.2f}"


def single(value: float, measure: Measure | MeasureEntry) -> str:
    """One play's value, or the mean of its judgings: yes or no, a whole number of a measure that
    has no others, or two decimals."""
    if measure.whole and (measure.low, measure.high) == (0, 1) and value in (0, 1):
        return ("no", "yes")[int(value)]
    return minus(f"{value:z.0f}" if measure.whole and value == round(value) else f"{value:z.2f}")


def first_digits(value: float) -> str:
    """Three significant digits and at least two decimals, never in powers of ten."""
    size = math.floor(math.log10(abs(value))) if value else 0
    return f"{value:z,.{max(2, 2 - size)}f}"


def money(value: float) -> str:
    """An amount in dollars."""
    return f"${first_digits(value)}"


def people_of(seats: Iterable[str]) -> frozenset[str]:
    """The seats of people: one that answers some questions of another's ("ID.routine") is none."""
    every = {*seats}
    return frozenset(seat for seat in every if seat.rpartition(".")[0] not in every)


def minus(text: str) -> str:
    """Figures with a real minus sign, which is as wide as a digit."""
    return text.replace("-", "\N{MINUS SIGN}")


def about(estimated: int) -> str:
    """ "~", to stand before tokens and money, where these include the estimates of some calls."""
    return "~" if estimated else ""


def spelled(name: str) -> str:
    """An id as a title or name to read: "norms-01-late-rent.idris-benkirane" as "Late rent: Idris
    Benkirane". What is not made of words with hyphens (a hash, a number) stays as it is."""
    title, *people = name.split(".")
    words = re.fullmatch(r"(?:(?:[a-z]+-)+[0-9]+-)?([a-z][a-z0-9]*(?:-[a-z][a-z0-9]*)*)", title)
    if words is None:
        return name
    named = ", ".join(map(person_name, people))
    return f"{words[1].replace('-', ' ').capitalize()}{': ' if named else ''}{named}"


def person_name(name: str) -> str:
    """An id made of names as a name: "idris-benkirane" as "Idris Benkirane"; others as they are."""
    return name.replace("-", " ").title() if re.fullmatch(r"[a-z]+(-[a-z]+)+", name) else name


def plural(count: int, singular: str, many: str = "") -> str:
    """ "1 trial", "2 trials"; `many` where an "s" does not make the plural."""
    return f"{count:,} {singular if count == 1 else many or singular + 's'}"


def listed(names: Iterable[str]) -> str:
    """ "a", "a and b", "a, b and c"; "a, x; b; and c" where a name has a comma outside brackets;
    empty for nothing."""
    *some, last = [*names] or [""]
    if some and any(_COMMA.search(name) for name in (*some, last)):
        return f"{'; '.join(some)}; and {last}"
    return f"{', '.join(some)} and {last}" if some else last


_COMMA = re.compile(r",(?![^\[(]*[\])])")


def counted(counts: Mapping[str, int]) -> str:
    """Counts as "timeout 2, plugin 1"; "none" where there are none."""
    return ", ".join(f"{name} {count:,}" for name, count in counts.items()) or "none"


def percent(value: float, digits: int = 0) -> str:
    """A share of 1, such as 0.28 as "28 %"."""
    return f"{100 * value:.{digits}f} %"


def share(part: int, total: int) -> str:
    """A share, such as "13 %" or "0.4 %"; 0 % and 100 % only where it is none or all."""
    value = part / total
    if 0 < value < 0.001:
        return "<0.1 %"
    if 0.995 <= value < 1:
        return ">99 %"
    return percent(value, int(0 < value < 0.0995))


# ------------------------------------------------------------------ what judges are


_NATURE: Mapping[Method, str] = {
    "model": "LLM judge: scores depend on the model and the prompt",
    "heuristic": "offline judge: scores only what is on record; not comparable with an LLM "
    "judge or the paper",
    "formula": "the goal's formula, applied to the outcome on record",
    "reported": "as reported by the players: the goal's formula, applied to what all of them say "
    "and quote alike; no reader has checked it",
    "rules": "rule-based, from the transcript; where it cannot tell, there is no score",
    "scripted": "scripted: invented scores, for software tests only",
    "people": "human raters",
}
_READ = (
    "a model reads each transcript for what was agreed, with verified quotes; the goal's formula "
    "gives the score"
)
OWN: Mapping[str, str] = {
    "transcript": "words and turns: counted in the transcripts, without a model",
    "ledger": "cost: each seat's calls at list price, judges not included",
}
"""What to think of the figures that this package counts itself, by their judge's name."""


def nature(result: RunResult, judge: str) -> str:
    """What to think of a judge's figures, repeated judgings included; KeyError if it is unknown."""
    for entry in result.judges:
        if entry.judge == judge and entry.role == "reader":
            return f"judge {judge}: {_READ}{_repeated(entry)}"
        if entry.judge == judge:
            clause = method_words(result.declared, entry.id)
            return f"judge {judge}: {clause}{_repeated(entry)}"
    return OWN[judge]


def instructions_notes(result: RunResult, judges: Iterable[str] = ()) -> tuple[str, ...]:
    """What the world says of such a run, and from whose instructions figures of these judges come:
    "instructions: paraphrased (not the authors' text)", where a model played or judged."""
    prompts = {entry.judge: entry.prompts for entry in result.judges if entry.judge in {*judges}}
    return notes_of_sets(result.declared, result.settings, prompts)


def notes_of_sets(
    declared: Declared, run: object, judges: Mapping[str, Prompts | None]
) -> tuple[str, ...]:
    """The same by the settings of a run and, by label, the prompts of judges; who is meant stands
    in it where not all are of one standing."""
    prompts_of: dict[str, Prompts | None] = dict(judges)
    played = parse_instructions(run.get(INSTRUCTIONS)) if isinstance(run, dict) else None
    if played and "model" in declared.agents.values():
        prompts_of["the agents"] = played.prompts
    who_by_note: dict[str, list[str]] = {}
    for who, prompts in prompts_of.items():
        if prompts:
            who_by_note.setdefault(prompts.note, []).append(who)
    if len(who_by_note) < 2:
        notes = tuple(who_by_note)
    else:
        notes = tuple(
            f"instructions of {' and '.join(who)}: {note.partition(': ')[2]}"
            for note, who in who_by_note.items()
        )
    return (declared.footnote, *notes) if declared.footnote else notes


def notes_of_runs(notes: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Notes by run, each once; one that is not of all runs says of which it is."""
    runs_by_note: dict[str, list[str]] = {}
    for run, run_notes in notes.items():
        for note in dict.fromkeys(run_notes):
            runs_by_note.setdefault(note, []).append(run)
    return tuple(
        note if len(runs) == len(notes) else f"in {listed(runs)}: {note}"
        for note, runs in runs_by_note.items()
    )


def method_words(declared: Declared, judge: JudgeId) -> str:
    """What to think of the scores of a judge, in a clause.

    A Python class of the user's states its own method, which nothing here can check, so that the
    clause says so.
    """
    clause = declared.judges.get(judge.method, _NATURE[judge.method])
    if judge.code is None:
        return clause
    return f'{clause}; the Python class itself declares that it is "{judge.method}"'


def _repeated(judge: JudgeEntry) -> str:
    if judge.method == "people":
        raters = plural(judge.judgings, "rater")
        return f" ({raters}); ratings of one episode are averaged first"
    if judge.judgings == 1:
        return ""
    return f"; each episode judged {judge.judgings} times; the scores are averaged first"


# ------------------------------------------------------------------ what agents are


KINDS: Mapping[AgentKind, str] = {
    "model": "model",
    "rules": "rule-based, no model",
    "person": "person",
    "own code": "Python class",
    "plugin": "plugin",
    "imported": "imported",
}
"""What each kind of agent is called."""


def agent_kind(result: RunResult, label: str) -> str:
    """What an agent is, as the run recorded it: a model, rules, a person or a Python class."""
    kind = result.declared.agents.get(label)
    if kind == "rules":
        return result.declared.scripted or KINDS[kind]
    return KINDS[kind] if kind else "unknown kind"


def by_rules(result: RunResult, label: str) -> bool:
    """Whether an agent plays by rules: a baseline, and no language model."""
    return result.declared.agents.get(label) == "rules"


def stand_ins(*settings: object) -> tuple[str, ...]:
    """The models of runs with these settings that the stand-in endpoint served."""
    recorded = (config.get(STAND_INS) or () for config in settings if isinstance(config, dict))
    return tuple(dict.fromkeys(label for labels in recorded for label in labels))


def stand_in_words(*settings: object) -> Iterator[str]:
    """That no language model answered for some models of runs with these settings, without a full
    stop."""
    if models := stand_ins(*settings):
        were = "was" if len(models) == 1 else "were"
        yield f"{', '.join(models)} {were} served by the stand-in endpoint, not by a language model"


def stand_in_notes(*settings: object) -> tuple[str, ...]:
    """The same for tables and figures of a paper, where models may have other names."""
    note = "played or judged in part by the stand-in endpoint, not by a language model: no results"
    return (note,) if stand_ins(*settings) else ()


def scripted_play(result: RunResult) -> str:
    """What play by rules is in this world, in a phrase."""
    phrase = result.declared.scripted
    return f"a {phrase}" if phrase else "rule-based"


# ------------------------------------------------------------------ what measures are


def metric_of(result: RunResult, measure: MeasureEntry) -> Metric:
    """What is declared of a measure."""
    return result.declared.metric(measure.measure)


def headed(result: RunResult, measure: MeasureEntry) -> str:
    """A measure's title as tables show it, marked where lower is better."""
    return measure.title + metric_of(result, measure).mark


def tips(result: RunResult) -> dict[str, str]:
    """By title, what each measure means, its range and which end is better."""
    return {
        headed(result, measure): metric_of(result, measure).describe(measure.low, measure.high)
        for measure in result.measures
    }


def legend(
    measures: Iterable[tuple[str, float, float | None, Metric]], *, better: bool = False
) -> str:
    """A line that spells out abbreviations, each measure given by title, range and metric, and says
    which end is better where it is not the higher one; `better`: always. Empty without either.

    Titles with one name and range stand together as the words that all of them have: "SR" for
    "conversation SR" and "summary SR"."""
    rows = list(measures)
    alike: dict[str, list[list[str]]] = {}
    for title, low, high, metric in rows:
        if metric.label:
            alike.setdefault(f"{metric.label} ({format_range(low, high)})", []).append(
                title.split(" ")
            )
    spelt = []
    for name, titles in alike.items():
        shared = [word for word in titles[0] if all(word in words for words in titles)]
        spelt.append(f"{' '.join(shared) or ', '.join(map(' '.join, titles))} = {name}")
    if any(title.endswith(" macro") for title, *_ in rows):
        spelt.append("micro: mean over episodes; macro: mean of the clusters' means")
    if better or any(metric.better == "lower" for *_, metric in rows):
        spelt.append(describe_directions({title: metric for title, _, _, metric in rows}))
    return "; ".join(spelt)


# ------------------------------------------------------------------ intervals and coverage


def interval(result: RunResult, entry: ScoreEntry) -> str:
    """An interval as "±0.41" where it is symmetric, as "[6.91, 7.70]" where not; or nothing."""
    if entry.low is None or entry.high is None:
        return ""
    measure = result.measure(entry.measure)
    if symmetric(entry):
        return f"±{number((entry.high - entry.low) / 2, measure)}"
    return f"[{number(entry.low, measure)}, {number(entry.high, measure)}]"


def interval_words(entries: Sequence[ScoreEntry], cluster: str) -> str:
    """How the intervals of these entries were made; empty where none has one."""
    intervals = [(entry.clusters, entry.interval) for entry in entries if entry.interval != "none"]
    fixed = any(entry.method == "people" and entry.interval == "t" for entry in entries)
    caveat = "; of fewer than three raters: for these raters only" if fixed else ""
    return interval_line(intervals, cluster) + caveat + cut_words(entries) if intervals else ""


def interval_line(intervals: Sequence[tuple[int, str]], cluster: str) -> str:
    """How intervals were made, of each of which the number of clusters and the method are given."""
    counts = sorted({count for count, _ in intervals})
    span = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    how = interval_methods(method for _, method in intervals)
    return f"95 % interval, clustered by {cluster} ({span}): {how}"


def interval_methods(kinds: Iterable[str]) -> str:
    """How intervals of these methods (as in `Estimate.method`) were made; "none" without any."""
    used = {*kinds}
    return ", ".join(how for kind, how in _METHODS.items() if kind in used) or "none"


_METHODS = {
    "t": "skew-corrected t",
    "rate": "Korn-Graubard for rates",
    "crossed": "t, clustered by rater too (both ways)",
    "end": "exact where all clusters lie at one end",
}


def cut_words(entries: Sequence[ScoreEntry]) -> str:
    """Behind a sentence on these entries' intervals: that some were cut; empty where none was."""
    from sociolab.stats.intervals import CUT  # numpy: not before there are intervals

    cut = any(CUT in entry.note for entry in entries)
    return "; truncated at the ends of the scale" if cut else ""


def symmetric(entry: ScoreEntry | Estimate | Correlation) -> bool:
    """Whether a mean has an interval that reaches as far below its value as above: Student's t,
    where it was not cut at one end of the scale."""
    if entry.value is None or entry.low is None or entry.high is None:
        return False
    rounding = _ROUNDING * max(abs(entry.low), abs(entry.high))
    return math.isclose(entry.high - entry.value, entry.value - entry.low, abs_tol=rounding)


_ROUNDING = 2e-7
"""By how much, of the larger end, halves may differ since figures are kept to eight digits."""


def covered(result: RunResult, entry: ScoreEntry) -> dict[str, str]:
    """How much could be scored, and what the rest could make of the mean, by the words of tables:
    coverage as in "28 %", bounds as in "[0.00, 7.12]", how many are disputed and unconfirmed."""
    share = "" if entry.coverage is None else percent(entry.coverage)
    texts = {"coverage": share, "bounds": ""}
    if entry.unscored and entry.bounds is not None:
        measure = result.measure(entry.measure)
        low, high = (number(end, measure) for end in entry.bounds)
        texts["bounds"] = f"[{low}, {high}]"
    return texts | {
        "disputed": f"{entry.disputed:,}",
        "unconfirmed": f"{entry.unconfirmed:,}",
    }


def told_of_coverage(result: RunResult, entries: Iterable[ScoreEntry]) -> tuple[str, ...]:
    """Which words of `covered` a table with these entries needs: none where all could be scored, or
    where nothing could."""
    open_ = [entry for entry in entries if entry.unscored]
    disputed, unconfirmed = (
        any(getattr(entry, word) for entry in open_) for word in ("disputed", "unconfirmed")
    )
    partly = disputed or unconfirmed or any(entry.n for entry in open_)
    bounded = partly and any(covered(result, entry)["bounds"] for entry in open_)
    needed = {
        "coverage": partly,
        "bounds": bounded,
        "disputed": disputed,
        "unconfirmed": unconfirmed,
    }
    return tuple(word for word, is_needed in needed.items() if is_needed)


def gaps(result: RunResult, entries: Sequence[ScoreEntry]) -> tuple[str, ...]:
    """Why entries lack a value or an interval, one sentence for each reason."""
    titles_by_reason: dict[str, dict[str, None]] = {}
    for entry in entries:
        if entry.value is not None:
            why = f"no interval ({entry.note})" if entry.interval == "none" else ""
        elif entry.disputed + entry.unconfirmed:
            why = "not scored (no outcome could be established)"
        elif entry.unscored:
            why = "not scored (the judge cannot tell; each episode says why)"
        else:
            why = "not scored (all expected scores are missing)"
        if why:
            titles_by_reason.setdefault(why, {})[result.measure(entry.measure).title] = None
    return tuple(f"{why} for {'; '.join(titles)}" for why, titles in titles_by_reason.items())


def size(result: RunResult, entry: ScoreEntry) -> int:
    """How many an entry's mean is over: plays with a value; of a macro average, clusters."""
    macro = (macro_of(name) for name in result.declared.macro)
    return entry.clusters if entry.measure in macro else entry.n


def size_words(result: RunResult, entries: Sequence[ScoreEntry]) -> str:
    """What n counts, where some of these entries are macro averages; else empty."""
    if all(size(result, entry) == entry.n for entry in entries):
        return ""
    return f"n: scores; for macro averages, {result.declared.cluster}s"


def failed_of(turns: TurnCounts) -> str:
    """What an agent failed of what it was asked, as in "13 % (24 of 192)"; empty where nothing."""
    if not turns.failed:
        return ""
    return f"{share(*turns)} ({turns.failed:,} of {turns.total:,})"


def failed_turns(entry: ScoreEntry) -> str:
    """`failed_of` the turns of an entry's agent; empty beside figures that this package counts
    itself, one of which is just that."""
    own = entry.judge in OWN
    return "" if own else failed_of(TurnCounts(entry.failed_turns, entry.turns_asked))


def failed_share(entry: ScoreEntry) -> str:
    """As `failed_turns`, without the counts."""
    return failed_turns(entry).partition(" (")[0]


def failed_unit(result: RunResult) -> str:
    """What the share of `failed_share` is of: invalid turns, or unanswered questions where nothing
    else is asked."""
    of = next((agent.of for agent in result.failures.agents), "turns")
    return "invalid turns" if of == "turns" else f"unanswered {of}"


# ------------------------------------------------------------------ texts from elsewhere


_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_CONTROL: dict[int, str] = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0)), _REPLACEMENT)
_CONTROL |= {ord("\n"): "\n", ord("\t"): "\t", ord("\r"): ""}


def sanitize(text: str) -> str:
    """The text without what would steer a terminal or cannot be encoded; newlines and tabs stay."""
    return text.translate(_CONTROL).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
