"""Words for figures, counts, agents and judges of a result, and safe printing of foreign texts."""

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
    """A value with two decimals, or a cost with three significant digits; never "-0.00"."""
    return first_digits(value) if measure.measure == "cost_usd" else f"{value:z.2f}"


def single(value: float, measure: Measure | MeasureEntry) -> str:
    """A single score, or the mean of a few: "yes" or "no" for a yes/no metric, a whole number if
    the metric has only these, or two decimals."""
    if measure.whole and (measure.low, measure.high) == (0, 1) and value in (0, 1):
        return ("no", "yes")[int(value)]
    return minus(f"{value:z.0f}" if measure.whole and value == round(value) else f"{value:z.2f}")


def first_digits(value: float) -> str:
    """Three significant digits and at least two decimals, never in scientific notation."""
    size = math.floor(math.log10(abs(value))) if value else 0
    return f"{value:z,.{max(2, 2 - size)}f}"


def money(value: float) -> str:
    return f"${first_digits(value)}"


def people_of(seats: Iterable[str]) -> frozenset[str]:
    """The seats that are people: "ID.routine", which answers some questions for "ID", is none."""
    every = {*seats}
    return frozenset(seat for seat in every if seat.rpartition(".")[0] not in every)


def minus(text: str) -> str:
    """The text with true minus signs, which are as wide as digits, for its hyphens."""
    return text.replace("-", "\N{MINUS SIGN}")


def about(estimated: int) -> str:
    """ "~", to precede tokens and costs that include the estimates of so many calls; else ""."""
    return "~" if estimated else ""


def spelled(name: str) -> str:
    """A readable title for an id: "norms-01-late-rent.idris-benkirane" becomes "Late rent: Idris
    Benkirane". What is not made of words with hyphens (a hash, a number) stays unchanged."""
    title, *people = name.split(".")
    words = re.fullmatch(r"(?:(?:[a-z]+-)+[0-9]+-)?([a-z][a-z0-9]*(?:-[a-z][a-z0-9]*)*)", title)
    if words is None:
        return name
    names = ", ".join(map(person_name, people))
    return f"{words[1].replace('-', ' ').capitalize()}{': ' if names else ''}{names}"


def person_name(name: str) -> str:
    """ "Idris Benkirane" for the id "idris-benkirane"; other ids unchanged."""
    return name.replace("-", " ").title() if re.fullmatch(r"[a-z]+(-[a-z]+)+", name) else name


def plural(count: int, singular: str, many: str = "") -> str:
    """ "1 trial", "2 trials"; `many` is the plural where it does not end in a mere "s"."""
    return f"{count:,} {singular if count == 1 else many or singular + 's'}"


def join_names(names: Iterable[str]) -> str:
    """ "a", "a and b", "a, b and c"; with semicolons where a name has a comma outside brackets;
    "" for no names."""
    *some, last = [*names] or [""]
    if some and any(_COMMA.search(name) for name in (*some, last)):
        return f"{'; '.join(some)}; and {last}"
    return f"{', '.join(some)} and {last}" if some else last


_COMMA = re.compile(r",(?![^\[(]*[\])])")


def counted(counts: Mapping[str, int]) -> str:
    """Such as "timeout 2, plugin 1"; "none" for no counts."""
    return ", ".join(f"{name} {count:,}" for name, count in counts.items()) or "none"


def ordinal(number: int) -> str:
    """ "1st" for 1, "12th" for 12, "71st" for 71."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number % 100 in (11, 12, 13) else ending}"


def percent(value: float, digits: int = 0) -> str:
    """ "28 %" for 0.28."""
    return f"{100 * value:.{digits}f} %"


def share(part: int, total: int) -> str:
    """A share such as "13 %" or "0.4 %"; "0 %" and "100 %" only for none and for all."""
    value = part / total
    if 0 < value < 0.001:
        return "<0.1 %"
    if 0.995 <= value < 1:
        return ">99 %"
    return percent(value, int(0 < value < 0.0995))


# ------------------------------------------------------------------ judges


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
"""By judge's name, what the metrics are that sociolab counts itself."""


def nature(result: RunResult, judge: str) -> str:
    """What a judge is, and how repeated judgings are averaged, for a note below its figures;
    KeyError for an unknown judge."""
    for entry in result.judges:
        if entry.judge == judge and entry.role == "reader":
            return f"judge {judge}: {_READ}{_repeated(entry)}"
        if entry.judge == judge:
            clause = method_words(result.declared, entry.id)
            return f"judge {judge}: {clause}{_repeated(entry)}"
    return OWN[judge]


def natures(result: RunResult, judges: Iterable[str]) -> tuple[str, ...]:
    """`nature` of these judges, a note for all of whom the same is to be said."""
    alike: dict[str, list[str]] = {}
    for judge in dict.fromkeys(judges):
        alike.setdefault(nature(result, judge).removeprefix(f"judge {judge}: "), []).append(judge)
    return tuple(
        f"{'judges' if len(some) > 1 else 'judge'} {', '.join(some)}: {clause}"
        for clause, some in alike.items()
    )


def instructions_notes(result: RunResult, judges: Iterable[str] = ()) -> tuple[str, ...]:
    """The world's footnote, and whose instructions the models that played or judged got, such as
    "instructions: paraphrased (not the authors' text)"."""
    prompts = {entry.judge: entry.prompts for entry in result.judges if entry.judge in {*judges}}
    return notes_of_sets(result.declared, result.settings, prompts)


def notes_of_sets(
    declared: Declared, run: object, judges: Mapping[str, Prompts | None]
) -> tuple[str, ...]:
    """`instructions_notes` from the settings of a run and the prompts of judges by label; notes
    name agents and judges where these got different sets of instructions."""
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
    """The notes of several runs, each once; one that is not of all runs names its runs."""
    runs_by_note: dict[str, list[str]] = {}
    for run, run_notes in notes.items():
        for note in dict.fromkeys(run_notes):
            runs_by_note.setdefault(note, []).append(run)
    return tuple(
        note if len(runs) == len(notes) else f"in {join_names(runs)}: {note}"
        for note, runs in runs_by_note.items()
    )


def method_words(declared: Declared, judge: JudgeId) -> str:
    """A clause on how a judge scores; of a user's class it says that the class itself states its
    method, which cannot be checked."""
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


# ------------------------------------------------------------------ agents


KINDS: Mapping[AgentKind, str] = {
    "model": "model",
    "rules": "rule-based, no model",
    "person": "person",
    "own code": "Python class",
    "program": "program or service",
    "plugin": "plugin",
    "imported": "imported",
}
"""The name of each kind of agent."""


def agent_kind(result: RunResult, label: str) -> str:
    """The kind of an agent in words, as the run recorded it; "unknown kind" if it did not."""
    kind = result.declared.agents.get(label)
    if kind == "rules":
        return result.declared.scripted or KINDS[kind]
    return KINDS[kind] if kind else "unknown kind"


def by_rules(result: RunResult, label: str) -> bool:
    """Whether an agent is rule-based: a baseline, not a language model."""
    return result.declared.agents.get(label) == "rules"


def stand_ins(*settings: object) -> tuple[str, ...]:
    """The labels of models, in the settings of runs, that the stand-in endpoint served."""
    recorded = (config.get(STAND_INS) or () for config in settings if isinstance(config, dict))
    return tuple(dict.fromkeys(label for labels in recorded for label in labels))


def stand_in_words(*settings: object) -> Iterator[str]:
    """A sentence, without full stop, naming the models that the stand-in endpoint served; none if
    there are none."""
    if models := stand_ins(*settings):
        were = "was" if len(models) == 1 else "were"
        yield f"{', '.join(models)} {were} served by the stand-in endpoint, not by a language model"


def stand_in_notes(*settings: object) -> tuple[str, ...]:
    """`stand_in_words` for a paper, without names, since models may be renamed there."""
    note = "played or judged in part by the stand-in endpoint, not by a language model: no results"
    return (note,) if stand_ins(*settings) else ()


def scripted_play(result: RunResult) -> str:
    """A phrase for rule-based play in this world, such as "a random baseline"."""
    phrase = result.declared.scripted
    return f"a {phrase}" if phrase else "rule-based"


# ------------------------------------------------------------------ metrics


def metric_of(result: RunResult, measure: MeasureEntry) -> Metric:
    """What the world declares about a metric."""
    return result.declared.metric(measure.measure)


def headed(result: RunResult, measure: MeasureEntry) -> str:
    """The title of a metric in a table, with a mark where lower is better."""
    return measure.title + metric_of(result, measure).mark


def tips(result: RunResult) -> dict[str, str]:
    """By title in a table, the meaning of each metric, its range, and which end is better."""
    return {
        headed(result, measure): metric_of(result, measure).describe(measure.low, measure.high)
        for measure in result.measures
    }


def legend(
    measures: Iterable[tuple[str, float, float | None, Metric]], *, better: bool = False
) -> str:
    """A line that spells out abbreviations, and says which end is better if it is the lower one for
    any metric (with `better`: always); "" if there is nothing to say.

    Each metric is given by title, range (None: no upper end) and declaration. Titles with the same
    name and range are merged to the words that they share: "SR" for "conversation SR" and "summary
    SR".
    """
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
    """An interval as "±0.41" if it is symmetric, else as "[6.91, 7.70]"; "" if there is none."""
    if entry.low is None or entry.high is None:
        return ""
    measure = result.measure(entry.measure)
    if symmetric(entry):
        return f"±{number((entry.high - entry.low) / 2, measure)}"
    return f"[{number(entry.low, measure)}, {number(entry.high, measure)}]"


def interval_words(entries: Sequence[ScoreEntry], cluster: str) -> str:
    """How the intervals of these entries were computed; "" if none has one."""
    intervals = [(entry.clusters, entry.interval) for entry in entries if entry.interval != "none"]
    fixed = any(entry.method == "people" and entry.interval == "t" for entry in entries)
    caveat = "; of fewer than three raters: for these raters only" if fixed else ""
    return interval_line(intervals, cluster) + caveat + cut_words(entries) if intervals else ""


def interval_line(intervals: Sequence[tuple[int, str]], cluster: str) -> str:
    """How intervals were computed; each is given by its number of clusters and its method."""
    counts = sorted({count for count, _ in intervals})
    span = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    how = interval_methods(method for _, method in intervals)
    return f"95 % interval, clustered by {cluster} ({span}): {how}"


def interval_methods(kinds: Iterable[str]) -> str:
    """The methods (as in `Estimate.method`) of intervals in words; "none" without any."""
    used = {*kinds}
    return ", ".join(how for kind, how in _METHODS.items() if kind in used) or "none"


_METHODS = {
    "t": "skew-corrected t",
    "rate": "Korn-Graubard for rates",
    "crossed": "t, clustered by rater too (both ways)",
    "model": "t, of a mixed model with raters or prompt sets",
    "end": "Gaffke's where clusters crowd at one end of the scale",
}


def cut_words(entries: Sequence[ScoreEntry]) -> str:
    """A clause saying that some of these entries' intervals were truncated; "" if none was."""
    from sociolab.stats.intervals import TRUNCATED_NOTE  # imports numpy, which takes long

    cut = any(TRUNCATED_NOTE in entry.note for entry in entries)
    return "; truncated at the ends of the scale" if cut else ""


def symmetric(entry: ScoreEntry | Estimate | Correlation) -> bool:
    """Whether an interval reaches as far below its value as above, as Student's t does where it is
    not truncated at an end of the scale; False if there is none."""
    if entry.value is None or entry.low is None or entry.high is None:
        return False
    rounding = _ROUNDING * max(abs(entry.low), abs(entry.high))
    return math.isclose(entry.high - entry.value, entry.value - entry.low, abs_tol=rounding)


_ROUNDING = 2e-7
"""Relative to the larger end, by how much halves may differ, since figures have eight digits."""


def covered(result: RunResult, entry: ScoreEntry) -> dict[str, str]:
    """Texts for the columns on missing scores: coverage such as "28 %", bounds of the mean such as
    "[0.00, 7.12]", and how many scores are disputed and unconfirmed."""
    coverage = "" if entry.coverage is None else percent(entry.coverage)
    texts = {"coverage": coverage, "bounds": ""}
    if entry.unscored and entry.bounds is not None:
        measure = result.measure(entry.measure)
        low, high = (number(end, measure) for end in entry.bounds)
        texts["bounds"] = f"[{low}, {high}]"
    return texts | {
        "disputed": f"{entry.disputed:,}",
        "unconfirmed": f"{entry.unconfirmed:,}",
    }


def coverage_columns(result: RunResult, entries: Iterable[ScoreEntry]) -> tuple[str, ...]:
    """The keys of `covered` for which a table with these entries needs a column: none where
    everything could be scored, or nothing."""
    incomplete = [entry for entry in entries if entry.unscored]
    disputed, unconfirmed = (
        any(getattr(entry, word) for entry in incomplete) for word in ("disputed", "unconfirmed")
    )
    partly = disputed or unconfirmed or any(entry.n for entry in incomplete)
    bounded = partly and any(covered(result, entry)["bounds"] for entry in incomplete)
    needed = {
        "coverage": partly,
        "bounds": bounded,
        "disputed": disputed,
        "unconfirmed": unconfirmed,
    }
    return tuple(word for word, is_needed in needed.items() if is_needed)


def gaps(result: RunResult, entries: Sequence[ScoreEntry]) -> tuple[str, ...]:
    """Why entries lack a value or an interval, a sentence for each reason."""
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
    """The number of values that a mean is over: scores or, for a macro average, clusters."""
    macro = (macro_of(name) for name in result.declared.macro)
    return entry.clusters if entry.measure in macro else entry.n


def size_words(result: RunResult, entries: Sequence[ScoreEntry]) -> str:
    """What n counts, if some of these entries are macro averages; else ""."""
    if all(size(result, entry) == entry.n for entry in entries):
        return ""
    return f"n: scores; for macro averages, {result.declared.cluster}s"


def failed_of(turns: TurnCounts) -> str:
    """The share of turns that an agent failed, such as "13 % (24 of 192)"; "" for none."""
    if not turns.failed:
        return ""
    return f"{share(*turns)} ({turns.failed:,} of {turns.total:,})"


def failed_turns(entry: ScoreEntry) -> str:
    """`failed_of` for the agent of an entry; "" for the metrics that sociolab counts itself, one of
    which is the number of failed turns."""
    own = entry.judge in OWN
    return "" if own else failed_of(TurnCounts(entry.failed_turns, entry.turns_asked))


def failed_share(entry: ScoreEntry) -> str:
    """`failed_turns` without the counts, such as "13 %"."""
    return failed_turns(entry).partition(" (")[0]


def failed_unit(result: RunResult) -> str:
    """What `failed_share` is a share of: invalid turns, or unanswered questions in a world without
    turns."""
    unit = next((agent.of for agent in result.failures.agents), "turns")
    return "invalid turns" if unit == "turns" else f"unanswered {unit}"


# ------------------------------------------------------------------ foreign texts


_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_CONTROL: dict[int, str] = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0)), _REPLACEMENT)
_CONTROL |= {ord("\n"): "\n", ord("\t"): "\t", ord("\r"): ""}


def sanitize(text: str) -> str:
    """The text without control characters, which could steer a terminal, and without what cannot be
    encoded; newlines and tabs stay."""
    return text.translate(_CONTROL).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
